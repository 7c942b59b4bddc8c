import {
  amount,
  array,
  type Check,
  definition,
  isOfKind,
  made,
  name,
  object,
  oneOf,
  quoted,
  silencedRules,
  string,
} from './checks.js'
import type { Toolset, ToolsetExport } from './toolset.js'
import type { ToolsetUse } from './uses.js'

/** The limits of an agent's runs; every field is optional. */
export interface RunPolicy {
  /** Reaction to a call that lacks required fields. */
  readonly onMissingFields?: 'resume' | 'finalize' | 'await_clarification'
  readonly maxToolCalls?: number
  readonly maxTurns?: number
  readonly maxConsecutiveFailures?: number
  readonly maxTokens?: number
  /** In milliseconds. */
  readonly timeBudgetMs?: number
  /** In milliseconds. */
  readonly toolTimeoutMs?: number
  /** Maximum number of calls that run at once. */
  readonly parallelism?: number
  readonly onFailure?: 'join_all' | 'fail_fast'
  /** Maximum number of parent agents of a run: 0 lets an agent call no other. Default 8. */
  readonly maxDepth?: number
}

/** Shown by the compiler where `uses` has a toolset by itself. */
interface ProviderRequired {
  readonly '~toolgen': 'toolset'
  readonly '~error': 'say who serves it: fromService(toolset, client), fromAgent(toolset), fromMcp(toolset), fromOpenApi(toolset) or fromExecutor(toolset)'
}

/** The definition of an agent. */
export interface AgentDefinition {
  /** Purpose of the agent, for people and for agents that call it. */
  readonly description: string
  /** The system prompt of its runs. */
  readonly instructions?: string
  /** The toolsets that it uses, each with its provider. Default: none. */
  readonly uses?: readonly (ToolsetUse | ProviderRequired)[]
  /** The toolsets that it offers to others: each by itself, or with options in `exportToolset(...)`. Default: none. */
  readonly exports?: readonly (Toolset | ToolsetExport)[]
  /** The limits of its runs. Default: none. */
  readonly policy?: RunPolicy
  /**
   * Rules of `toolgen lint` that do not count for this agent: the rule's id → the reason. For a tool that it uses they do not
   * count if every agent that uses the tool lists them. Default: none.
   */
  readonly lint?: Readonly<Record<string, string>>
}

/** An agent of a design: a frozen value that `defineAgent` returns and the generator reads. */
export interface Agent extends Omit<AgentDefinition, 'uses' | 'exports'> {
  readonly '~toolgen': 'agent'
  readonly name: string
  readonly uses: readonly ToolsetUse[]
  /** As the design has them: a toolset by itself is served with the defaults. */
  readonly exports: readonly (Toolset | ToolsetExport)[]
}

const exported: Check = (value, at) =>
  isOfKind(value, 'export')
    ? value
    : made('toolset', 'Pass what defineToolset(...) or exportToolset(...) returned')(value, at)

const used = made(
  'use',
  'Say who serves it: fromService(toolset, client), fromAgent(toolset), fromMcp(toolset), fromOpenApi(toolset) or fromExecutor(toolset)',
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
        timeBudgetMs: amount,
        toolTimeoutMs: amount,
        parallelism: amount,
        maxDepth: amount,
        onFailure: oneOf(['join_all', 'fail_fast']),
      },
    ),
    lint: silencedRules,
  },
)

/**
 * Declares an agent: the toolsets that it uses and exports, its instructions and limits.
 *
 * @throws {TypeError} when the definition is evidently wrong
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
