import type { BoundAgent, ToolCall, ToolOutcome } from '@toolgen/runtime'
import { newGetSumCall, newTriggerLongRunningOperationCall } from '../gen/toolsets/everything/index.js'
import { newReadTextFileCall, newWriteFileCall } from '../gen/toolsets/files/index.js'

/** What one step of the plan asked for, what was told meanwhile and what came of it. */
export interface Step {
  readonly call: ToolCall
  readonly updates: readonly string[]
  readonly outcome: ToolOutcome
}

/**
 * A deterministic planner: no model, only code that reads each outcome and decides the next call. The calls come from the
 * generated builders, but for one, which is written as a model might send it.
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

  // The codec finds the faults: the server is not asked.
  const faulty: ToolCall = { tool: 'add', arguments: `{"a":"${a} euros","c":${b}}` }
  yield { call: faulty, updates: [], outcome: await bookkeeper.execute(faulty) }

  const add = newGetSumCall({ a, b })
  const sum = await bookkeeper.execute(add)
  yield { call: add, updates: [], outcome: sum }

  const updates: string[] = []
  const audit = newTriggerLongRunningOperationCall({ duration: 0.2, steps: 2 })
  const audited = await bookkeeper.execute(audit, { onUpdate: (update) => updates.push(update) })
  yield { call: audit, updates, outcome: audited }

  // The server declares no schema for a sum: its text is the result.
  const content = sum.status === 'completed' ? `${sum.result.data}\n` : ''
  const write = newWriteFileCall({ path: 'total.txt', content })
  yield { call: write, updates: [], outcome: await bookkeeper.execute(write) }
}
