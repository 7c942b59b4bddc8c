import type { JsonSchema } from '../../contract/json.js'
import {
  call,
  completedOutcome,
  count,
  failedOutcome,
  fields,
  suspensionKind as kind,
  suspendedOutcome,
  text,
} from './outcome-schema.js'

const asked = fields({ tool: text, path: text }, { description: text })

const message = fields({ role: text })

const pending = fields({ id: text, kind, agent: text, call, arguments: text }, { adapted: text, prompt: text })

const suspendedCall = fields(
  { tool: text, arguments: text, toolCallId: text, chatId: text, wireName: text },
  { parentToolCallId: text },
)

const outcome = { anyOf: [completedOutcome, failedOutcome, suspendedOutcome({ $ref: '#' })] }

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
    { sessionId: text, suspendedAt: count, signature: text, question: text, fields: { type: 'array', items: asked } },
  ),
  if: { properties: { kind: { const: 'clarification' } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['question', 'fields'] },
}
