import { createHash } from 'node:crypto'
import { arrayOf, fields, text } from '../agents/stored-outcome.js'
import { resumedAnswer } from '../call/call-request.js'
import { LEGAL_ACTIONS } from '../call/tool-failure.js'
import { payloadCodec } from '../codec/codecs.js'
import { deepEqual, equalityKey, isFields } from '../schema/json-values.js'
import { parseJson } from '../schema/parse-json.js'
import { quoted } from '../schema/wording.js'
import type { ChatFields, ChatMessage } from '../types/chat.js'
import type { Codec } from '../types/codec.js'
import type { FailureReason } from '../types/failure.js'
import type { JsonText } from '../types/json.js'
import type { ToolRequest } from '../types/layer.js'
import type { CallStop, StoredOutcome } from '../types/outcome.js'
import type { ModelRequest, ModelResponse, ResponseFormat } from '../types/planner.js'
import type { AgentToolSpec } from '../types/tool.js'
import type { Difference } from './cassette-error.js'

interface OfferedTool {
  readonly tool: string
  readonly hash: string
}

export interface RecordedModelRequest {
  readonly type: 'model'
  readonly agent: string
  readonly request: {
    readonly messages: readonly ChatMessage[]
    /** The keys are the tool names that the model receives. A comparison ignores the order of the tools. */
    readonly tools: Readonly<Record<string, OfferedTool>>
    readonly responseFormat?: ResponseFormat
    readonly fields?: ChatFields
  }
}

export interface RecordedToolCall extends OfferedTool {
  readonly type: 'tool'
  /** Absent if application code calls the tool without an agent. */
  readonly agent?: string
  readonly arguments: JsonText
  /** Answer of the approver, or the user's answers to questions of an MCP server. Absent if the call was not suspended. */
  readonly resumedWith?: unknown
}

export type RecordedRequest = RecordedModelRequest | RecordedToolCall

/**
 * In a replay, equal requests receive the recorded responses in the order of these numbers. The lines of the file have another order: the order in
 * which the responses arrived.
 */
type Numbered = { readonly asked: number }

export type ModelExchange = RecordedModelRequest &
  Numbered &
  (
    | { readonly answer: ModelResponse }
    | { readonly error: { readonly reason: FailureReason; readonly message: string } }
  )

export interface ToolExchange extends RecordedToolCall, Numbered {
  /**
   * Number (`asked`) of the last model request of the same run before this call. In a replay, this number distinguishes equal calls of parallel runs.
   */
  readonly after?: number
  readonly updates?: readonly JsonText[]
  readonly outcome: RecordedOutcome
}

export type Exchange = ModelExchange | ToolExchange

type WithoutCall<Outcome> = Outcome extends unknown ? Omit<Outcome, 'call' | 'acknowledgement'> : never

export type RecordedOutcome = WithoutCall<StoredOutcome> & { readonly stop?: CallStop }

const integer = { type: 'integer' }
const tool = { tool: text, hash: text }
const message = fields({ role: text })
// Schema of the properties that both the error of a model request and the hint of a failed call have.
const error = fields({ reason: { enum: Object.keys(LEGAL_ACTIONS) }, message: text })
const provenance = fields({ tool: text, durationMs: { type: 'number' }, attempts: integer })
const request = fields({
  messages: arrayOf(message),
  tools: { type: 'object', additionalProperties: fields(tool) },
})
const answer = fields({
  message,
  calls: arrayOf(fields({ tool: text, arguments: text }, { toolCallId: text })),
})
const outcome = {
  anyOf: [
    fields({ status: { const: 'completed' }, json: text, provenance }, { data: text }),
    // The reason of the error can be the name of a declared failure.
    fields({ status: { const: 'failed' }, error: fields({ reason: text, message: text }), hint: error, provenance }),
    fields({ status: { const: 'suspended' }, suspension: fields({ kind: text }), provenance }),
  ],
}
const model = { type: { const: 'model' }, asked: integer, agent: text, request }
const call = { type: { const: 'tool' }, asked: integer, ...tool, arguments: text, outcome }

const exchangeCodec: Codec<never, Exchange> = payloadCodec({
  schema: {
    anyOf: [
      fields({ ...model, answer }),
      fields({ ...model, error }),
      fields(call, { agent: text, after: integer, updates: arrayOf(text) }),
    ],
  },
  unknown: 'keep',
})

export function isExchange(value: unknown): value is Exchange {
  return exchangeCodec.is(value)
}

export function recordedModelRequest(request: ModelRequest): RecordedModelRequest {
  const { messages, tools, meta, responseFormat, fields } = request
  const offered = tools.map((tool) => [tool.toolName, { tool: tool.id, hash: hashOf(tool) }] as const)
  return {
    type: 'model',
    agent: meta.agent,
    request: {
      messages,
      tools: Object.fromEntries(offered),
      ...(responseFormat !== undefined && { responseFormat }),
      ...(fields !== undefined && { fields }),
    },
  }
}

export function recordedToolCall(request: ToolRequest): RecordedToolCall {
  const { tool, meta, arguments: json } = request
  const answer = resumedAnswer(request)
  return {
    type: 'tool',
    ...(meta.agent !== undefined && { agent: meta.agent }),
    tool: tool.id,
    hash: hashOf(tool),
    arguments: json,
    ...(answer !== undefined && { resumedWith: answer }),
  }
}

function hashOf({ hash, description, arguments: parameters, result, updates }: AgentToolSpec): string {
  if (hash !== '') return hash
  const contract = equalityKey([description, parameters, result, updates ?? null])
  return createHash('sha256').update(contract).digest('hex').slice(0, 16)
}

/** The key of a model request contains only the agent, the number of messages and the last message, because conversations can be long. */
export function requestKey(request: RecordedRequest): string {
  if (request.type === 'model') {
    const { messages } = request.request
    return equalityKey(['model', request.agent, messages.length, messages.at(-1) ?? null])
  }
  const { agent = null, tool, hash, resumedWith = null } = request
  return equalityKey(['tool', agent, tool, hash, argumentsOf(request), resumedWith])
}

/** The two requests must have the same {@link requestKey}. */
export function isSameRequest(recorded: RecordedRequest, now: RecordedRequest): boolean {
  return recorded.type !== 'model' || now.type !== 'model' || deepEqual(recorded.request, now.request)
}

function argumentsOf({ arguments: json }: RecordedToolCall): unknown {
  // White space and the order of properties must not affect a comparison.
  const parsed = parseJson(json)
  return parsed.ok ? parsed.value : json
}

export interface DescribedDifference {
  readonly difference: Difference
  readonly text: string
}

export function requestDifferences(recorded: RecordedRequest, now: RecordedRequest): readonly DescribedDifference[] {
  if (recorded.type === 'model' && now.type === 'model') {
    const { tools: recordedTools, ...before } = recorded.request
    const { tools, ...after } = now.request
    const names = [...new Set([...Object.keys(recordedTools), ...Object.keys(tools)])]
    const ofTools = names.flatMap((name) => toolDifferences(`tools.${name}`, recordedTools[name], tools[name], name))
    return [...ofTools, ...differences(before, after).map(described)]
  }
  if (recorded.type === 'tool' && now.type === 'tool') {
    return [...toolDifferences('tool', recorded, now), ...differences(inputOf(recorded), inputOf(now)).map(described)]
  }
  return []
}

function toolDifferences(
  path: string,
  recorded: OfferedTool | undefined,
  now: OfferedTool | undefined,
  name: string = '',
): readonly DescribedDifference[] {
  if (recorded === undefined)
    return [{ difference: { path, now }, text: `the tool ${name} was not offered in the recording` }]
  if (now === undefined) return [{ difference: { path, recorded }, text: `the tool ${name} is not offered now` }]
  if (recorded.tool !== now.tool) return [described({ path, recorded: recorded.tool, now: now.tool })]
  if (recorded.hash === now.hash) return []
  const difference = { path: `${path}.hash`, recorded: recorded.hash, now: now.hash }
  const text = `the tool ${now.tool} has changed since the recording (hash ${recorded.hash} → ${now.hash})`
  return [{ difference, text }]
}

function inputOf(call: RecordedToolCall): object {
  const { resumedWith } = call
  return { arguments: argumentsOf(call), ...(resumedWith !== undefined && { resumedWith }) }
}

function differences(recorded: unknown, now: unknown, path: string = ''): readonly Difference[] {
  if (recorded === now) return []
  const isArray = Array.isArray(recorded) && Array.isArray(now)
  if (!isArray && !(isFields(recorded) && isFields(now))) return [{ path, recorded, now }]
  const [before, after] = [new Map(Object.entries(recorded)), new Map(Object.entries(now))]
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
    const inner = isArray ? `${path}[${key}]` : fieldPath(path, key)
    if (!before.has(key)) return [{ path: inner, now: after.get(key) }]
    if (!after.has(key)) return [{ path: inner, recorded: before.get(key) }]
    return differences(before.get(key), after.get(key), inner)
  })
}

function fieldPath(path: string, key: string): string {
  if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `${path}[${JSON.stringify(key)}]`
  return path === '' ? key : `${path}.${key}`
}

const SHOWN = 80
const LEAD = 24

function described(difference: Difference): DescribedDifference {
  const { recorded, now, path } = difference
  let start = 0
  if (typeof recorded === 'string' && typeof now === 'string') {
    while (start < recorded.length && recorded[start] === now[start]) start += 1
  }
  const before = 'recorded' in difference ? shown(recorded, start) : 'nothing'
  const after = 'now' in difference ? shown(now, start) : 'nothing'
  return { difference, text: `${path}: recorded ${before} / now ${after}` }
}

function shown(value: unknown, from: number): string {
  if (typeof value !== 'string' || value.length <= SHOWN) return quoted(value, SHOWN)
  const start = from + SHOWN - LEAD > value.length ? Math.max(0, value.length - SHOWN) : Math.max(0, from - LEAD)
  const end = start + SHOWN
  return JSON.stringify(`${start > 0 ? '…' : ''}${value.slice(start, end)}${end < value.length ? '…' : ''}`)
}
