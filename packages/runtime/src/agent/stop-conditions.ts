import type { ToolOutcome } from '../contract/outcome.js'
import type { RunPolicy } from '../contract/run-policy.js'
import type { LoopState, StopCondition } from '../contract/stop-condition.js'
import type { LimitReason } from '../contract/stop-signal.js'

/** The limits of a policy as conditions, the most severe first. */
export function policyConditions(policy: RunPolicy): readonly StopCondition[] {
  const { timeBudgetMs, maxTokens, maxToolCalls, maxConsecutiveFailures, maxTurns } = policy
  return [
    ...limit('time_budget', timeBudgetMs, ({ elapsedMs }, most) => elapsedMs >= most),
    ...limit(
      'max_tokens',
      maxTokens,
      ({ promptTokens, completionTokens }, most) => promptTokens + completionTokens >= most,
    ),
    ({ spentAbove }) => (spentAbove === undefined ? undefined : { reason: 'max_tokens', limit: spentAbove }),
    ...limit('max_tool_calls', maxToolCalls, ({ refused }) => refused > 0),
    ...limit(
      'max_consecutive_failures',
      maxConsecutiveFailures,
      ({ outcomes }, most) => failuresAtEnd(outcomes) >= Math.max(1, most),
    ),
    ...limit('max_turns', maxTurns, ({ turns }, most) => turns >= most),
  ]
}

function limit(
  reason: LimitReason,
  most: number | undefined,
  isReached: (state: LoopState, most: number) => boolean,
): readonly StopCondition[] {
  return most === undefined ? [] : [(state) => (isReached(state, most) ? { reason, limit: most } : undefined)]
}

function failuresAtEnd(outcomes: readonly ToolOutcome[]): number {
  let count = 0
  while (outcomes[outcomes.length - 1 - count]?.status === 'failed') count += 1
  return count
}
