import { isFields } from '../schema/json-values.js'
import type { BudgetSignal } from '../types/outcome.js'
import type { BudgetAmounts, BudgetStore, ModelUsage } from '../types/token-usage.js'
import { peek, ToolFailure } from './tool-failure.js'

/** Options of {@link budget}: limits, name and store. At least one limit must be set. */
export interface BudgetOptions {
  /** Name of the budget in stop signals. Default: `budget`. */
  readonly name?: string
  /** Maximum number of prompt and completion tokens. Default: unlimited. */
  readonly maxTokens?: number
  /** Maximum cost, in the currency of the option `prices` of the runtime. Default: unlimited. */
  readonly maxCost?: number
  /** Store of the spent amounts. Default: the memory of this process. */
  readonly store?: BudgetStore
}

const NOTHING: BudgetAmounts = Object.freeze({ tokens: 0, cost: 0 })

/** Limit of tokens and money that runs, agents and sessions share. Created by {@link budget}. */
export class Budget {
  readonly name: string
  /** Maximum number of tokens. `undefined` for no limit. */
  readonly maxTokens: number | undefined
  /** Maximum cost. `undefined` for no limit. */
  readonly maxCost: number | undefined
  readonly #store: BudgetStore

  constructor({ name = 'budget', maxTokens, maxCost, store = memoryStore() }: BudgetOptions) {
    this.name = name
    this.maxTokens = maxTokens
    this.maxCost = maxCost
    this.#store = store
  }

  /** Returns the amounts spent so far. Rejects if the store fails. */
  spent(): Promise<BudgetAmounts> {
    return this.#add(NOTHING)
  }

  /** Internal: adds the usage of one response of a model. */
  async spend(usage: ModelUsage): Promise<void> {
    const [prompt, completion, cost] = [usage.promptTokens, usage.completionTokens, usage.cost].map(amountOf)
    await this.#add({ tokens: (prompt ?? 0) + (completion ?? 0), cost: cost ?? 0 })
  }

  /** Internal: returns the signal that ends a run if the budget is used up. Returns `undefined` if the budget is not used up. */
  async exhausted(): Promise<BudgetSignal | undefined> {
    const { name, maxTokens, maxCost } = this
    const { tokens, cost } = await this.spent()
    const signal = { reason: 'budget', budget: name } as const
    if (maxCost !== undefined && cost >= maxCost) return { ...signal, unit: 'cost', limit: maxCost, used: cost }
    if (maxTokens === undefined || tokens < maxTokens) return undefined
    return { ...signal, unit: 'tokens', limit: maxTokens, used: tokens }
  }

  async #add(amounts: BudgetAmounts): Promise<BudgetAmounts> {
    const sums: unknown = await this.#store.add(amounts)
    if (isFields(sums) && isAmount(sums.tokens) && isAmount(sums.cost)) return { tokens: sums.tokens, cost: sums.cost }
    throw new ToolFailure(
      `The store of the budget '${this.name}' must return the sums as numbers, for example { tokens: 0, cost: 0 }.`,
      { reason: 'internal', action: 'finish' },
    )
  }
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0
}

/** An invalid amount counts as 0, because `NaN` would disable the limits. */
function amountOf(value: unknown): number {
  return isAmount(value) && value !== Number.POSITIVE_INFINITY ? value : 0
}

function memoryStore(): BudgetStore {
  let sums = NOTHING
  return {
    add: ({ tokens, cost }) => {
      sums = { tokens: sums.tokens + tokens, cost: sums.cost + cost }
      return sums
    },
  }
}

/**
 * Creates a budget that any number of runs, agents and sessions share. For all runs of an agent, pass the budget to `useBudget`. For single
 * runs, a session or a tenant, pass the budget to `runConfig().budget(...)`. Each response of a model counts once, including responses in
 * nested runs and programs. If a limit is reached before a request to a model, the run ends with the stop reason `budget`. Each run can
 * exceed a limit by one response, because the model reports the usage only after the response. An aborted request counts only if the model
 * reports its usage.
 *
 * @throws {TypeError} if no limit is set, if a limit is negative or not a number, or if `store` is not a store.
 *
 * @example
 * const acme = budget({ name: 'acme', maxCost: 20 })
 * const run = await support.run('Where is A-1001?', { config: runConfig().budget(acme) })
 */
export function budget(options: BudgetOptions): Budget {
  const limits = ['maxTokens', 'maxCost'] as const
  if (!isFields(options) || limits.every((name) => options[name] === undefined)) {
    throw new TypeError('budget expects at least one limit, for example { maxTokens: 100_000 }.')
  }
  for (const name of limits) {
    const value: unknown = options[name]
    if (value !== undefined && !isAmount(value)) {
      throw new TypeError(`budget: ${name} is ${String(value)}. Expected a number of at least 0.`)
    }
  }
  const { name, store } = options
  if (name !== undefined && typeof name !== 'string') throw new TypeError('budget: name must be a string.')
  if (store !== undefined && typeof peek(store, 'add') !== 'function') {
    throw new TypeError('budget: store must be an object with a method `add`.')
  }
  return new Budget(options)
}

export function requireBudget(caller: string, value: Budget): Budget {
  if (value instanceof Budget) return value
  throw new TypeError(`${caller} expects a budget, for example budget({ maxTokens: 100_000 }).`)
}
