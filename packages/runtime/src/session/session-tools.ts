import type { AgentToolSpec } from '../contract/spec.js'
import { BoundTools } from '../execute/bound-tools.js'
import { type CallContext, CallTarget } from '../execute/call/call-target.js'
import { type ServedTool, toolTable } from '../execute/call/tool-table.js'
import { SessionError } from './session-error.js'

type Agents = ReadonlyMap<string, BoundTools<never>>

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

  /** Whether an agent, a toolset or a use of one goes by this name. */
  has(namespace: string): boolean {
    return toolsOf(this.#agents, namespace).length > 0
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
    const offers = namespaces.map((namespace) => ({ namespace, tools: offered(this.#agents, namespace) }))
    const byName = new Map<string, { readonly namespace: string; readonly tool: SessionTool }>()
    for (const { namespace, tools } of offers)
      for (const tool of tools)
        for (const name of [tool.served.tool.id, tool.served.tool.spec.wireName]) {
          const other = byName.get(name)
          if (other !== undefined) throw ambiguous(name, other.namespace, namespace)
          byName.set(name, { namespace, tool })
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

function offered(agents: Agents, namespace: string): readonly SessionTool[] {
  const tools = toolsOf(agents, namespace)
  if (tools.length > 0) return tools
  const names = [...agents.keys()].map((name) => `'${name}'`).join(', ')
  throw new SessionError(
    'unknown_namespace',
    `There are no tools in the namespace '${namespace}': give one of ${names}, or one of their toolsets as '<name>.<toolset>'.`,
  )
}

/** Of `name` all tools, of `name.use` those of one toolset. */
function toolsOf(agents: Agents, namespace: string): readonly SessionTool[] {
  const dot = namespace.indexOf('.')
  const target = agents.get(dot < 0 ? namespace : namespace.slice(0, dot))?.target
  if (target === undefined) return []
  const ofUse = dot < 0 ? '' : `${namespace.slice(dot + 1)}.`
  return target.table.served
    .filter(({ tool }) => tool.id.startsWith(ofUse) && ofUse !== '.')
    .map((served) => ({ served, target }))
}

function ambiguous(tool: string, one: string, other: string): SessionError {
  return new SessionError(
    'ambiguous_tool',
    one === other
      ? `The namespace '${one}' is given twice: give each namespace once.`
      : `The namespaces '${one}' and '${other}' both offer '${tool}': open the session with one of them, or with some of their toolsets.`,
  )
}
