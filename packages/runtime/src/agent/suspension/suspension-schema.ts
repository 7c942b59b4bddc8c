import type { JsonSchema, JsonSchemaObject } from '../../contract/json.js'
import { LEGAL_ACTIONS } from '../../execute/failure/reasons.js'

const text = { type: 'string' } as const
const count = { type: 'number', minimum: 0 } as const

/** An object with these fields; others are kept as they are. */
function fields(required: JsonSchemaObject, optional: JsonSchemaObject = {}): JsonSchemaObject {
  return { type: 'object', properties: { ...required, ...optional }, required: Object.keys(required) }
}

const call = fields({ tool: text, toolCallId: text }, { parentToolCallId: text })
const kind = { enum: ['approval', 'external', 'clarification'] } as const
const asked = fields({ tool: text, path: text }, { description: text })
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

const message = fields({ role: text })

const pending = fields({ id: text, kind, agent: text, call, arguments: text }, { prompt: text })

const suspendedCall = fields(
  { tool: text, arguments: text, toolCallId: text, chatId: text, wireName: text },
  { parentToolCallId: text },
)

const callSuspension = fields(
  { version: { const: 1 }, kind, call, arguments: text },
  { prompt: text, nested: { $ref: '#' } },
)

const outcome = {
  anyOf: [
    fields({ status: { const: 'completed' }, call, provenance, json: text }, { data: text }),
    fields({
      status: { const: 'failed' },
      call,
      provenance,
      error: fields({ reason, message: text }),
      hint,
    }),
    fields({ status: { const: 'suspended' }, call, provenance, suspension: callSuspension }),
  ],
}

const progress = fields(
  {
    turns: count,
    toolCalls: count,
    refused: count,
    promptTokens: count,
    completionTokens: count,
    elapsedMs: count,
    runStart: count,
    events: count,
    // Of the reasons to end only those of hooks and layers are kept.
    stops: { type: 'array', items: fields({ reason: { const: 'stopped' }, by: text, message: text }) },
    outcomes: { type: 'array', items: outcome },
  },
  { fields: { type: 'object' } },
)

/** What a stored suspension must be, as far as the runtime relies on it. */
export const suspensionSchema: JsonSchema = {
  ...fields(
    {
      version: { const: 1 },
      id: text,
      runId: text,
      agent: text,
      kind,
      messages: { type: 'array', items: message },
      calls: { type: 'array', items: suspendedCall },
      pending: { type: 'array', items: pending },
      progress,
    },
    { question: text, fields: { type: 'array', items: asked } },
  ),
  if: { properties: { kind: { const: 'clarification' } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['question', 'fields'] },
}
