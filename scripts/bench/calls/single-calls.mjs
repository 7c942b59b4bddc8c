import { deepStrictEqual } from 'node:assert'
import { Runtime, runConfig } from '@toolgen/runtime'
import { compiledStock } from './generated-stock.mjs'
import { StockService, skus } from './stock.mjs'

/** How many pass-through layers are put around a call. */
export const layerCount = 10

/** How many calls go on at once. */
export const parallelCount = 100

/** What is measured of calls outside runs: a name and what one measured piece of work is. */
export const singleCalls = {
  'no listener': () => sequential({}),
  'no listener, no hints': () => sequential({ tool: 'countStock' }),
  'one sink': () => sequential({ listens: true }),
  'one sink, no hints': () => sequential({ listens: true, tool: 'countStock' }),
  'tool layers': () => sequential({ ofTools: layerCount }),
  'agent layers': () => sequential({ ofAgent: layerCount }),
  'run layers': () => sequential({ ofRun: layerCount }),
  'building a call': () => building(),
  parallel: () => parallel(),
}

/** Calls one after the other, of alternating articles. */
async function sequential(options) {
  const { execute } = await checkedCounter(options)
  let turn = 0
  return async () => {
    turn = (turn + 1) % skus.length
    const outcome = await execute(skus[turn])
    if (outcome.status !== 'completed') throw new Error(outcome.error.message)
  }
}

/** Many calls at once; one piece of work is all of them. */
async function parallel() {
  const { execute } = await checkedCounter({})
  const asked = Array.from({ length: parallelCount }, (_, index) => skus[index % skus.length])
  return async () => {
    const outcomes = await Promise.all(asked.map(execute))
    if (!outcomes.every(({ status }) => status === 'completed')) throw new Error('a parallel call failed')
  }
}

/** What a call costs its caller before it is executed: checking the arguments and writing them. */
async function building() {
  const { newStockLevelCall } = await compiledStock()
  let turn = 0
  let length = 0
  return async () => {
    turn = (turn + 1) % skus.length
    length += newStockLevelCall({ sku: skus[turn] }).arguments.length
    if (length === 0) throw new Error('nothing was written')
  }
}

/** An agent whose first call went the whole way: the right result, through every layer, told to every listener. */
async function checkedCounter(options) {
  const seen = { layers: 0, events: 0 }
  const { execute, service } = counterOf(await compiledStock(), options, seen)
  const [sku] = skus
  const outcome = await execute(sku)
  const { ofTools = 0, ofAgent = 0, ofRun = 0, listens = false } = options
  deepStrictEqual(outcome.result?.data, new StockService().stockLevel(sku))
  deepStrictEqual(service.asked, 1)
  deepStrictEqual(seen, { layers: ofTools + ofAgent + ofRun, events: listens ? 2 : 0 })
  return { execute }
}

function counterOf(stock, { tool = 'stockLevel', listens = false, ofTools = 0, ofAgent = 0, ofRun = 0 }, seen) {
  const service = new StockService()
  const stockLevel = async (sku) => service.stockLevel(sku)
  const client = { stockLevel, countStock: stockLevel }
  const binding = { client, layers: (tools) => layered(tools, ofTools, seen) }
  const sink = () => {
    seen.events += 1
  }
  const runtime = new Runtime({ sinks: listens ? [sink] : [] })
  const agent = layered(stock.registerCounter(runtime, { toolsets: { stock: binding } }), ofAgent, seen)
  const newCall = tool === 'stockLevel' ? stock.newStockLevelCall : stock.newCountStockCall
  if (ofRun === 0) return { service, execute: (sku) => agent.execute(newCall({ sku })) }
  const options = { config: layered(runConfig(), ofRun, seen) }
  return { service, execute: (sku) => agent.execute(newCall({ sku }), options) }
}

/** What has `.layer` with so many layers that only pass the request on. */
function layered(given, count, seen) {
  const passThrough = (next) => async (request) => {
    seen.layers += 1
    return next(request)
  }
  return Array.from({ length: count }).reduce((inner) => inner.layer(passThrough), given)
}
