import type { CallContext } from '../call/call-context.js'
import { CallTarget } from '../call/call-target.js'
import { type ServedTool, toolTable } from '../call/call-target.js'
import { BoundTools } from '../call/execute.js'
import type { AgentToolSpec } from '../types/tool.js'
import { SessionError } from './session-types.js'

type Agents = ReadonlyMap<string, BoundTools<never>>

/** Tools of one agent or toolset of the registry. */
interface Offer {
  readonly agent: string
  readonly namespace: string
  readonly tools: readonly SessionTool[]
}

/** A tool of a session, and where its calls are executed. */
export interface SessionTool {
  readonly served: ServedTool
  readonly target: CallTarget
}

/** The tools of some namespaces: all that a session knows of. Shared by all sessions with these namespaces. */
export interface SessionTools {
  readonly specs: readonly AgentToolSpec[]
  readonly ids: readonly string[]
  /** By id, else by wire name. */
  find(name: string): SessionTool | undefined
  /** Where calls end for a tool that is not there. */
  readonly strangers: CallTarget
}

/** The agents and toolsets of a registry, and what sessions see of them. */
export class NamespaceTools {
  readonly #agents: Agents
  readonly #byNamespaces = new Map<string, SessionTools>()

  /** @throws {TypeError} where there is no agent, or one under a name that is none. */
  constructor(agents: Readonly<Record<string, BoundTools<never>>>) {
    this.#agents = new Map(Object.entries(agents))
    if (this.#agents.size === 0) throw new TypeError('SessionRegistry: give at least one agent or toolset')
    for (const name of this.#agents.keys())
      if (name === '' || name.includes('.'))
        throw new TypeError(`SessionRegistry: '${name}' is no name: it is empty or has a dot`)
    for (const [name, agent] of this.#agents)
      if (!(agent instanceof BoundTools))
        throw new TypeError(`SessionRegistry: '${name}' is neither a registered agent nor a registered toolset`)
  }

  /** Where calls that find no tool end, and whose clock and ids sessions use: the first agent's. */
  get context(): CallContext {
    for (const { target } of this.#agents.values()) return target.context
    throw new TypeError('SessionRegistry: give at least one agent or toolset')
  }

  /** Whether there are tools in this namespace. */
  has(namespace: string): boolean {
    return offersOf(this.#agents, namespace).some(({ tools }) => tools.length > 0)
  }

  /**
   * The tools that namespaces offer, in their order; made once for all sessions with these namespaces.
   *
   * @throws {SessionError} `unknown_namespace`; `ambiguous_tool`, naming both namespaces.
   */
  of(namespaces: readonly string[]): SessionTools {
    const key = JSON.stringify(namespaces)
    const known = this.#byNamespaces.get(key)
    if (known !== undefined) return known
    const tools = this.#joined(namespaces)
    this.#byNamespaces.set(key, tools)
    return tools
  }

  #joined(namespaces: readonly string[]): SessionTools {
    const offers = namespaces.flatMap((namespace) => requireOffers(this.#agents, namespace))
    const byName = new Map<string, { readonly offer: Offer; readonly tool: SessionTool }>()
    for (const offer of offers)
      for (const tool of offer.tools)
        for (const name of [tool.served.tool.id, tool.served.tool.spec.wireName]) {
          const other = byName.get(name)
          if (other !== undefined) throw ambiguous(name, other.offer, offer)
          byName.set(name, { offer, tool })
        }
    const table = toolTable(offers.flatMap(({ tools }) => tools.map(({ served }) => served)))
    return {
      specs: table.specs,
      ids: Object.freeze([...table.ids]),
      find: (name) => byName.get(name)?.tool,
      strangers: new CallTarget(table, this.context, undefined),
    }
  }
}

/** @throws {SessionError} `unknown_namespace`. */
function requireOffers(agents: Agents, namespace: string): readonly Offer[] {
  const offers = offersOf(agents, namespace).filter(({ tools }) => tools.length > 0)
  if (offers.length > 0) return offers
  throw new SessionError(
    'unknown_namespace',
    `There are no tools in the namespace '${namespace}': give one of ${quoted([...agents.keys()])}, one of their toolsets as '<name>.<toolset>', or a namespace of their designs: ${quoted(designed(agents))}.`,
  )
}

/**
 * Resolves a namespace: `name` has all tools of that agent or toolset, `name.use` those of one toolset in use. Any other name
 * is a namespace of designs: it has all tools of toolsets with this `namespace`, over all agents.
 */
function offersOf(agents: Agents, namespace: string): readonly Offer[] {
  const dot = namespace.indexOf('.')
  const agent = dot < 0 ? namespace : namespace.slice(0, dot)
  const named = agents.get(agent)
  if (named === undefined) {
    return [...agents].map(([agent, { target }]) => ({
      agent,
      namespace,
      tools: toolsIn(target, ({ tool }) => tool.spec.namespace === namespace),
    }))
  }
  const ofUse = dot < 0 ? '' : `${namespace.slice(dot + 1)}.`
  const tools = toolsIn(named.target, ({ tool }) => tool.id.startsWith(ofUse) && ofUse !== '.')
  return [{ agent, namespace, tools }]
}

function toolsIn(target: CallTarget, isMeant: (served: ServedTool) => boolean): readonly SessionTool[] {
  return target.table.served.filter(isMeant).map((served) => ({ served, target }))
}

/** Namespaces of the designs of all agents. */
function designed(agents: Agents): readonly string[] {
  const all = [...agents.values()].flatMap(({ target }) => target.table.served.map(({ tool }) => tool.spec.namespace))
  return [...new Set(all)]
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ')
}

function ambiguous(tool: string, one: Offer, other: Offer): SessionError {
  if (one.namespace !== other.namespace) {
    return new SessionError(
      'ambiguous_tool',
      `The namespaces '${one.namespace}' and '${other.namespace}' both offer '${tool}': open the session with one of them, or with some of their toolsets.`,
    )
  }
  return new SessionError(
    'ambiguous_tool',
    one.agent === other.agent
      ? `The namespace '${one.namespace}' is given twice: give each namespace once.`
      : `In the namespace '${one.namespace}', '${one.agent}' and '${other.agent}' both offer '${tool}': open the session with one of these two names instead.`,
  )
}
