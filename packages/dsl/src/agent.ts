import {
  amount,
  array,
  type Check,
  definition,
  isOfKind,
  made,
  maxResult,
  name,
  object,
  oneOf,
  quoted,
  silencedRules,
  string,
} from './checks.js'
import type { MaxResult } from './tool.js'
import type { Toolset, ToolsetExport } from './toolset.js'
import type { ToolsetUse } from './uses.js'

/** Limits of an agent's runs, and their reactions to failures. A limit without a default does not apply if it is not set. */
export interface RunPolicy {
  /**
   * Reaction to a step in which a tool call lacked required fields. `resume` (default): the run continues. `finalize`: the model must give
   * a final answer. `await_clarification`: the run is suspended with a question to the user.
   */
  readonly onMissingFields?: 'resume' | 'finalize' | 'await_clarification'
  /** Maximum number of tool calls of a run. Default: no limit. */
  readonly maxToolCalls?: number
  /** Maximum number of steps. Default: 100. A registration or a run can remove this default with `maxTurns: Infinity`. */
  readonly maxTurns?: number
  /** Number of consecutive failed tool calls after which the run stops. Default: no limit. */
  readonly maxConsecutiveFailures?: number
  /** Maximum number of prompt and completion tokens of a run. Default: no limit. */
  readonly maxTokens?: number
  /** Maximum cost of a run, in the currency of the option `prices` of the runtime. Default: no limit. */
  readonly maxCost?: number
  /** Maximum duration of a run, in milliseconds. Default: no limit. */
  readonly timeBudgetMs?: number
  /** Maximum duration of a tool call, in milliseconds. Default: no limit. */
  readonly toolTimeoutMs?: number
  /** Maximum number of tool calls of a step that run at the same time. Default: no limit. */
  readonly parallelism?: number
  /**
   * Reaction to the first failed call of a step. `fail_fast`: the other calls of the step are cancelled. `join_all` (default): they run to
   * their end. In both cases, the run continues.
   */
  readonly onFailure?: 'join_all' | 'fail_fast'
  /** Maximum depth of nested agents. With 0, the agent cannot call other agents. Default: 8. */
  readonly maxDepth?: number
}

/** Compile error for a toolset in `uses` that is not wrapped in a `from...` function. */
interface ProviderRequired {
  readonly '~toolgen': 'toolset'
  readonly '~error': 'add its provider: fromService(toolset, client), fromAgent(toolset), fromMcp(toolset), fromOpenApi(toolset) or fromExecutor(toolset)'
}

/** Argument of `defineAgent`: description, instructions, toolsets and limits of an agent. */
export interface AgentDefinition {
  /** Purpose of the agent, for people and for agents that call it. */
  readonly description: string
  /** System prompt of the agent's runs. Default: none. */
  readonly instructions?: string
  /** Toolsets that the agent uses, each with its provider. Default: none. */
  readonly uses?: readonly (ToolsetUse | ProviderRequired)[]
  /** Toolsets that the agent offers to other agents. List a toolset directly, or as `exportToolset(toolset, options)`. Default: none. */
  readonly exports?: readonly (Toolset | ToolsetExport)[]
  /** Limits of the agent's runs. Default: only the defaults of `maxTurns` and `maxDepth`. */
  readonly policy?: RunPolicy
  /** Maximum size of each result of the tools that the agent uses. Overrides `maxResult` of the tools. Default: none. */
  readonly maxResult?: MaxResult
  /**
   * Rules of `toolgen lint` that are ignored for this agent: rule id → reason. A rule about a tool is ignored only if every agent that uses
   * the tool ignores this rule. Default: none.
   */
  readonly lint?: Readonly<Record<string, string>>
}

/** Agent of a design. Returned by `defineAgent` and read by the generator. Frozen. */
export interface Agent extends Omit<AgentDefinition, 'uses' | 'exports'> {
  readonly '~toolgen': 'agent'
  readonly name: string
  readonly uses: readonly ToolsetUse[]
  /** Exported toolsets, as in the definition: directly, or with options from `exportToolset(...)`. */
  readonly exports: readonly (Toolset | ToolsetExport)[]
}

const exported: Check = (value, at) =>
  isOfKind(value, 'export')
    ? value
    : made('toolset', 'Pass the result of defineToolset(...) or exportToolset(...)')(value, at)

const used = made(
  'use',
  'Add its provider: fromService(toolset, client), fromAgent(toolset), fromMcp(toolset), fromOpenApi(toolset) or fromExecutor(toolset)',
)

const agentFields = definition<Partial<Agent> & Pick<Agent, 'description'>>(
  { description: string },
  {
    instructions: string,
    uses: array(used),
    exports: array(exported),
    policy: object(
      {},
      {
        onMissingFields: oneOf(['resume', 'finalize', 'await_clarification']),
        maxToolCalls: amount,
        maxTurns: amount,
        maxConsecutiveFailures: amount,
        maxTokens: amount,
        maxCost: amount,
        timeBudgetMs: amount,
        toolTimeoutMs: amount,
        parallelism: amount,
        maxDepth: amount,
        onFailure: oneOf(['join_all', 'fail_fast']),
      },
    ),
    maxResult,
    lint: silencedRules,
  },
)

/**
 * Declares an agent: the toolsets that it uses and exports, its instructions and limits.
 *
 * @throws {TypeError} if the definition is invalid
 * @example
 * export const support = defineAgent('support', {
 *   description: 'Answers customers about their orders.',
 *   uses: [fromService(orders, ordersClient)],
 * })
 */
export function defineAgent(agent: string, definition: AgentDefinition): Agent {
  const at = `defineAgent(${quoted(name(agent, 'defineAgent: name'))})`
  const [uses, exports] = [Object.freeze([]), Object.freeze([])]
  return Object.freeze<Agent>({ uses, exports, ...agentFields(definition, at), '~toolgen': 'agent', name: agent })
}
