import {
  completedOutcome,
  count,
  failedOutcome,
  fields,
  suspendedOutcome,
  text,
} from '../agent/suspension/outcome-schema.js'
import type { JsonSchema } from '../contract/json.js'

const texts = { type: 'array', items: text } as const
const sequence = { type: 'integer', minimum: 0 } as const

const flag = { type: 'boolean' } as const
const named = { name: text, call_id: text, is_async: flag, is_run: flag } as const

const completedCall = fields({
  metadata: fields(
    { ...named, sequence },
    { id: text, dropped_updates: count, timed_out: { const: true }, dropped_bytes: count },
  ),
  result: {
    anyOf: [
      fields({ Ok: completedOutcome }),
      // A run beneath is read when it is resumed.
      fields({ Err: { anyOf: [failedOutcome, suspendedOutcome({ type: 'object' })] } }),
    ],
  },
})

const update = fields({ ...named, sequence, index: count, update: text }, { id: text })

const runningCall = fields({ ...named, started_at: count }, { id: text, dropped_updates: count })

/** Schema of the column `tool_results`, as far as a session relies on it. */
export const documentSchema: JsonSchema = fields(
  {
    version: { enum: [1, 2] },
    namespaces: texts,
    available_tools: texts,
    completed_calls: { type: 'array', items: completedCall },
    updates: { type: 'array', items: update },
    running_calls: { type: 'array', items: runningCall },
    next_sequence: sequence,
  },
  { entry_sequences: { type: 'array', items: sequence } },
)

/** Schema of an entry that has a row of its own. */
export const entrySchema: JsonSchema = { anyOf: [completedCall, update] }
