import { BoundAgent } from '../agents/bound-agent.js'
import type { BoundTool } from '../call/bound-tools.js'
import { BoundToolset } from '../call/bound-toolset.js'
import { isRepeatable } from '../call/call-context.js'
import { agentServing } from '../call/required-options.js'
import type { AgentToolSpec } from '../types/tool.js'
import { requireObject, shown } from './arguments.js'
import type { DurableInput } from './engine.js'
import type { UnknownOutcome } from './journal.js'
import { type DurableSessionsOptions, sessionSettings } from './session-types.js'

/**
 * Data about a run, or about a call in a session, for the option `env` of {@link durableAgents}. `agent` is the name of the agent. For a call of a
 * tool that belongs to no agent, `agent` is the first item of the session's `namespaces`.
 */
export type DurableFacts = Omit<DurableInput, 'version' | 'input' | 'resume' | 'parent' | 'approvals' | 'sensitive'>

/** Options of {@link durableAgents}: the agents, their `env`, and the reaction to calls with an unknown outcome. */
export interface DurableAgentsOptions {
  /** Registered agents by name. Must include every agent that another agent uses as a tool. */
  readonly agents: Readonly<Record<string, BoundAgent<any>>>
  /**
   * Returns the `env` of a run, or of a call in a session. Receives the name of the agent, ids, labels and the option `data` of the run. Each
   * attempt calls this function at its start. If the function throws an error, or its promise does not settle within 60 seconds, the attempt
   * fails, and the engine starts another attempt. Default: no `env`.
   */
  readonly env?: (input: DurableFacts) => unknown
  /**
   * Reaction to a call whose process ended before the durable engine recorded the result of the call. Applies only to tools that must not run twice:
   * tools that are neither `readOnly` nor `idempotent`, and have no payload field that the runtime fills with `idempotencyKey`. `fail`: the call
   * fails with the reason `unknown_outcome`. `ask`: the run is suspended, and the tool runs again if the answer is `approve`. `repeat`: the tool runs
   * again. Default: `fail`. If you pass a function, `durableAgents` calls this function once for each of these tools.
   */
  readonly unknownOutcome?: UnknownOutcome | ((tool: AgentToolSpec) => UnknownOutcome)
  /** Registered toolsets that sessions can use in addition to the agents, by name. Default: no toolsets. */
  readonly toolsets?: Readonly<Record<string, BoundToolset<any>>>
  /** Options of the sessions, such as limits and `conversation`. Default: the defaults of {@link DurableSessionsOptions}. */
  readonly sessions?: DurableSessionsOptions
}

/** Agents whose runs are durable. Created by {@link durableAgents}. */
export interface DurableAgents extends DurableAgentsOptions {
  /** Names of the agents: the keys of `agents`. */
  readonly names: readonly string[]
}

/**
 * Validates agents for durable runs, and returns them for an engine.
 *
 * Durable runs change the meaning of some limits. After a crash, `timeBudgetMs` continues with the remaining time, and `toolTimeoutMs` starts
 * again for a repeated call. Both limits exclude the time in which a run waits for an answer. A `timeout` layer does not interrupt a nested run, or
 * a wait that the journal records (at least 10 seconds, for example before a retry). The call times out only after the nested run or wait. In
 * contrast, `toolTimeoutMs` also limits nested runs. The tokens of a nested run count towards `maxTokens` only when the nested run ends. Therefore,
 * parallel nested runs can together exceed `maxTokens`.
 *
 * The journal does not record the calls of a code mode program separately, but together with the call of the program. Errors in outcomes have no
 * `cause`. If a tool has an asynchronous `payloadAdapter`, the event `call_started` has no `hint`.
 *
 * @throws {TypeError} in these cases:
 * - An option has a wrong type.
 * - `agents` is empty, or a key of `agents` is not the name of its agent.
 * - An agent uses an agent that `agents` does not contain.
 * - A toolset calls an agent, has an invalid name, or has the name of an agent.
 * - `unknownOutcome` is, or returns, an unknown value. `durableAgents` also rethrows errors of the function `unknownOutcome`.
 * @throws {RangeError} if a limit in `sessions` is out of range.
 *
 * @example
 * const agents = durableAgents({ agents: { support, research }, env: () => ({ approval }) })
 */
export function durableAgents(options: DurableAgentsOptions): DurableAgents {
  requireObject('durableAgents: options', options, 'an object, for example { agents: { support } }')
  const { agents, env, unknownOutcome = 'fail' } = options
  requireObject('durableAgents: agents', agents, 'an object of registered agents, for example { support }')
  if (env !== undefined && typeof env !== 'function') {
    throw new TypeError(
      `durableAgents: env is ${shown(env)}. Expected a function that returns the env, for example () => ({ approval }).`,
    )
  }
  if (typeof unknownOutcome !== 'function' && !isUnknownOutcome(unknownOutcome)) {
    throw new TypeError(
      `durableAgents: unknownOutcome is ${shown(unknownOutcome)}. Expected 'fail', 'ask', 'repeat' or a function.`,
    )
  }
  const entries = Object.entries<unknown>(agents)
  if (entries.length === 0) throw new TypeError('durableAgents: `agents` is empty. Pass at least one registered agent.')
  for (const [name, agent] of entries) {
    if (!(agent instanceof BoundAgent)) {
      throw new TypeError(`durableAgents: agents.${name} must be a registered agent, for example registerSupport(...).`)
    }
    if (agent.agent.name !== name) {
      throw new TypeError(`durableAgents: agents.${name} is the agent '${agent.agent.name}'. Use its name as the key.`)
    }
    for (const { tool } of agent.runnable.target.table.served) {
      const used = agentOf(tool)
      if (used === undefined || Object.hasOwn(agents, used)) continue
      throw new TypeError(
        `durableAgents: the agent '${name}' uses the agent '${used}' (tool ${tool.id}), which is not in \`agents\`. Add it.`,
      )
    }
  }
  if (options.sessions !== undefined) {
    requireObject('durableAgents: sessions', options.sessions, 'an object, for example { conversation: true }')
  }
  sessionSettings(options.sessions)
  requireToolsets(options)
  return Object.freeze({
    ...options,
    unknownOutcome: typeof unknownOutcome === 'function' ? reactions(options, unknownOutcome) : unknownOutcome,
    agents: Object.freeze({ ...agents }),
    names: entries.map(([name]) => name),
  })
}

function requireToolsets({ agents, toolsets = {} }: DurableAgentsOptions): void {
  requireObject('durableAgents: toolsets', toolsets, 'an object that maps names to registered toolsets')
  for (const [name, toolset] of Object.entries<unknown>(toolsets)) {
    if (!(toolset instanceof BoundToolset)) {
      throw new TypeError(
        `durableAgents: toolsets.${name} must be a registered toolset, for example registerToolset(...).`,
      )
    }
    if (Object.hasOwn(agents, name) || name === '' || name.includes('.')) {
      throw new TypeError(
        `durableAgents: the toolset name '${name}' is ${Object.hasOwn(agents, name) ? 'also the name of an agent' : 'invalid'}. Use another name, without dots.`,
      )
    }
    const served = toolset.target.table.served.find(({ tool }) => agentOf(tool) !== undefined)
    if (served === undefined) continue
    throw new TypeError(
      `durableAgents: \`toolsets.${name}\` has the tool ${served.tool.id}, which calls an agent. Remove the toolset from \`toolsets\`, and let an agent in \`agents\` use it.`,
    )
  }
}

/** A tool of code mode serves the tools of an agent (`choosesTools`), but does not run the agent. */
function agentOf(tool: BoundTool): string | undefined {
  const agent = agentServing(tool)
  return agent?.choosesTools === true ? undefined : agent?.descriptor.name
}

function isUnknownOutcome(value: unknown): value is UnknownOutcome {
  return value === 'fail' || value === 'ask' || value === 'repeat'
}

function reactions(
  { agents, toolsets = {} }: DurableAgentsOptions,
  unknownOutcome: (tool: AgentToolSpec) => unknown,
): (tool: AgentToolSpec) => UnknownOutcome {
  const ofAgents = Object.values(agents).map(({ runnable }) => runnable.target)
  const targets = [...ofAgents, ...Object.values(toolsets).map(({ target }) => target)]
  const tools = targets.flatMap(({ table }) => table.served.map(({ tool }) => tool))
  const specs = tools.filter((tool) => agentOf(tool) === undefined && !isRepeatable(tool.spec)).map(({ spec }) => spec)
  const known = new Map(
    specs.map((spec) => {
      const reaction = unknownOutcome(spec)
      if (isUnknownOutcome(reaction)) return [spec, reaction]
      throw new TypeError(
        `durableAgents: unknownOutcome returned ${shown(reaction)} for the tool ${spec.id}. Expected 'fail', 'ask' or 'repeat'.`,
      )
    }),
  )
  return (tool) => known.get(tool) ?? 'fail'
}

export function requireDurableAgents(caller: string, agents: DurableAgents): void {
  const expected = 'the result of durableAgents({ agents: ... })'
  requireObject(`${caller}: agents`, agents, expected)
  const { names, agents: byName } = agents
  const isComplete = Array.isArray(names) && names.every((name) => byName?.[name] instanceof BoundAgent)
  if (!isComplete) throw new TypeError(`${caller}: agents is an object of another form. Expected ${expected}.`)
}

export function unknownOutcomeOf({ unknownOutcome = 'fail' }: DurableAgents, tool: AgentToolSpec): UnknownOutcome {
  return typeof unknownOutcome === 'function' ? unknownOutcome(tool) : unknownOutcome
}
