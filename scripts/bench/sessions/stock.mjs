import { Runtime, tool, toolset } from '@toolgen/runtime'

const parameters = {
  type: 'object',
  properties: { sku: { type: 'string', minLength: 1 }, shelves: { type: 'integer', minimum: 0 } },
  required: ['sku', 'shelves'],
}
const description = 'Count the pieces of an article in the warehouse.'

/** Answers once. */
const stockLevel = tool({
  name: 'stockLevel',
  description,
  parameters,
  run: async ({ sku, shelves }) => levelOf(sku, shelves),
})

/** Says one thing on its way. */
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

/** How many shelves make a result of 1 KB. */
export const shelvesOfOneKilobyte = 24

/** The tools of every session here, without work of their own: what is measured is what is around them. */
export const boundStock = () => new Runtime().registerToolset(toolset('stock', stockLevel, countStock))

export const answeredCall = (sku) => ({ tool: 'stock.stockLevel', arguments: argumentsOf(sku, 0) })

export const streamingCall = (sku, shelves = 0) => ({
  tool: 'stock.countStock',
  arguments: argumentsOf(sku, shelves),
})

/** @throws {Error} for another outcome than the one that a call about this article has. */
export function requireLevel(outcome, sku, shelves = 0) {
  if (outcome.status === 'completed' && outcome.json === JSON.stringify(levelOf(sku, shelves))) return
  throw new Error(`not the level of ${sku}: ${JSON.stringify(outcome)}`)
}

/** @throws {Error} where this is anything else than the one result, with its update, of the call about this article. */
export function requireTaken(taken, callId, sku, shelves = 0) {
  const [only, ...others] = taken
  if (only === undefined || others.length > 0) throw new Error(`${taken.length} results were taken, not one`)
  const { completion, updates } = only
  if (completion.callId !== callId) throw new Error(`the result of ${completion.callId} was taken, not of ${callId}`)
  requireLevel(completion.outcome, sku, shelves)
  if (updates.map(({ update }) => update).join() !== JSON.stringify(`counting ${sku}`))
    throw new Error(`not the update of ${sku}: ${JSON.stringify(updates)}`)
}

function levelOf(sku, shelves) {
  const place = (_, index) => `hall 3, aisle ${index + 10}, shelf left side`
  return { sku, inStock: sku.length * 3, places: Array.from({ length: shelves }, place) }
}

function argumentsOf(sku, shelves) {
  return JSON.stringify({ sku, shelves })
}
