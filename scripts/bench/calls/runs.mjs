import { deepStrictEqual } from 'node:assert'
import { expectedResults, finalText } from './script.mjs'
import { StockService } from './stock.mjs'

/** Whoever takes part: the name of its module in `contestants/`, in the order of the report. */
export const contestantFiles = ['toolgen', 'ai', 'openai-agents', 'langchain']

/** The module of a contestant. */
export const contestant = (file) => import(`./contestants/${file}.mjs`)

/** The names of all contestants, with their versions. */
export const contestantNames = () => Promise.all(contestantFiles.map(async (file) => (await contestant(file)).name))

/**
 * A contestant's own run of a kind, after one whose conversation was looked at. Every run is checked: it must make all
 * calls and end with the words that follow from the last result. Resolves with what the contestant gives back.
 */
export async function checkedRun(file, kind) {
  const { prepare, textOf, resultsOf } = await contestant(file)
  const service = new StockService()
  const results = expectedResults(kind)
  const expected = finalText(results.at(-1))
  const run = prepare({ service, kind })
  const checked = async () => {
    service.asked = 0
    const ended = await run()
    if (service.asked !== kind.calls) throw new Error(`${file} made ${service.asked} calls, not ${kind.calls}`)
    const text = textOf(ended)
    if (text !== expected) throw new Error(`${file} ended with ${JSON.stringify(text)}, not ${expected}`)
    return ended
  }
  deepStrictEqual(resultsOf(await checked()), results)
  return checked
}
