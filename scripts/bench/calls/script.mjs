import { StockService, skuOf } from './stock.mjs'

/** The runs whose time is measured: how many calls one makes, and how many of them each turn asks for. */
export const timedRuns = {
  'run of 1 call': { calls: 1, callsPerTurn: 1 },
  'run of 50 calls, one a turn': { calls: 50, callsPerTurn: 1 },
  'run of 50 calls, five a turn': { calls: 50, callsPerTurn: 5 },
  'run of 100 calls in one turn': { calls: 100, callsPerTurn: 100 },
}

/** The run that is kept: a question, ten turns with a call each, an answer; no two share the texts of the model. */
export const keptRun = { calls: 10, callsPerTurn: 1, ownTexts: true }

/** What the fake models ask for in a turn, from turn 0 on: `{ id, sku, arguments }` of each call, none after the last. */
export function scripted({ calls, callsPerTurn, ownTexts = false }) {
  const numbers = Array.from({ length: calls }, (_, index) => index + 1)
  const bodies = Array.from({ length: calls / callsPerTurn }, (_, turn) =>
    JSON.stringify(numbers.slice(turn * callsPerTurn, (turn + 1) * callsPerTurn).map(callOf)),
  )
  const turns = bodies.map((body) => JSON.parse(body))
  return (turn) => (ownTexts && turn < bodies.length ? JSON.parse(bodies[turn]) : (turns[turn] ?? []))
}

function callOf(number) {
  const sku = skuOf(number)
  return { id: `call_${String(number).padStart(24, '0')}`, sku, arguments: JSON.stringify({ sku }) }
}

/** The last words of a model that is shown this result of the last call. */
export const finalText = ({ sku, inStock }) => `${inStock} pieces of ${sku}.`

/** The results that the conversation of a run must hold, in call order. */
export function expectedResults({ calls }) {
  const service = new StockService()
  return Array.from({ length: calls }, (_, index) => service.stockLevel(skuOf(index + 1)))
}
