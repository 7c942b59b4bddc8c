import { assistantMessage, messageText, refusalText } from '../agents/model-response.js'
import { callerFailure } from '../call/tool-failure.js'
import { withTakenMedia } from '../chat/result-content.js'
import { isFields } from '../schema/json-values.js'
import { parseJson } from '../schema/parse-json.js'
import type { ChatAssistantMessage, ChatContentPart, ChatFields, ChatMessage, ProviderData } from '../types/chat.js'
import type { MediaOptions } from '../types/content.js'
import type { JsonObject, JsonText, JsonValue } from '../types/json.js'
import type { ModelResponse } from '../types/planner.js'
import type { ModelUsage } from '../types/token-usage.js'
import type { ProjectedRequest } from './model-formats.js'
import { argumentsText, malformedArguments } from './tool-output.js'

/** Part of a user's message. */
export type TurnPart =
  | { readonly type: 'text'; readonly text: string }
  /** File with its content as base64. */
  | {
      readonly type: 'data'
      readonly mediaType: string
      readonly data: string
      readonly filename?: string
      readonly detail?: ImageDetail
    }
  /** Image at a web address. */
  | { readonly type: 'image_url'; readonly url: string; readonly detail?: ImageDetail }

/** Resolution in which OpenAI's models see an image. */
type ImageDetail = 'auto' | 'low' | 'high'

/** Call of a tool in a conversation. Its id and name contain only letters, digits, `_` and `-`. */
export interface TurnCall {
  readonly id: string
  readonly name: string
  /** Arguments as an object. Invalid arguments are the text of a property. */
  readonly input: JsonObject
}

/** Part of a conversation, in a form that drivers convert to the messages of an API. */
export type Turn =
  /** `isInstruction` is true for a system message after the beginning. Most APIs have no such messages. */
  | { readonly role: 'user'; readonly parts: readonly TurnPart[]; readonly isInstruction?: true }
  | {
      readonly role: 'assistant'
      readonly text: string
      readonly calls: readonly TurnCall[]
      /** Content that the API returned for the message. `undefined` if the message has none, or was changed since. */
      readonly content: readonly JsonValue[] | undefined
    }
  | { readonly role: 'tool'; readonly results: readonly { readonly call: TurnCall; readonly text: string }[] }

/** Conversation without the instructions, which most APIs receive in another field. */
export interface Turns {
  /** Texts of the system messages at the beginning. */
  readonly instructions: readonly string[]
  readonly turns: readonly Turn[]
}

/** Text, calls and other parts in the content of a message of an API. */
export interface ContentFacts {
  readonly text: string
  readonly calls: readonly { readonly id?: string | undefined; readonly name: string; readonly arguments: JsonText }[]
  readonly reasoning: string
  /** Text with which the model refused to answer. */
  readonly refusal?: string
  /** True if text, calls and refusal do not contain everything that later requests need. */
  readonly hasMore: boolean
}

/** Reads the content of a message of an API. */
type ReadContent = (content: readonly JsonValue[]) => ContentFacts

/**
 * Converts a conversation. Texts of system messages after the beginning become user messages.
 *
 * @throws {ToolFailure} for messages that only chat completions can contain
 */
export function turnsOf(
  messages: readonly ChatMessage[],
  media: MediaOptions | undefined,
  driver: { readonly name: string; readonly read: ReadContent },
): Turns {
  const instructions: string[] = []
  const turns: Turn[] = []
  const calls = new Map<string, TurnCall>()
  const callIds = new Set<string>()
  for (const [index, message] of withTakenMedia(messages, media).entries()) {
    const rejected = (problem: string): Error =>
      callerFailure(`The driver '${driver.name}' cannot send message ${index}: ${problem}.`)
    switch (message.role) {
      case 'system':
      case 'developer': {
        const text = textOf(message.content)
        if (turns.length === 0) instructions.push(text)
        else turns.push({ role: 'user', parts: [{ type: 'text', text }], isInstruction: true })
        break
      }
      case 'user':
        turns.push({ role: 'user', parts: partsOf(message.content, rejected) })
        break
      case 'assistant': {
        const turn = assistantTurn(message, driver, callIds, rejected)
        for (const [position, call] of turn.calls.entries()) calls.set(message.tool_calls?.[position]?.id ?? '', call)
        turns.push(turn)
        break
      }
      case 'tool': {
        const call = calls.get(message.tool_call_id)
        if (call === undefined) throw rejected(`no earlier message calls a tool with the id '${message.tool_call_id}'`)
        const result = { call, text: textOf(message.content) }
        const last = turns.at(-1)
        if (last?.role === 'tool') turns.splice(-1, 1, { role: 'tool', results: [...last.results, result] })
        else turns.push({ role: 'tool', results: [result] })
        break
      }
      case 'function':
        throw rejected('the role `function` exists only in chat completions. Use `tool_calls` and the role `tool`')
    }
  }
  return { instructions, turns }
}

function textOf(content: string | readonly { readonly text: string }[]): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('')
}

function assistantTurn(
  message: ChatAssistantMessage,
  { name, read }: { readonly name: string; readonly read: ReadContent },
  callIds: Set<string>,
  rejected: (problem: string) => Error,
): Extract<Turn, { role: 'assistant' }> {
  if ((message.function_call ?? undefined) !== undefined) {
    throw rejected('`function_call` exists only in chat completions. Use `tool_calls`')
  }
  const calls = (message.tool_calls ?? []).map((call): TurnCall => {
    if (call.type !== 'function') throw rejected('custom tools exist only in APIs of OpenAI')
    const { name, arguments: json } = call.function
    return { id: newId(plainName(call.id), callIds), name: plainName(name), input: inputOf(json) }
  })
  const text = refusalText(message) ?? messageText(message)
  const { provider_data: data } = message
  const content = data?.api === name && isUnchanged(read(data.content), text, calls) ? data.content : undefined
  return { role: 'assistant', text, calls, content }
}

/** Returns true if the content has the text and the calls of its message, which applications can change. */
function isUnchanged(facts: ContentFacts, text: string, calls: readonly TurnCall[]): boolean {
  const sent = facts.calls.map((call) => [plainName(call.name), inputOf(call.arguments)])
  const expected = calls.map(({ name, input }) => [name, input])
  return (facts.refusal ?? facts.text) === text && JSON.stringify(sent) === JSON.stringify(expected)
}

/** Replaces characters that APIs reject in names and ids of calls. Such names come from models and from other APIs. */
function plainName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || '_'
}

/** Returns an id that the conversation does not have yet. Ids of other APIs can become equal when their characters are replaced. */
function newId(id: string, used: Set<string>): string {
  let free = id
  for (let count = 2; used.has(free); count += 1) free = `${id.slice(0, 56)}_${count}`
  used.add(free)
  return free
}

/** Returns arguments as an object. Arguments that are not an object become the text of a property; an empty text means no arguments. */
export function inputOf(json: JsonText): JsonObject {
  if (json === '') return {}
  const { value } = { value: undefined, ...parseJson(json) }
  return isObject(value) ? value : { ...malformedArguments(json) }
}

function isObject(value: unknown): value is JsonObject {
  return isFields(value)
}

function partsOf(
  content: string | readonly ChatContentPart[],
  rejected: (problem: string) => Error,
): readonly TurnPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content.map((part): TurnPart => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    if (part.type === 'image_url') {
      const { url, detail } = part.image_url
      const image = dataOf(url) ?? { type: 'image_url' as const, url }
      return detail === undefined ? image : { ...image, detail }
    }
    if (part.type === 'input_audio') {
      const { data, format } = part.input_audio
      return { type: 'data', mediaType: format === 'mp3' ? 'audio/mpeg' : `audio/${format}`, data }
    }
    const { file_data: data, filename } = part.file
    if (data === undefined) throw rejected('an id of an uploaded file is valid only for its provider. Send `file_data`')
    const file = dataOf(data) ?? { type: 'data', mediaType: 'application/pdf', data }
    return filename === undefined ? file : { ...file, filename }
  })
}

function dataOf(url: string): Extract<TurnPart, { type: 'data' }> | undefined {
  const [, mediaType, data] = /^data:([^;,]+)[^,]*;base64,(.*)$/s.exec(url) ?? []
  return mediaType === undefined || data === undefined ? undefined : { type: 'data', mediaType, data }
}

/** Response of an API. */
export interface NativeAnswer {
  /** Parts of the message, as plain JSON. */
  readonly content: readonly JsonValue[]
  /** Reason why the model stopped, in the words of chat completions. */
  readonly finishReason: string | undefined
  /** Text with which the model refused to answer, if it is not part of the content. */
  readonly refusal?: string | undefined
  readonly usage: ModelUsage | undefined
  readonly model: string | undefined
  readonly warnings?: readonly string[]
}

/**
 * Converts the response of an API. Keeps its content in `provider_data` if a chat message cannot express it.
 *
 * @param position number of messages in the request; used for new call ids
 */
export function nativeResponse(
  { content, finishReason, refusal, usage, model, warnings = [] }: NativeAnswer,
  position: number,
  driver: { readonly name: string; readonly read: ReadContent },
  { format, restoreArguments }: Pick<ProjectedRequest<unknown>, 'format' | 'restoreArguments'>,
): ModelResponse {
  const facts = driver.read(content)
  const refused = facts.refusal ?? refusal
  const data: ProviderData = {
    api: driver.name,
    ...(facts.reasoning !== '' && { reasoning: facts.reasoning }),
    content,
  }
  const requested = facts.calls.map(({ id, name, arguments: json }) => {
    return { id, type: 'function', function: { name, arguments: sentArguments(json, finishReason) } }
  })
  const message = assistantMessage(
    {
      role: 'assistant',
      content: facts.text === '' && (facts.calls.length > 0 || refused !== undefined) ? null : facts.text,
      ...(refused !== undefined && { refusal: refused }),
      tool_calls: requested,
      ...(facts.hasMore && { provider_data: data }),
    },
    position,
  )
  const calls = requested.map(({ function: { name, arguments: json } }, index) => {
    const toolCallId = message.tool_calls?.[index]?.id ?? ''
    return { tool: name, arguments: restoreArguments(name, json), toolCallId }
  })
  return {
    message,
    calls,
    ...(format !== undefined && calls.length === 0 && { output: format.restore(facts.text) }),
    ...(finishReason !== undefined && { finishReason }),
    ...(usage !== undefined && { usage }),
    ...(model !== undefined && { model }),
    ...(warnings.length > 0 && { warnings }),
  }
}

/**
 * Returns the arguments of a call as a model has sent them. Some servers send an empty string if there are no arguments. If the token limit
 * was reached, the empty string is an incomplete call.
 */
export function sentArguments(json: JsonText, finishReason: string | undefined): JsonText {
  return json === '' && finishReason !== 'length' ? '{}' : json
}

/** Returns the arguments of a call from its input in an API. */
export function jsonOfInput(input: unknown): JsonText {
  return typeof input === 'string' ? input : argumentsText(input)
}

/** Returns the usage of a response; `undefined` if the totals are not numbers. Omits details that are not numbers. */
export function tokenUsage(
  counts: Readonly<Record<Exclude<keyof ModelUsage, 'cost'>, unknown>>,
): ModelUsage | undefined {
  const { promptTokens, completionTokens, cachedPromptTokens, cacheWritePromptTokens, reasoningTokens } = counts
  if (!isCount(promptTokens) || !isCount(completionTokens)) return undefined
  return {
    promptTokens,
    completionTokens,
    ...(isCount(cachedPromptTokens) && { cachedPromptTokens }),
    ...(isCount(cacheWritePromptTokens) && { cacheWritePromptTokens }),
    ...(isCount(reasoningTokens) && { reasoningTokens }),
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

/** For each field of a chat request: its name in an API, or a function that returns the fields of the API. */
type FieldNames = Readonly<Record<string, string | ((value: unknown) => Readonly<Record<string, unknown>>)>>

/** Fields of a chat request in the form of an API, and a warning for each field that the API does not have. */
interface RunFields {
  readonly fields: Readonly<Record<string, unknown>>
  readonly warnings: readonly string[]
}

/** Converts the fields of a chat request that started a run. */
export function runFields(fields: ChatFields | undefined, driver: string, names: FieldNames): RunFields {
  const converted: Record<string, unknown> = {}
  const warnings: string[] = []
  for (const [field, value] of Object.entries(fields ?? {})) {
    if (value === undefined || NEVER_SENT.has(field)) continue
    const name = Object.hasOwn(names, field) ? names[field] : undefined
    if (name === undefined) warnings.push(`The driver '${driver}' does not send the field \`${field}\`.`)
    else if (typeof name === 'string') converted[name] = value
    else Object.assign(converted, name(value))
  }
  return { fields: converted, warnings }
}

/** Fields of streaming and of several choices, which no driver takes from a run. */
const NEVER_SENT: ReadonlySet<string> = new Set(['messages', 'n', 'stream', 'stream_options'])
