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

/** Limits of an agent's runs, and reactions to failed tool calls. */
export interface RunPolicy {
  /**
   * Reaction to a tool call without required fields:
   *
   * - `resume` (default): the run continues
   * - `finalize`: the model must return a final answer
   * - `await_clarification`: the run suspends with a question to the user
   */
  readonly onMissingFields?: 'resume' | 'finalize' | 'await_clarification'
  /** Maximum number of tool calls of a run. Default: no limit. */
  readonly maxToolCalls?: number
  /**
   * Maximum number of responses of the planner, for example a model, in a run. Default: 100. A registration or a run can remove this default with
   * `maxTurns: Infinity`.
   */
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
  /** Maximum number of tool calls of one planner response, or of a program in code mode, that run at the same time. Default: no limit. */
  readonly parallelism?: number
  /**
   * Reaction to the first failed tool call of a planner response. Both reactions continue the run afterwards:
   *
   * - `join_all` (default): the run waits for the other calls of the response
   * - `fail_fast`: the run cancels the other calls of the response
   */
  readonly onFailure?: 'join_all' | 'fail_fast'
  /** Maximum depth of nested agents. 0 forbids calls of other agents. Default: 8. */
  readonly maxDepth?: number
}

interface ProviderRequired {
  readonly '~toolgen': 'toolset'
  readonly '~error': 'add its provider: fromService(toolset, client), fromAgent(toolset), fromMcp(toolset), fromOpenApi(toolset) or fromExecutor(toolset)'
}

/** Argument of `defineAgent`: description, instructions, toolsets and limits of an agent. */
export interface AgentDefinition {
  /** Purpose of the agent. Read by people, and by the models of agents that call this agent. */
  readonly description: string
  /** System prompt of the agent's runs. Default: no system prompt. */
  readonly instructions?: string
  /** Toolsets that the agent uses: results of `fromService`, `fromMcp` and the other `from...` functions. Default: no toolsets. */
  readonly uses?: readonly (ToolsetUse | ProviderRequired)[]
  /** Toolsets that the agent offers to other agents: a toolset, or `exportToolset(toolset, options)`. Default: no toolsets. */
  readonly exports?: readonly (Toolset | ToolsetExport)[]
  /** Limits of the agent's runs. Default: 100 planner responses, and 8 levels of nested agents. */
  readonly policy?: RunPolicy
  /** Maximum size of each tool result that the agent's model reads. Overrides `maxResult` of the tools. Default: the maximum of each tool. */
  readonly maxResult?: MaxResult
  /**
   * Ignored rules of `toolgen lint` for this agent. Maps a rule id to the reason. `toolgen lint` skips a rule about a tool only if every
   * agent with this tool ignores the rule. Default: no ignored rules.
   */
  readonly lint?: Readonly<Record<string, string>>
}

/** Agent of a design: the frozen result of `defineAgent`, which the generator reads. */
export interface Agent extends Omit<AgentDefinition, 'uses' | 'exports'> {
  readonly '~toolgen': 'agent'
  readonly name: string
  readonly uses: readonly ToolsetUse[]
  /** Exported toolsets. A toolset with options is the result of `exportToolset`. */
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
 * Declares an agent: description, instructions, limits, and the toolsets that the agent uses and exports.
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
