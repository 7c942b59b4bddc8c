/** How many calls each run makes. */
export const callCount = 50

/** What the fake models ask for: the arguments of each call, and how many of them in each turn. */
export const skus = Array.from({ length: callCount }, (_, index) => `SKU-${index + 1}`)

/** The two kinds of runs by the calls that a turn asks for. */
export const runKinds = { 'one call a turn': 1, 'five calls a turn': 5 }

/** The arguments of the calls that a turn asks for, from turn 0 on; none after the last call. */
export const askedIn = (turn, callsPerTurn) => skus.slice(turn * callsPerTurn, (turn + 1) * callsPerTurn)

/** The service behind the tool of every contestant; counts how often it is asked. */
export class StockService {
  asked = 0

  stockLevel(sku) {
    this.asked += 1
    return { sku, inStock: Number(sku.slice('SKU-'.length)) * 3, checkedAt: '2026-11-02T09:15:00Z' }
  }
}

/** The last words of a model that has seen the result of the last call. */
export const finalText = ({ sku, inStock }) => `${inStock} pieces of ${sku}.`

/** The words that a run must end with. */
export const expectedText = finalText(new StockService().stockLevel(skus.at(-1)))

/** What models are told of the tool. */
export const wording = {
  instructions: 'Count the articles that you are asked for.',
  question: `How many pieces are there of ${skus.at(-1)}?`,
  tool: 'stockLevel',
  description: 'Count the pieces of an article in the warehouse.',
}
