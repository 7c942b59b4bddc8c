import { callCount, expectedText, StockService } from './stock.mjs'

/** Whoever takes part: the name of its module in `contestants/`, in the order of the report. */
export const contestantFiles = ['toolgen', 'ai', 'openai-agents', 'langchain']

/** The module of a contestant. */
export const contestant = (file) => import(`./contestants/${file}.mjs`)

/** One whole run of a contestant; every run is checked. */
export async function wholeRun(file, callsPerTurn) {
  const service = new StockService()
  const run = (await contestant(file)).prepare({ service, callsPerTurn })
  return async () => {
    service.asked = 0
    const text = await run()
    if (service.asked !== callCount) throw new Error(`${file} made ${service.asked} calls, not ${callCount}`)
    if (text !== expectedText) throw new Error(`${file} ended with ${JSON.stringify(text)}, not ${expectedText}`)
  }
}
