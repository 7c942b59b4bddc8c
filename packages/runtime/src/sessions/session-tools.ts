import { BoundTools } from '../call/bound-toolset.js'
import type { CallContext } from '../call/call-context.js'
import { CallTarget } from '../call/call-target.js'
import { isReadResult } from '../call/read-result.js'
import { type ServedTool, toolTable } from '../call/served-tool.js'
import type { AgentToolSpec } from '../types/tool.js'
import { SessionError } from './stores.js'

interface Offer {
  readonly agent: string
  readonly namespace: string
  readonly tools: readonly SessionTool[]
}

export interface SessionTool {
  readonly served: ServedTool
  readonly target: CallTarget
}

/** Tools that a session with certain namespaces can use. All sessions with the same namespaces share this object. */
export interface SessionTools {
  readonly specs: readonly AgentToolSpec[]
  readonly ids: readonly string[]
  /** Returns the tool with this tool id or tool name; `undefined` if the tool does not exist. */
  find(name: string): SessionTool | undefined
  readonly unknownTarget: CallTarget
}

export class NamespaceTools {
  readonly #agents: ReadonlyMap<string, BoundTools<never>>
  readonly #byNamespaces = new Map<string, SessionTools>()
  /** Call context of the first agent. Sessions use this context, also for calls of tools that do not exist. */
  readonly context: CallContext

  constructor(agents: Readonly<Record<string, BoundTools<never>>>) {
    this.#agents = new Map(Object.entries(agents))
    for (const name of this.#agents.keys())
      if (name === '' || name.includes('.'))
        throw new TypeError(`SessionRegistry: invalid name '${name}'. Names must not be empty or contain a dot.`)
    for (const [name, agent] of this.#agents)
      if (!(agent instanceof BoundTools))
        throw new TypeError(`SessionRegistry: '${name}' must be a registered agent or a registered toolset.`)
    const [first] = this.#agents.values()
    if (first === undefined) throw new TypeError('SessionRegistry: pass at least one agent or toolset.')
    this.context = first.target.context
  }

  has(namespace: string): boolean {
    return this.#offers(namespace).length > 0
  }

  of(namespaces: readonly string[]): SessionTools {
    const key = JSON.stringify(namespaces)
    const existing = this.#byNamespaces.get(key)
    if (existing !== undefined) return existing
    const offers = namespaces.flatMap((namespace) => {
      const ofNamespace = this.#offers(namespace)
      if (ofNamespace.length === 0) throw this.#unknownNamespace(namespace)
      return ofNamespace
    })
    const byName = new Map<string, { readonly offer: Offer; readonly tool: SessionTool }>()
    // Several agents can have the tool `read_result`. The tool reads all results of the session, so the first tool is sufficient.
    for (const offer of offers)
      for (const tool of offer.tools)
        if (!isReadResult(tool.served.tool) || !byName.has(tool.served.tool.id))
          for (const name of [tool.served.tool.id, tool.served.tool.spec.toolName]) {
            const other = byName.get(name)
            if (other !== undefined) throw ambiguous(name, other.offer, offer)
            byName.set(name, { offer, tool })
          }
    const own = offers.flatMap(({ tools }) => tools.filter((tool) => byName.get(tool.served.tool.id)?.tool === tool))
    const table = toolTable(own.map(({ served }) => served))
    const tools: SessionTools = {
      specs: table.specs,
      ids: Object.freeze([...table.ids]),
      find: (name) => byName.get(name)?.tool,
      unknownTarget: new CallTarget(table, this.context, undefined),
    }
    this.#byNamespaces.set(key, tools)
    return tools
  }

  /**
   * The name can be:
   * - an agent or toolset of the registry;
   * - `<agent>.<toolset>`, one toolset of an agent;
   * - a namespace of the design, which includes the toolsets of all agents that declare this namespace.
   */
  #offers(namespace: string): readonly Offer[] {
    const [name = '', ...rest] = namespace.split('.')
    const agent = this.#agents.get(name)
    const ofUse = rest.length === 0 ? '' : `${rest.join('.')}.`
    const offers =
      agent === undefined
        ? [...this.#agents].map(([agent, { target }]) => ({
            agent,
            tools: toolsIn(target, ({ tool }) => tool.spec.namespace === namespace),
          }))
        : [{ agent: name, tools: toolsIn(agent.target, ({ tool }) => tool.id.startsWith(ofUse) && ofUse !== '.') }]
    return offers.filter(({ tools }) => tools.length > 0).map((offer) => ({ ...offer, namespace }))
  }

  #unknownNamespace(namespace: string): SessionError {
    const quoted = (names: Iterable<string>): string => [...names].map((name) => `'${name}'`).join(', ')
    const ofDesigns = new Set(
      [...this.#agents.values()].flatMap(({ target }) => target.table.served.map(({ tool }) => tool.spec.namespace)),
    )
    return new SessionError(
      'unknown_namespace',
      `The namespace '${namespace}' has no tools. Use ${quoted(this.#agents.keys())}, one of their toolsets as '<name>.<toolset>', or a namespace of their designs: ${quoted(ofDesigns)}.`,
    )
  }
}

function toolsIn(target: CallTarget, matches: (served: ServedTool) => boolean): readonly SessionTool[] {
  const { served } = target.table
  const matching = served.filter((one) => matches(one) && !isReadResult(one.tool))
  const isLimited = matching.some(({ tool }) => tool.spec.maxResult !== undefined)
  const all = isLimited ? [...matching, ...served.filter(({ tool }) => isReadResult(tool))] : matching
  return all.map((one) => ({ served: one, target }))
}

function ambiguous(tool: string, one: Offer, other: Offer): SessionError {
  const message =
    one.namespace !== other.namespace
      ? `The namespaces '${one.namespace}' and '${other.namespace}' both have the tool '${tool}'. Open the session with only one of the two namespaces, or with toolsets of which only one has this tool.`
      : one.agent === other.agent
        ? `The namespace '${one.namespace}' is listed twice. List each namespace once.`
        : `In the namespace '${one.namespace}', both '${one.agent}' and '${other.agent}' have the tool '${tool}'. Open the session with one of these two names instead.`
  return new SessionError('ambiguous_tool', message)
}
