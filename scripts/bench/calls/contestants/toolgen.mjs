import { answer, callTools, Runtime } from '@toolgen/runtime'
import { compiledStock } from '../generated-stock.mjs'
import { askedIn, finalText, wording } from '../stock.mjs'
import { packageVersion } from './package-version.mjs'

const { newStockLevelCall, registerCounter } = await compiledStock()

/** With the version, as the report shows it. */
export const name = `toolgen ${packageVersion('@toolgen/runtime')}`

/** Prepares an agent over the service; the function returned makes one run and resolves with its last words. */
export function prepare({ service, callsPerTurn }) {
  const planner = ({ outcomes, turn }) => {
    const asked = askedIn(turn - 1, callsPerTurn)
    if (asked.length > 0) return callTools(...asked.map((sku) => newStockLevelCall({ sku })))
    const last = outcomes.at(-1)
    return answer(last.status === 'completed' ? finalText(last.result.data) : last.hint.message)
  }
  const client = { stockLevel: async (sku) => service.stockLevel(sku) }
  const agent = registerCounter(new Runtime(), { toolsets: { stock: { client } }, planner })
  return async () => (await agent.run(wording.question)).result?.text
}
