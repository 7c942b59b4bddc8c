import type { BoundAgent, ToolCall, ToolOutcome } from '@toolgen/runtime'
import { newGetSumCall, newTriggerLongRunningOperationCall } from '../gen/toolsets/everything/index.js'
import { newReadTextFileCall, newWriteFileCall } from '../gen/toolsets/files/index.js'

/** One step of the plan: the call, its updates and its outcome. */
export interface Step {
  readonly call: ToolCall
  readonly updates: readonly string[]
  readonly outcome: ToolOutcome
}

/**
 * A deterministic planner without a model. Its code reads each outcome and chooses the next call. The generated builders create all calls except
 * one, which has the form of a model's call.
 */
export async function* addUpInvoices(bookkeeper: BoundAgent): AsyncGenerator<Step> {
  const amounts: number[] = []
  for (const path of ['desk.txt', 'lamps.txt']) {
    const read = newReadTextFileCall({ path, tail: 1 })
    const outcome = await bookkeeper.execute(read)
    yield { call: read, updates: [], outcome }
    if (outcome.status === 'completed') amounts.push(Number(outcome.result.data.content))
  }
  const [a = 0, b = 0] = amounts

  // The codec rejects the arguments without a request to the server.
  const faulty: ToolCall = { tool: 'add', arguments: `{"a":"${a} euros","c":${b}}` }
  yield { call: faulty, updates: [], outcome: await bookkeeper.execute(faulty) }

  const add = newGetSumCall({ a, b })
  const sum = await bookkeeper.execute(add)
  yield { call: add, updates: [], outcome: sum }

  const updates: string[] = []
  const audit = newTriggerLongRunningOperationCall({ duration: 0.2, steps: 2 })
  const audited = await bookkeeper.execute(audit, { onUpdate: (update) => updates.push(update) })
  yield { call: audit, updates, outcome: audited }

  // The server declares no result schema for the tool, so the result is the text.
  const content = sum.status === 'completed' ? `${sum.result.data}\n` : ''
  const write = newWriteFileCall({ path: 'total.txt', content })
  yield { call: write, updates: [], outcome: await bookkeeper.execute(write) }
}
