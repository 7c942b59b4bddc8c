import { StockService, skuOf } from './stock.mjs'

/** The measured runs: number of calls, calls per turn, and the aim as the ratio to the fastest of the other libraries. */
export const timedRuns = {
  'run of 1 call': { calls: 1, callsPerTurn: 1 },
  'run of 50 calls, one per turn': { calls: 50, callsPerTurn: 1, limit: 0.06 },
  'run of 50 calls, five per turn': { calls: 50, callsPerTurn: 5, limit: 0.1 },
  'run of 100 calls in one turn': { calls: 100, callsPerTurn: 100, limit: 0.1 },
}

/** The run whose memory is measured: a question, ten turns with one call each, and an answer. No strings are shared between runs. */
export const keptRun = { calls: 10, callsPerTurn: 1, uniqueStrings: true }

/** Returns a function that returns the calls of a turn (from 0), as `{ id, sku, arguments }`. After the last turn, it returns no calls. */
export function scripted({ calls, callsPerTurn, uniqueStrings = false }) {
  const numbers = Array.from({ length: calls }, (_, index) => index + 1)
  const bodies = Array.from({ length: calls / callsPerTurn }, (_, turn) =>
    JSON.stringify(numbers.slice(turn * callsPerTurn, (turn + 1) * callsPerTurn).map(callOf)),
  )
  const turns = bodies.map((body) => JSON.parse(body))
  return (turn) => (uniqueStrings && turn < bodies.length ? JSON.parse(bodies[turn]) : (turns[turn] ?? []))
}

function callOf(number) {
  const sku = skuOf(number)
  return { id: `call_${String(number).padStart(24, '0')}`, sku, arguments: JSON.stringify({ sku }) }
}

/** Returns the final answer of the scripted model after the result of the last call. */
export const finalText = ({ sku, inStock }) => `${inStock} pieces of ${sku}.`

/** Returns the results that the messages of a run must contain, in the order of the calls. */
export function expectedResults({ calls }) {
  const service = new StockService()
  return Array.from({ length: calls }, (_, index) => service.stockLevel(skuOf(index + 1)))
}
