/** Number of tokens that were used, for example by a decision or a run. */
export interface TokenUsage {
  /** Number of tokens in requests to models. */
  readonly promptTokens: number
  /** Number of tokens that models generated. */
  readonly completionTokens: number
}

/** Token usage of one or more responses of models. The details are parts of the two totals. */
export interface ModelUsage extends TokenUsage {
  /** Number of prompt tokens that the server read from its cache. Absent if the server does not report it. */
  readonly cachedPromptTokens?: number
  /** Number of prompt tokens that the server wrote to its cache. Absent if the server does not report it. */
  readonly cacheWritePromptTokens?: number
  /** Number of generated tokens that the model used for its reasoning. Absent if the server does not report it. */
  readonly reasoningTokens?: number
}
