/** Number of tokens that were used, for example by a decision or a run. */
export interface TokenUsage {
  /** Number of tokens in requests to models. */
  readonly promptTokens: number
  /** Number of tokens that models generated. */
  readonly completionTokens: number
}

/**
 * Token usage of one or more responses of models. `promptTokens` includes the cached tokens, and `completionTokens`
 * includes the reasoning tokens.
 */
export interface ModelUsage extends TokenUsage {
  /** Number of prompt tokens that the server read from its cache. Absent if the server does not report this number. */
  readonly cachedPromptTokens?: number
  /** Number of prompt tokens that the server wrote to its cache. Absent if the server does not report this number. */
  readonly cacheWritePromptTokens?: number
  /** Number of generated tokens that the model used for its reasoning. Absent if the server does not report this number. */
  readonly reasoningTokens?: number
  /**
   * Cost in the currency of the option `prices` of the runtime. If the driver reports no cost, the runtime computes the
   * cost from these prices. Excludes responses of models without a price. Absent if no cost is known.
   */
  readonly cost?: number
}

/** Prices of a model per million tokens, as numbers in a currency of your choice. Use one currency for all models. */
export interface ModelPrice {
  /** Price of prompt tokens. */
  readonly inputPerMillion: number
  /** Price of generated tokens. */
  readonly outputPerMillion: number
  /** Price of prompt tokens that the server reads from its cache. Default: `inputPerMillion`. */
  readonly cachedInputPerMillion?: number
  /** Price of prompt tokens that the server writes to its cache. Default: `inputPerMillion`. */
  readonly cacheWriteInputPerMillion?: number
}

/**
 * Prices of models, by the name that the responses of the model contain. A name without a date also covers dated
 * versions of the model: prices for `gpt-5.2` also apply to `gpt-5.2-2026-01-15`.
 */
export type ModelPrices = Readonly<Record<string, ModelPrice>>

/** Amounts that a budget counts. */
export interface BudgetAmounts {
  /** Number of prompt and completion tokens. */
  readonly tokens: number
  /** Cost in the currency of the option `prices` of the runtime. */
  readonly cost: number
}

/** Stores the amounts of a {@link Budget}, for example in a database that several processes share. */
export interface BudgetStore {
  /**
   * Adds `amounts` to the stored sums atomically, and returns the new sums. The runtime passes zeros to read the sums.
   * For a daily budget, use a database row for each day. If the promise rejects, the run fails.
   */
  add(amounts: BudgetAmounts): BudgetAmounts | Promise<BudgetAmounts>
}
