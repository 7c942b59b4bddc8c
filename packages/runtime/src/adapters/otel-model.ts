import { type Attributes, type Meter, SpanKind } from '@opentelemetry/api'
import { peek } from '../call/tool-failure.js'
import { parseJson } from '../schema/parse-json.js'
import type { ChatMessage } from '../types/chat.js'
import type { JsonValue } from '../types/json.js'
import type { ModelRequest, ModelResponse, TracedModelCall } from '../types/planner.js'
import type { ModelUsage } from '../types/token-usage.js'
import type { AgentToolSpec } from '../types/tool.js'
import { bounded, MAX_LENGTH, present, type SpanEnd, type SpanStart } from './otel-attributes.js'
import { durations } from './otel-sessions.js'

/** Upper bounds of histogram buckets, in seconds, from the OpenTelemetry conventions. */
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]

const TOKENS = [
  ['promptTokens', 'usage.input_tokens', 'Tokens in requests to models.'],
  ['completionTokens', 'usage.output_tokens', 'Tokens that models generated.'],
  ['cachedPromptTokens', 'usage.cache_read.input_tokens', 'Prompt tokens that servers read from their caches.'],
  ['cacheWritePromptTokens', 'usage.cache_write.input_tokens', 'Prompt tokens that servers wrote to their caches.'],
  ['reasoningTokens', 'usage.reasoning.output_tokens', 'Generated tokens that models used for their reasoning.'],
] as const satisfies readonly (readonly [keyof ModelUsage, string, string])[]

export function modelInstruments(
  meter: Meter,
): (call: TracedModelCall, durationMs: number, response?: ModelResponse, reason?: string) => void {
  const name = (end: string): string => `gen_ai.client.inference.${end}`
  const duration = durations(meter, name('duration'), 'The duration of a single request to a model.', SECONDS)
  const counters = TOKENS.map(([field, end, description]) => {
    return { field, counter: meter.createCounter(name(end), { unit: '{token}', description }) }
  })
  return (call, durationMs, response, reason) => {
    const subject = present({
      ...subjectOf(call),
      'gen_ai.response.model': response?.model && bounded(response.model, MAX_LENGTH.name),
      'error.type': reason,
    })
    duration(durationMs, subject)
    for (const { field, counter } of counters) {
      const tokens = response?.usage?.[field] ?? 0
      if (tokens > 0) counter.add(tokens, subject)
    }
  }
}

function subjectOf({ provider, model }: TracedModelCall): Attributes {
  return { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': provider, 'gen_ai.request.model': model }
}

export function modelStart(call: TracedModelCall, captureContent: boolean): SpanStart {
  const { model, request } = call
  const { meta, fields, responseFormat, tools } = request
  const field = (name: string): number | undefined => {
    const value = fields?.[name]
    return typeof value === 'number' ? value : undefined
  }
  return {
    name: model === undefined ? 'chat' : `chat ${model}`,
    kind: SpanKind.CLIENT,
    attributes: present({
      ...subjectOf(call),
      'gen_ai.agent.name': meta.agent,
      'gen_ai.conversation.id': meta.sessionId,
      'toolgen.run.id': meta.runId,
      'toolgen.turn.id': meta.turnId,
      'gen_ai.output.type': responseFormat && 'json',
      'gen_ai.request.max_tokens': field('max_completion_tokens') ?? field('max_tokens'),
      'gen_ai.request.temperature': field('temperature'),
      'gen_ai.request.top_p': field('top_p'),
      'gen_ai.request.seed': field('seed'),
      'gen_ai.request.frequency_penalty': field('frequency_penalty'),
      'gen_ai.request.presence_penalty': field('presence_penalty'),
      'gen_ai.tool.definitions': tools.length === 0 ? undefined : definitionsOf(tools, captureContent),
      ...(captureContent && inputOf(request)),
    }),
  }
}

/** Finish reason of chat completions → finish reason in the OpenTelemetry conventions. Contains only reasons with different names. */
const FINISH_REASONS: ReadonlyMap<string | undefined, string> = new Map([
  ['tool_calls', 'tool_call'],
  [undefined, 'stop'],
])

export function modelEnd(response: ModelResponse, captureContent: boolean): SpanEnd {
  const { message, finishReason, model, id, timeToFirstChunkMs, usage } = response
  const tokens = TOKENS.map(([field, end]) => [`gen_ai.${end}`, usage?.[field]] as const)
  return {
    attributes: present({
      'gen_ai.response.id': id && bounded(id),
      'gen_ai.response.model': model && bounded(model, MAX_LENGTH.name),
      'gen_ai.response.time_to_first_chunk': timeToFirstChunkMs === undefined ? undefined : timeToFirstChunkMs / 1_000,
      'gen_ai.response.finish_reasons':
        finishReason === undefined ? undefined : [bounded(finishReason, MAX_LENGTH.name)],
      ...Object.fromEntries(tokens),
      'gen_ai.output.messages': captureContent
        ? JSON.stringify([{ ...messageOf(message), finish_reason: FINISH_REASONS.get(finishReason) ?? finishReason }])
        : undefined,
    }),
  }
}

/** Without `captureContent`, contains only names, because the definitions are large and each request repeats them. */
function definitionsOf(tools: readonly AgentToolSpec[], captureContent: boolean): string {
  return JSON.stringify(
    tools.map(({ toolName: name, description, arguments: parameters }) => ({
      ...{ type: 'function', name },
      ...(captureContent && { description: bounded(description), parameters }),
    })),
  )
}

/** In characters, for all messages in a span. If the conversation is longer, the span omits the oldest messages. */
const MAX_MESSAGES = 65_536

function inputOf({ messages }: ModelRequest): Attributes {
  const start = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const conversation = start === -1 ? [] : messages.slice(start)
  const instructions = messages.slice(0, messages.length - conversation.length).flatMap(partsOf)
  const kept: string[] = []
  let length = 0
  for (const message of conversation.toReversed()) {
    const text = JSON.stringify(messageOf(message))
    length += text.length
    if (length > MAX_MESSAGES && kept.length > 0) break
    kept.unshift(text)
  }
  return {
    'gen_ai.system_instructions': instructions.length === 0 ? undefined : JSON.stringify(instructions),
    'gen_ai.input.messages': `[${kept.join()}]`,
    'toolgen.model.omitted_messages': conversation.length - kept.length || undefined,
  }
}

type Part = Readonly<Record<string, JsonValue | undefined>> & { readonly type: string }

function messageOf(message: ChatMessage): { readonly role: string; readonly parts: readonly Part[] } {
  return { role: message.role === 'function' ? 'tool' : message.role, parts: partsOf(message) }
}

function partsOf(message: ChatMessage): readonly Part[] {
  if (message.role === 'tool') {
    const text =
      typeof message.content === 'string' ? message.content : message.content.map((part) => part.text).join('')
    return [{ type: 'tool_call_response', id: message.tool_call_id, response: jsonOf(text) }]
  }
  const { content } = message
  const parts: Part[] = []
  const reasoning = message.role === 'assistant' ? message.provider_data?.reasoning : undefined
  if (reasoning !== undefined) parts.push({ type: 'reasoning', content: bounded(reasoning) })
  if (typeof content === 'string') parts.push(textPart(content))
  else if (Array.isArray(content)) parts.push(...content.map(contentPart))
  if (message.role !== 'assistant') return parts
  if (typeof message.refusal === 'string') parts.push(textPart(message.refusal))
  for (const call of message.tool_calls ?? []) {
    const { name, input } =
      call.type === 'custom' ? call.custom : { name: call.function.name, input: call.function.arguments }
    parts.push({ type: 'tool_call', id: call.id, name, arguments: jsonOf(input) })
  }
  return parts
}

function jsonOf(text: string): JsonValue {
  const parsed = text.length > MAX_LENGTH.text ? undefined : parseJson(text)
  return parsed?.ok === true ? (parsed.value as JsonValue) : bounded(text)
}

function textPart(text: string): Part {
  return { type: 'text', content: bounded(text) }
}

function contentPart(part: { readonly type: string }): Part {
  const text = peek(part, part.type)
  if (typeof text === 'string') return textPart(text)
  const url = peek(text, 'url')
  if (typeof url === 'string' && !url.startsWith('data:')) return { type: 'uri', modality: 'image', uri: bounded(url) }
  const data = url ?? peek(text, 'data') ?? peek(text, 'file_data')
  const size = typeof data === 'string' ? { size_chars: data.length } : {}
  return { type: part.type, ...size }
}
