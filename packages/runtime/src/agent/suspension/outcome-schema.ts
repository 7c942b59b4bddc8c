import type { JsonSchemaObject } from '../../contract/json.js'
import { LEGAL_ACTIONS } from '../../execute/failure/reasons.js'

export const text = { type: 'string' } as const
export const count = { type: 'number', minimum: 0 } as const

/** The schema of an object with these fields; others are kept as they are. */
export function fields(required: JsonSchemaObject, optional: JsonSchemaObject = {}): JsonSchemaObject {
  return { type: 'object', properties: { ...required, ...optional }, required: Object.keys(required) }
}

export const call: JsonSchemaObject = fields({ tool: text, toolCallId: text }, { parentToolCallId: text })
/** What a call may wait for. */
export const suspensionKind: JsonSchemaObject = { enum: ['approval', 'external', 'clarification'] }
const provenance = fields(
  { tool: text, durationMs: count, attempts: count },
  { children: { type: 'array', items: call } },
)
const reason = { enum: Object.keys(LEGAL_ACTIONS) }
const issues = { type: 'array', items: fields({ path: text, message: text }) } as const
const someIssues = { ...issues, minItems: 1 }

const lacking = { type: 'array', items: fields({ path: text }, { description: text }), minItems: 1 }

/** What planners, and the question for missing fields, read of the hint of a reason beside its message. */
function ofReason(reason: string): JsonSchemaObject {
  if (reason === 'missing_fields') return { issues: someIssues, rejected: text, missing: lacking }
  if (reason === 'invalid_arguments') return { issues: someIssues, rejected: text }
  return reason === 'unknown_tool' ? { near: { type: 'array', items: text } } : {}
}

const hint = {
  anyOf: Object.entries(LEGAL_ACTIONS).map(([reason, actions]) =>
    fields(
      { reason: { const: reason }, action: { enum: actions }, message: text, tool: text, ...ofReason(reason) },
      { issues, retryAfterMs: count },
    ),
  ),
}

const acknowledgement = fields(
  { status: { const: 'streaming' }, callId: text, tool: text, message: text },
  { toolCallId: text },
)

/** What a stored completed outcome must be, as far as the runtime relies on it. */
export const completedOutcome: JsonSchemaObject = fields(
  { status: { const: 'completed' }, call, provenance, json: text },
  { data: text, acknowledgement },
)

/** What a stored failed outcome must be. */
export const failedOutcome: JsonSchemaObject = fields({
  status: { const: 'failed' },
  call,
  provenance,
  error: fields({ reason, message: text }),
  hint,
})

/** What a stored suspended outcome must be, with the schema of the run beneath it, where that is an agent's. */
export function suspendedOutcome(nested: JsonSchemaObject): JsonSchemaObject {
  const suspension = fields(
    { version: { const: 1 }, kind: suspensionKind, call, arguments: text },
    { adapted: text, prompt: text, nested },
  )
  return fields({ status: { const: 'suspended' }, call, provenance, suspension })
}
