import type { Budget } from '../call/budget.js'
import { addTokens } from '../call/nested-run.js'
import { isToolFailure, peek, ToolFailure } from '../call/tool-failure.js'
import { isFields } from '../schema/json-values.js'
import type { Mutable } from '../types/json.js'
import type { BudgetSignal } from '../types/outcome.js'
import type { Decision, ModelResponse, Planner } from '../types/planner.js'
import type { ModelPrice, ModelPrices, ModelUsage } from '../types/token-usage.js'
import { requireDecision } from './decision.js'
import { amount } from './stored-outcome.js'

const PRICES: Readonly<Record<keyof ModelPrice, boolean>> = {
  inputPerMillion: true,
  outputPerMillion: true,
  cachedInputPerMillion: false,
  cacheWriteInputPerMillion: false,
}

export function requirePrices(prices: ModelPrices): ModelPrices {
  const example = "for example { 'gpt-5.2': { inputPerMillion: 1.75, outputPerMillion: 14 } }."
  if (!isFields(prices)) throw new TypeError(`\`prices\` of new Runtime must be an object, ${example}`)
  for (const [model, price] of Object.entries<unknown>(prices)) {
    if (!isFields(price)) throw new TypeError(`prices['${model}'] must be an object, ${example}`)
    for (const name of Object.keys(price)) {
      if (Object.hasOwn(PRICES, name)) continue
      throw new TypeError(
        `prices['${model}'] has the unknown property '${name}'. Expected ${Object.keys(PRICES).join(', ')}.`,
      )
    }
    for (const [name, isRequired] of Object.entries(PRICES)) {
      const value = price[name]
      if (value === undefined ? !isRequired : typeof value === 'number' && value >= 0 && value < Infinity) continue
      throw new TypeError(`prices['${model}'].${name} is ${String(value)}. Expected a number of at least 0.`)
    }
  }
  return Object.freeze({ ...prices })
}

/** Matches the date at the end of a model's version name, for example in `gpt-5.2-2026-01-15` or `claude-opus-4-5@20251101`. */
const VERSION = /[-@](\d{8}|\d{4}-\d{2}-\d{2})$/

function priceOf(prices: ModelPrices, model: string): ModelPrice | undefined {
  const name = Object.hasOwn(prices, model) ? model : model.replace(VERSION, '')
  return Object.hasOwn(prices, name) ? prices[name] : undefined
}

function costOf(usage: ModelUsage, price: ModelPrice): number {
  const {
    promptTokens,
    completionTokens,
    cachedPromptTokens: cached = 0,
    cacheWritePromptTokens: written = 0,
  } = tokensOf(usage)
  const { inputPerMillion: input, outputPerMillion: output } = price
  const { cachedInputPerMillion = input, cacheWriteInputPerMillion = input } = price
  const uncached = Math.max(0, promptTokens - cached - written)
  const total = uncached * input + cached * cachedInputPerMillion + written * cacheWriteInputPerMillion
  return (total + completionTokens * output) / 1_000_000
}

/** Replaces invalid numbers by 0, because `NaN` would disable the token limit. */
export function tokensOf(usage: ModelUsage | undefined): ModelUsage {
  const {
    promptTokens,
    completionTokens,
    cachedPromptTokens,
    cacheWritePromptTokens,
    reasoningTokens,
    cost,
  }: Partial<ModelUsage> = usage ?? {}
  const tokens: Mutable<ModelUsage> = {
    promptTokens: amount(promptTokens),
    completionTokens: amount(completionTokens),
  }
  if (cachedPromptTokens !== undefined) tokens.cachedPromptTokens = amount(cachedPromptTokens)
  if (cacheWritePromptTokens !== undefined) tokens.cacheWritePromptTokens = amount(cacheWritePromptTokens)
  if (reasoningTokens !== undefined) tokens.reasoningTokens = amount(reasoningTokens)
  if (cost !== undefined) tokens.cost = amount(cost)
  return tokens
}

type Usage = Pick<Decision, 'usage' | 'model'>

function isCost(cost: unknown): cost is number {
  return typeof cost === 'number' && cost >= 0 && cost < Number.POSITIVE_INFINITY
}

function withCost({ usage, model }: Usage, prices: ModelPrices): ModelUsage | undefined {
  if (usage === undefined || isCost(usage.cost) || typeof model !== 'string') return usage
  const price = priceOf(prices, model)
  return price === undefined ? usage : { ...usage, cost: costOf(usage, price) }
}

export function pricedPlanner(planner: Planner, prices: ModelPrices): Planner {
  return async (request) => {
    try {
      const decision = requireDecision(await planner(request))
      const usage = withCost(decision, prices)
      return usage === decision.usage || usage === undefined ? decision : { ...decision, usage }
    } catch (error) {
      const usage = usageOfError(error)
      if (usage !== undefined) {
        const model = models.get(Object(error)) ?? peek(error, 'model')
        usages.set(Object(error), withCost({ usage, ...(typeof model === 'string' && { model }) }, prices) ?? usage)
      }
      throw error
    }
  }
}

/** The usage is not a property of the error, because the runtime must not change error objects of the application. */
const usages = new WeakMap<object, ModelUsage>()

const models = new WeakMap<object, string>()

export function usageOfError(error: unknown): ModelUsage | undefined {
  const known = usages.get(Object(error))
  if (known !== undefined) return known
  return isToolFailure(error) ? (peek(error, 'usage') as ModelUsage | undefined) : undefined
}

/** Includes responses that the layer dropped. If the layer returned a usage of its own, only this usage counts. */
export function usageOfLayer(
  received: readonly Pick<ModelResponse, 'usage'>[],
  returned: ModelUsage | undefined,
): ModelUsage | undefined {
  const isOwn = returned !== undefined && !received.some(({ usage }) => usage === returned)
  const usages = received.flatMap(({ usage }) => usage ?? [])
  if (isOwn || usages.length <= 1) return returned ?? usages[0]
  return sumOf(usages)
}

/** Returns `error`. If `error` is not an object, returns a new error with `error` as the cause. */
export function withUsage(error: unknown, received: readonly Pick<ModelResponse, 'usage' | 'model'>[]): unknown {
  const own = usageOfError(error)
  const all = [...received.flatMap(({ usage }) => usage ?? []), ...(own === undefined ? [] : [own])]
  if (received.length === 0 || all.length === 0) return error
  const thrown = typeof error === 'object' && error !== null ? error : new Error(String(error), { cause: error })
  usages.set(thrown, sumOf(all))
  const model = received.findLast((each) => each.model !== undefined)?.model
  if (model !== undefined) models.set(thrown, model)
  return thrown
}

function sumOf(usages: readonly ModelUsage[]): ModelUsage {
  const sum: Mutable<ModelUsage> = { promptTokens: 0, completionTokens: 0 }
  for (const usage of usages) addTokens(sum, tokensOf(usage))
  return sum
}

/** Called only for runs with a cost limit. */
export function requireCost({ usage, model }: Usage): void {
  if (isCost(usage?.cost)) return
  // A planner without a model costs nothing.
  if (usage === undefined && model === undefined) return
  const named = model === undefined ? 'A response without the name of its model' : `A response of the model '${model}'`
  const problem =
    usage === undefined
      ? 'has no token usage. Use a driver that reports the usage.'
      : `has no price. Add the model to the prices of the runtime: new Runtime({ prices: { '${model ?? 'NAME'}': { inputPerMillion, outputPerMillion } } }).`
  const message = `${named} ${problem} Without it, the limit \`maxCost\` cannot be enforced.`
  const failure = new ToolFailure(message, { reason: 'internal', action: 'finish' })
  // The usage of the failed run includes the tokens.
  throw Object.defineProperty(failure, 'usage', { value: usage, enumerable: false })
}

/** A durable run records the decisions of this planner, so that a replay adds no usage. */
export function budgetedPlanner(planner: Planner, budgets: readonly Budget[]): Planner {
  if (budgets.length === 0) return planner
  const spend = async (usage: ModelUsage | undefined): Promise<void> => {
    if (usage !== undefined) await Promise.all(budgets.map((each) => each.spend(usage)))
  }
  return async (request) => {
    const stop = await firstExhausted(budgets)
    if (stop !== undefined) return { kind: 'stop', stop }
    let decision: Decision
    try {
      decision = requireDecision(await planner(request))
    } catch (error) {
      await spend(usageOfError(error))
      throw error
    }
    await spend(decision.usage)
    if (budgets.some(({ maxCost }) => maxCost !== undefined)) requireCost(decision)
    return decision
  }
}

async function firstExhausted(budgets: readonly Budget[]): Promise<BudgetSignal | undefined> {
  for (const each of budgets) {
    const stop = await each.exhausted()
    if (stop !== undefined) return stop
  }
  return undefined
}
