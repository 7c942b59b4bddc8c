import { deepStrictEqual } from 'node:assert'
import { expectedResults, finalText } from './script.mjs'
import { StockService } from './stock.mjs'

/** Names of the modules in `contestants/`, in the order of the report. The first two are toolgen. */
export const contestantFiles = ['toolgen', 'toolgen-ai-sdk', 'ai', 'ai-7', 'openai-agents', 'langchain', 'mastra']

export const contestant = (file) => import(`./contestants/${file}.mjs`)

/** Resolves with the contestants: `file`, `name` with the version, and `program` (Node executable). */
export const contestants = () =>
  Promise.all(
    contestantFiles.map(async (file) => {
      const { name, program = process.execPath } = await contestant(file)
      return { file, name, program }
    }),
  )

/**
 * Returns a function that makes one run of a contestant and resolves with the result of its library. Checks every run: it must make all calls and end
 * with the text for the last result. Also checks the messages of a first run.
 */
export async function checkedRun(file, kind) {
  const { prepare, textOf, resultsOf } = await contestant(file)
  const service = new StockService()
  const results = expectedResults(kind)
  const expected = finalText(results.at(-1))
  const run = prepare({ service, kind })
  const checked = async () => {
    service.requests = 0
    const result = await run()
    if (service.requests !== kind.calls) throw new Error(`${file} made ${service.requests} calls, not ${kind.calls}`)
    const text = textOf(result)
    if (text !== expected) throw new Error(`${file} ended with ${JSON.stringify(text)}, not ${expected}`)
    return result
  }
  deepStrictEqual(resultsOf(await checked()), results)
  return checked
}
