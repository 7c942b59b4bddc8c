import { deepStrictEqual } from 'node:assert'
import { Runtime, runConfig } from '@toolgen/runtime'
import { compiledStock } from './generated-stock.mjs'
import { StockService, skus } from './stock.mjs'

/** Number of layers around a call. */
export const layerCount = 10

/** Number of concurrent calls. */
export const parallelCount = 100

/** The measured workloads without runs. Each function prepares a workload and resolves with a function that runs it once. */
export const singleCalls = {
  'no listener': () => sequential({}),
  'no listener, no hints': () => sequential({ tool: 'countStock' }),
  'one sink': () => sequential({ listens: true }),
  'one sink, no hints': () => sequential({ listens: true, tool: 'countStock' }),
  'tool layers': () => sequential({ toolLayers: layerCount }),
  'agent layers': () => sequential({ agentLayers: layerCount }),
  'run layers': () => sequential({ runLayers: layerCount }),
  'creating a call': () => creating(),
  parallel: () => parallel(),
}

/** Sequential calls with alternating articles. */
async function sequential(options) {
  const { execute } = await checkedCounter(options)
  let turn = 0
  return async () => {
    turn = (turn + 1) % skus.length
    const outcome = await execute(skus[turn])
    if (outcome.status !== 'completed') throw new Error(outcome.error.message)
  }
}

/** Parallel calls. One repetition makes all of them. */
async function parallel() {
  const { execute } = await checkedCounter({})
  const requested = Array.from({ length: parallelCount }, (_, index) => skus[index % skus.length])
  return async () => {
    const outcomes = await Promise.all(requested.map(execute))
    if (!outcomes.every(({ status }) => status === 'completed')) throw new Error('a parallel call failed')
  }
}

/** Creation of a call without execution: validates and serializes the arguments. */
async function creating() {
  const { newStockLevelCall } = await compiledStock()
  let turn = 0
  let length = 0
  return async () => {
    turn = (turn + 1) % skus.length
    length += newStockLevelCall({ sku: skus[turn] }).arguments.length
    if (length === 0) throw new Error('the call has no arguments')
  }
}

/** Returns an agent whose first call was checked: the result, the layers and the listeners. */
async function checkedCounter(options) {
  const counts = { layers: 0, events: 0 }
  const { execute, service } = counterOf(await compiledStock(), options, counts)
  const [sku] = skus
  const outcome = await execute(sku)
  const { toolLayers = 0, agentLayers = 0, runLayers = 0, listens = false } = options
  deepStrictEqual(outcome.result?.data, new StockService().stockLevel(sku))
  deepStrictEqual(service.requests, 1)
  deepStrictEqual(counts, { layers: toolLayers + agentLayers + runLayers, events: listens ? 2 : 0 })
  return { execute }
}

function counterOf(stock, options, counts) {
  const { tool = 'stockLevel', listens = false, toolLayers = 0, agentLayers = 0, runLayers = 0 } = options
  const service = new StockService()
  const stockLevel = async (sku) => service.stockLevel(sku)
  const client = { stockLevel, countStock: stockLevel }
  const binding = { client, layers: (tools) => withLayers(tools, toolLayers, counts) }
  const sink = () => {
    counts.events += 1
  }
  const runtime = new Runtime({ sinks: listens ? [sink] : [] })
  const agent = withLayers(stock.registerCounter(runtime, { toolsets: { stock: binding } }), agentLayers, counts)
  const newCall = tool === 'stockLevel' ? stock.newStockLevelCall : stock.newCountStockCall
  if (runLayers === 0) return { service, execute: (sku) => agent.execute(newCall({ sku })) }
  const config = withLayers(runConfig(), runLayers, counts)
  return { service, execute: (sku) => agent.execute(newCall({ sku }), { config }) }
}

/** Adds layers that only call `next`. */
function withLayers(target, count, counts) {
  const passThrough = (next) => async (request) => {
    counts.layers += 1
    return next(request)
  }
  return Array.from({ length: count }).reduce((inner) => inner.layer(passThrough), target)
}
