import type { Redaction } from '../call/redaction.js'
import type { ToolTable } from '../call/served-tool.js'
import { LEGAL_ACTIONS } from '../call/tool-failure.js'
import type { JsonSchemaObject, JsonText } from '../types/json.js'
import type { StoredOutcome, ToolOutcome } from '../types/outcome.js'

export const text = { type: 'string' } as const

export const count = { type: 'number', minimum: 0 } as const

export function fields(required: JsonSchemaObject, optional: JsonSchemaObject = {}): JsonSchemaObject {
  return { type: 'object', properties: { ...required, ...optional }, required: Object.keys(required) }
}

export function arrayOf(items: JsonSchemaObject, minItems: number = 0): JsonSchemaObject {
  return { type: 'array', items, minItems }
}

export const callRefSchema: JsonSchemaObject = fields({ tool: text, toolCallId: text }, { parentToolCallId: text })

export const suspensionKind: JsonSchemaObject = { enum: ['approval', 'external', 'clarification', 'elicitation'] }

export const elicitationSchema: JsonSchemaObject = fields(
  {
    questions: {
      type: 'object',
      minProperties: 1,
      additionalProperties: {
        anyOf: [
          fields({ mode: { const: 'form' }, message: text, schema: { type: 'object' } }),
          fields({ mode: { const: 'url' }, message: text, url: text }),
        ],
      },
    },
  },
  { requestState: text },
)

const approval = fields({ at: count }, { by: text, edited: text, remembered: { const: true } })
const approvedArguments = fields({ arguments: text, approval }, { adapted: text })

const provenance = fields(
  { tool: text, durationMs: count, attempts: count },
  {
    ...{ children: arrayOf(callRefSchema), reads: arrayOf({ enum: ['private', 'untrusted'] }) },
    ...{ approval, denial: fields({ at: count }, { by: text }) },
  },
)

const issue = fields({ path: text, message: text })

const ofReason: Readonly<Record<string, JsonSchemaObject>> = {
  missing_fields: {
    issues: arrayOf(issue, 1),
    rejected: text,
    missing: arrayOf(fields({ path: text }, { description: text }), 1),
  },
  invalid_arguments: { issues: arrayOf(issue, 1), rejected: text },
  unknown_tool: { near: arrayOf(text) },
}

const hint = {
  anyOf: Object.entries(LEGAL_ACTIONS).map(([reason, actions]) =>
    fields(
      { reason: { const: reason }, action: { enum: actions }, message: text, tool: text, ...ofReason[reason] },
      { issues: arrayOf(issue), retryAfterMs: count, failure: text },
    ),
  ),
}

const acknowledgement = fields(
  { status: { const: 'streaming' }, callId: text, tool: text, message: text },
  { toolCallId: text },
)

/** Contains only the properties that the runtime reads. */
export const completedOutcome: JsonSchemaObject = fields(
  { status: { const: 'completed' }, call: callRefSchema, provenance, json: text },
  {
    data: text,
    content: arrayOf({
      anyOf: [
        fields({ type: { enum: ['image', 'audio', 'file'] }, mediaType: text, data: text }),
        fields({ type: { const: 'text' }, uri: text, text }),
        fields({ type: { const: 'resource_link' }, uri: text, name: text }),
      ],
    }),
    acknowledgement,
  },
)

export const failedOutcome: JsonSchemaObject = fields({
  status: { const: 'failed' },
  call: callRefSchema,
  provenance,
  // A reason, or the name of a declared failure.
  error: fields({ reason: text, message: text }),
  hint,
})

export function suspendedOutcome(nested: JsonSchemaObject): JsonSchemaObject {
  const suspension = fields(
    { version: { const: 1 }, kind: suspensionKind, call: callRefSchema, arguments: text },
    {
      adapted: text,
      prompt: text,
      approval,
      approved: arrayOf(approvedArguments),
      nested,
      elicitation: elicitationSchema,
    },
  )
  return fields({ status: { const: 'suspended' }, call: callRefSchema, provenance, suspension })
}

export function amount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0
}

export function storedOutcome(
  table: Pick<ToolTable, 'find'>,
  outcome: ToolOutcome,
  redaction?: Redaction,
): StoredOutcome {
  const { call, provenance } = outcome
  switch (outcome.status) {
    case 'completed': {
      const { status, json, content, acknowledgement } = outcome
      if (acknowledgement !== undefined) return { call, provenance, status, json, acknowledgement }
      const tool = table.find(call.tool)?.tool
      const encoded = tool?.result.encodeValue(outcome.result.data)
      const isOther = encoded?.ok && encoded.json !== json
      const parts = content !== undefined && { content }
      const hidden = (text: JsonText): JsonText => redaction?.json(text, 'state', tool?.sensitive?.result) ?? text
      return { call, provenance, status, json: hidden(json), ...(isOther && { data: hidden(encoded.json) }), ...parts }
    }
    case 'failed': {
      const { reason, message } = outcome.error
      return { call, provenance, status: 'failed', error: { reason, message }, hint: outcome.hint }
    }
    case 'suspended':
      return { call, provenance, status: 'suspended', suspension: outcome.suspension }
  }
}
