import { deepStrictEqual } from 'node:assert'
import { approval, Runtime } from '@toolgen/runtime'
import { base, budget, modelPlanner, useBudget, useGuardrails, useModel } from '@toolgen/runtime/agents'
import { FakeDriver } from './contestants/toolgen.mjs'
import { compiledClerk, compiledStock } from './generated-stock.mjs'
import { finalText, scripted } from './script.mjs'
import { StockService, skus, texts } from './stock.mjs'

/** Options of `clerkOf` by name of a feature that the measured tool does not use. Both agents of a pair have the same number of tools. */
export const unusedFeatures = {
  'none: two equal runtimes': { isControl: true },
  'sensitive fields of another tool': { customers: 'sensitive' },
  'declared failures of another tool': { customers: 'failing' },
  'confirmation of another tool': { customers: 'confirmed' },
  'approval layer for another tool': {
    layered: (agent, { writeTo }) => agent.layer(approval(writeTo, { when: () => true })),
  },
  'labels of another tool': { customers: 'labelled' },
  'guardrails of another agent': {
    other: base().with(useGuardrails({ toolCall: [{ name: 'never', check: () => ({ action: 'allow' }) }] })),
  },
  'budget of another agent': {
    options: { prices: { fake: { inputPerMillion: 1, outputPerMillion: 1 } } },
    other: base().with(useBudget(budget({ maxTokens: 1_000_000 }))),
  },
}

/**
 * Workloads with the tool. `prepare(feature)` resolves with a function that runs the workload once. `repetitions` is the number of repetitions in a
 * round of about 1 ms.
 */
export const unusedFeatureWorks = {
  'one call': { prepare: (feature) => callOf(feature, []), repetitions: 200 },
  'one call, one sink': { prepare: (feature) => callOf(feature, [() => {}]), repetitions: 150 },
  'run of 1 call': { prepare: (feature) => runOf(feature), repetitions: 20 },
}

async function callOf(feature, sinks) {
  const stock = await compiledStock()
  const service = new StockService()
  const agent = await clerkOf(stock, feature, service, sinks)
  const execute = (sku) => agent.execute(stock.newStockLevelCall({ sku }))
  const { result } = await execute(skus[0])
  deepStrictEqual(result?.data, new StockService().stockLevel(skus[0]))
  let turn = 0
  return async () => {
    turn = (turn + 1) % skus.length
    const outcome = await execute(skus[turn])
    if (outcome.status !== 'completed') throw new Error(outcome.error.message)
  }
}

async function runOf(feature) {
  const stock = await compiledStock()
  const service = new StockService()
  const driver = new FakeDriver(scripted({ calls: 1, callsPerTurn: 1 }))
  const agent = await clerkOf(stock, feature, service, [], modelPlanner(driver))
  const expected = finalText(new StockService().stockLevel(skus[0]))
  return async () => {
    driver.turn = 0
    const { result, error } = await agent.run(texts.question)
    if (result?.text !== expected) throw new Error(`the run ended with ${result?.text ?? error?.message}`)
  }
}

/**
 * Registers an agent that counts articles and can write to customers.
 *
 * @param customers toolset of the other tool
 * @param layered adds layers to the agent
 * @param other builder of a second agent of the runtime
 * @param options options of the runtime
 */
async function clerkOf(stock, feature, service, sinks, planner) {
  const { customers = 'plain', layered = (agent) => agent, other = base(), options } = feature
  const stockLevel = async (sku) => service.stockLevel(sku)
  const binding = { client: { stockLevel, countStock: stockLevel } }
  const executor = { execute: async () => ({ id: '1' }) }
  const { register, tools } = await compiledClerk(customers)
  const runtime = new Runtime({ ...options, sinks })
  const agent = other.with(useModel(new FakeDriver())).build()
  stock.registerCounter(runtime, { toolsets: { stock: binding }, agent })
  const toolsets = { stock: binding, [customers]: { executor } }
  return layered(register(runtime, { toolsets, ...(planner !== undefined && { planner }) }), tools)
}
