/** The limits of an agent's runs as data; every field may be left out. */
export interface RunPolicy {
  /** What happens when a call lacks required fields. */
  readonly onMissingFields?: 'resume' | 'finalize' | 'await_clarification'
  readonly maxToolCalls?: number
  readonly maxTurns?: number
  readonly maxConsecutiveFailures?: number
  readonly maxTokens?: number
  /** In milliseconds. */
  readonly timeBudgetMs?: number
  /** In milliseconds. */
  readonly toolTimeoutMs?: number
  /** How many calls run at once. */
  readonly parallelism?: number
  readonly onFailure?: 'join_all' | 'fail_fast'
  /** How many agents may stand above a run: 0 lets an agent call no other. Default 8. */
  readonly maxDepth?: number
}
