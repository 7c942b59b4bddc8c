import {
  checkedFields,
  type FieldCheck,
  type FieldChecks,
  frozenDictionary,
  hasFields,
  isAmount,
  isListOf,
  isMade,
  isName,
  isOfKind,
  isOneOf,
  isSilencedRules,
  isText,
  plainCopy,
  quoted,
} from './checks.js'
import type { AgentValue, ExportValue, RunPolicy, SayWhoServesIt, ToolsetValue, UseValue } from './types.js'

/** What is told about an agent. */
export interface AgentDefinition {
  /** What the agent is for, for people and for agents that call it. */
  readonly description: string
  /** What its model is told at the start of each run. */
  readonly instructions?: string
  /** The toolsets that it uses, each with its provider. Default: none. */
  readonly uses?: readonly (UseValue | SayWhoServesIt)[]
  /**
   * The toolsets that it offers to others: each by itself, or in `exportToolset(...)`, which says how it is served.
   * Default: none.
   */
  readonly exports?: readonly (ToolsetValue | ExportValue)[]
  /** The limits of its runs. Default: none. */
  readonly policy?: RunPolicy
  /**
   * Rules of `toolgen lint` that do not count for this agent: the rule's id → why. For a tool that it uses they do not count
   * where every agent that uses the tool says so. Default: none.
   */
  readonly lint?: Readonly<Record<string, string>>
}

const policyChecks: FieldChecks = {
  required: {},
  optional: {
    onMissingFields: isOneOf(['resume', 'finalize', 'await_clarification']),
    maxToolCalls: isAmount,
    maxTurns: isAmount,
    maxConsecutiveFailures: isAmount,
    maxTokens: isAmount,
    timeBudgetMs: isAmount,
    toolTimeoutMs: isAmount,
    parallelism: isAmount,
    maxDepth: isAmount,
    onFailure: isOneOf(['join_all', 'fail_fast']),
  },
}

const isExport: FieldCheck = (value, where) => {
  if (isOfKind(value, 'export')) return
  isMade('toolset', 'Pass what defineToolset(...) or exportToolset(...) returned')(value, where)
}

const agentChecks: FieldChecks = {
  required: { description: isText },
  optional: {
    instructions: isText,
    uses: isListOf(
      isMade(
        'use',
        'Say who serves it: fromService(toolset, client), fromAgent(toolset), fromMcp(toolset) or fromOpenApi(toolset)',
      ),
    ),
    exports: isListOf(isExport),
    policy: hasFields(policyChecks),
    lint: isSilencedRules,
  },
}

/**
 * Declares an agent: the toolsets it uses, those it offers, its instructions and limits. Throws a TypeError when the
 * definition is evidently wrong.
 *
 * @example
 * export const support = defineAgent('support', {
 *   description: 'Answers customers about their orders.',
 *   uses: [fromService(orders, ordersClient)],
 * })
 */
export function defineAgent(name: string, definition: AgentDefinition): AgentValue {
  isName(name, 'defineAgent: name')
  const where = `defineAgent(${quoted(name)})`
  const { description, instructions, uses, exports, policy, lint } = checkedFields(definition, agentChecks, where)
  return Object.freeze<AgentValue>({
    '~toolgen': 'agent',
    name,
    description,
    ...(instructions !== undefined && { instructions }),
    uses: Object.freeze((uses ?? []).filter(isUse)),
    exports: Object.freeze([...(exports ?? [])]),
    ...(policy && { policy: Object.freeze(plainCopy(policy, `${where}: policy`)) }),
    ...(lint && { lint: frozenDictionary(lint, `${where}: lint`) }),
  })
}

/** What has passed the checks is one; the other alternative is there for what the checker shows. */
function isUse(given: UseValue | SayWhoServesIt): given is UseValue {
  return given['~toolgen'] === 'use'
}
