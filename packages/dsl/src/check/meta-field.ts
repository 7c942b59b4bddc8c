import { fault, kindOf, quoted } from './fault.js'
import type { FieldCheck } from './fields.js'
import { nearestName } from './nearest.js'

const metaFields: readonly string[] = ['runId', 'sessionId', 'turnId', 'toolCallId', 'parentToolCallId']

/** A field of the call's meta: one of the fixed ones, or `labels.` and a name. */
export const isMetaField: FieldCheck = (value, where) => {
  if (typeof value === 'string' && (metaFields.includes(value) || /^labels\../su.test(value))) return
  const near = typeof value === 'string' ? nearestName(value, metaFields) : undefined
  const next =
    near === undefined ? `Write one of ${metaFields.join(', ')} or labels.<name>` : `Did you mean ${quoted(near)}?`
  const got = typeof value === 'string' ? quoted(value) : kindOf(value)
  throw fault(where, `${got} is not a field of the call's meta`, next)
}
