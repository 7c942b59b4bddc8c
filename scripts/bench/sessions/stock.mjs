import { Runtime, tool, toolset } from '@toolgen/runtime'

const parameters = {
  type: 'object',
  properties: { sku: { type: 'string', minLength: 1 }, shelves: { type: 'integer', minimum: 0 } },
  required: ['sku', 'shelves'],
}
const description = 'Count the pieces of an article in the warehouse.'

/** A tool that does not stream. */
const stockLevel = tool({
  name: 'stockLevel',
  description,
  parameters,
  run: async ({ sku, shelves }) => levelOf(sku, shelves),
})

/** A tool with one update. */
const countStock = tool({
  name: 'countStock',
  description,
  parameters,
  updates: { type: 'string' },
  run: async ({ sku, shelves }, { emit }) => {
    await emit(`counting ${sku}`)
    return levelOf(sku, shelves)
  },
})

/** Number of shelves in a result of 1 KB. */
export const shelvesOfOneKilobyte = 24

/** Registers the tools of all sessions. They do almost no work, so that the measurement shows the cost of sessions. */
export const boundStock = () => new Runtime().registerToolset(toolset('stock', stockLevel, countStock))

export const nonStreamingCall = (sku) => ({ tool: 'stock.stockLevel', arguments: argumentsOf(sku, 0) })

export const streamingCall = (sku, shelves = 0) => ({
  tool: 'stock.countStock',
  arguments: argumentsOf(sku, shelves),
})

/** @throws {Error} if this is not the outcome of a call for this article */
export function requireLevel(outcome, sku, shelves = 0) {
  if (outcome.status === 'completed' && outcome.json === JSON.stringify(levelOf(sku, shelves))) return
  throw new Error(`not the level of ${sku}: ${JSON.stringify(outcome)}`)
}

/** @throws {Error} if the consumed entries are not exactly the result of this call, with its update */
export function requireConsumed(consumed, callId, sku, shelves = 0) {
  const [only, ...others] = consumed
  if (only === undefined || others.length > 0) throw new Error(`${consumed.length} results were consumed, not one`)
  const { completion, updates } = only
  if (completion.callId !== callId) throw new Error(`the result of ${completion.callId} was consumed, not of ${callId}`)
  requireLevel(completion.outcome, sku, shelves)
  if (updates.map(({ update }) => update).join() !== JSON.stringify(`counting ${sku}`))
    throw new Error(`not the update of ${sku}: ${JSON.stringify(updates)}`)
}

function levelOf(sku, shelves) {
  const shelf = (_, index) => `hall 3, aisle ${index + 10}, shelf left side`
  return { sku, inStock: sku.length * 3, shelves: Array.from({ length: shelves }, shelf) }
}

function argumentsOf(sku, shelves) {
  return JSON.stringify({ sku, shelves })
}
