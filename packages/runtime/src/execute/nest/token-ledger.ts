import type { TokenUsage } from '../../contract/planner.js'

/** The tokens of a run and of the runs beneath it. What is spent here is spent above too. */
export class TokenLedger {
  #promptTokens: number
  #completionTokens: number
  readonly #limit: number | undefined
  readonly #above: TokenLedger | undefined

  /** @param limit the run's own; absent: none */
  constructor(limit: number | undefined, above: TokenLedger | undefined, begun: TokenUsage = NOTHING) {
    this.#limit = limit
    this.#above = above
    this.#promptTokens = begun.promptTokens
    this.#completionTokens = begun.completionTokens
  }

  get promptTokens(): number {
    return this.#promptTokens
  }

  get completionTokens(): number {
    return this.#completionTokens
  }

  /** Adds tokens here and to the runs above. */
  spend({ promptTokens, completionTokens }: TokenUsage): void {
    this.#promptTokens += promptTokens
    this.#completionTokens += completionTokens
    this.#above?.spend({ promptTokens, completionTokens })
  }

  /** The limit of a run above this one that is used up; `undefined` where none is. */
  spentAbove(): number | undefined {
    const above = this.#above
    return above === undefined ? undefined : (above.#spent() ?? above.spentAbove())
  }

  #spent(): number | undefined {
    const limit = this.#limit
    return limit !== undefined && this.#promptTokens + this.#completionTokens >= limit ? limit : undefined
  }
}

const NOTHING: TokenUsage = Object.freeze({ promptTokens: 0, completionTokens: 0 })
