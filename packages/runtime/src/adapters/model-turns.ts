import { messageText, refusalText, uniqueCallIds } from '../agents/model-response.js'
import { callerFailure, peek } from '../call/tool-failure.js'
import { withTakenMedia } from '../chat/result-content.js'
import { isFields } from '../schema/json-values.js'
import { parseJson } from '../schema/parse-json.js'
import { bytesText } from '../schema/typed-values.js'
import type {
  ChatAssistantMessage,
  ChatContentPart,
  ChatFields,
  ChatFunctionToolCall,
  ChatMessage,
  ChatToolCall,
  ProviderData,
} from '../types/chat.js'
import type { MediaOptions } from '../types/content.js'
import type { JsonObject, JsonText, JsonValue, Mutable } from '../types/json.js'
import type { ModelRequest, ModelResponse, RunMeta } from '../types/planner.js'
import type { ModelUsage } from '../types/token-usage.js'
import type { ProjectedRequest } from './model-formats.js'
import { argumentsText, malformedArguments } from './tool-output.js'

export type TurnPart =
  | { readonly type: 'text'; readonly text: string }
  /** `data` is base64. */
  | {
      readonly type: 'data'
      readonly mediaType: string
      readonly data: string
      readonly filename?: string
      readonly detail?: ImageDetail
    }
  | { readonly type: 'image_url'; readonly url: string; readonly detail?: ImageDetail }

type ImageDetail = 'auto' | 'low' | 'high'

/** The id and the tool name contain only letters, digits, `_` and `-`, because APIs reject other characters. */
export interface TurnCall {
  readonly id: string
  readonly name: string
  readonly input: JsonObject
}

interface ToolResult {
  readonly call: TurnCall
  readonly text: string
}

/** The results of all calls in one assistant message form one turn. */
export type Turn =
  /**
   * A system message in the middle of the conversation also becomes a turn of the user, with `isInstruction`, because most APIs do not support such
   * system messages.
   */
  | { readonly role: 'user'; readonly parts: readonly TurnPart[]; readonly isInstruction?: true }
  | {
      readonly role: 'assistant'
      readonly text: string
      readonly calls: readonly TurnCall[]
      /** Content in the format of the API. `undefined` if another API created the message, or if the application has changed the message. */
      readonly content: readonly JsonValue[] | undefined
    }
  | { readonly role: 'tool'; readonly results: readonly ToolResult[] }

export interface ContentFacts {
  readonly text: string
  readonly calls: readonly { readonly id?: string | undefined; readonly name: string; readonly arguments: JsonText }[]
  readonly reasoning: string
  readonly refusal?: string
  /** True if the content has data that the other properties cannot represent and that later requests need, for example the signature of reasoning. */
  readonly hasMore: boolean
}

type ReadContent = (content: readonly JsonValue[]) => ContentFacts

interface Dialect {
  readonly name: string
  readonly read: ReadContent
}

/** May replace the last element of `messages`, but must not change the message objects, because earlier requests contain the same objects. */
type AddTurn<Message> = (messages: Message[], turn: Turn) => void

/** Most APIs receive the instructions in a separate field. */
interface Converted<Message> {
  readonly instructions: readonly string[]
  readonly messages: Message[]
}

/**
 * Each request of a run contains all earlier messages. The converter therefore stores the converted messages of each run, and converts only new
 * messages. If a message is not frozen, the application can change it, so the converter then converts the whole conversation for each request.
 */
export class TurnConverter<Message> {
  readonly #driver: Dialect
  readonly #media: MediaOptions | undefined
  /** All requests of a run have the same `meta` object. */
  readonly #runs = new WeakMap<RunMeta, Conversion<Message>>()

  constructor(driver: Dialect, media: MediaOptions | undefined) {
    this.#driver = driver
    this.#media = media
  }

  /** @throws {ToolFailure} for a message that only the chat completions API supports */
  convert({ messages, meta }: Pick<ModelRequest, 'messages' | 'meta'>, add: AddTurn<Message>): Converted<Message> {
    let conversion = this.#runs.get(meta)
    if (conversion?.startsLike(messages) !== true) {
      conversion = new Conversion<Message>(this.#driver, this.#media)
      this.#runs.set(meta, conversion)
    }
    try {
      conversion.continue(messages, add)
    } catch (error) {
      this.#runs.delete(meta)
      throw error
    }
    return { instructions: [...conversion.instructions], messages: [...conversion.messages] }
  }

  /** Without this method, the memory of the converted messages would be free only after a full garbage collection. */
  release(meta: RunMeta): void {
    this.#runs.delete(meta)
  }
}

class Conversion<Message> {
  readonly instructions: string[] = []
  readonly messages: Message[] = []
  /** True if all converted messages are frozen, so that the application cannot change them. If false, the stored messages are not reused. */
  #isFinal = true
  readonly #driver: Dialect
  readonly #media: MediaOptions | undefined
  readonly #converted: ChatMessage[] = []
  readonly #calls = new Map<string, TurnCall>()
  readonly #callIds = new Set<string>()
  #isStarted = false
  /** Index of the first message of the current turn. */
  #position = 0

  constructor(driver: Dialect, media: MediaOptions | undefined) {
    this.#driver = driver
    this.#media = media
  }

  startsLike(messages: readonly ChatMessage[]): boolean {
    const converted = this.#converted
    if (!this.#isFinal) return false
    for (let index = 0; index < converted.length; index += 1) if (converted[index] !== messages[index]) return false
    // The results of a step are one turn.
    return converted.at(-1)?.role !== 'tool' || messages[converted.length]?.role !== 'tool'
  }

  continue(messages: readonly ChatMessage[], add: AddTurn<Message>): void {
    const converted = this.#converted
    while (converted.length < messages.length) {
      this.#position = converted.length
      const turn = this.#turnOf(messages)
      if (turn === undefined) continue
      this.#isStarted = true
      add(this.messages, turn)
    }
  }

  #rejected(problem: string): Error {
    return callerFailure(`The driver '${this.#driver.name}' cannot send message ${this.#position}: ${problem}.`)
  }

  #take(message: ChatMessage): void {
    this.#converted.push(message)
    this.#isFinal &&= Object.isFrozen(message)
  }

  #turnOf(messages: readonly ChatMessage[]): Turn | undefined {
    const original = messages[this.#position] as ChatMessage
    const message = withTakenMedia(original, this.#media)
    if (message.role === 'tool') return { role: 'tool', results: this.#resultsOf(messages) }
    this.#take(original)
    switch (message.role) {
      case 'system':
      case 'developer': {
        const text = textOf(message.content)
        if (this.#isStarted) return { role: 'user', parts: [{ type: 'text', text }], isInstruction: true }
        this.instructions.push(text)
        return undefined
      }
      case 'user':
        return { role: 'user', parts: partsOf(message.content, (problem) => this.#rejected(problem)) }
      case 'assistant':
        return this.#assistantTurn(message)
      case 'function':
        throw this.#rejected(
          'the role `function` exists only in chat completions. Use `tool_calls` and the role `tool`',
        )
    }
  }

  #assistantTurn(message: ChatAssistantMessage): Turn {
    if ((message.function_call ?? undefined) !== undefined) {
      throw this.#rejected('`function_call` exists only in chat completions. Use `tool_calls`')
    }
    const { name, read } = this.#driver
    const calls = (message.tool_calls ?? []).map((call) => this.#callOf(call))
    const text = refusalText(message) ?? messageText(message)
    const { provider_data: data } = message
    const content = data?.api === name && isUnchanged(read(data.content), text, calls) ? data.content : undefined
    return { role: 'assistant', text, calls, content }
  }

  #callOf(call: ChatToolCall): TurnCall {
    if (call.type !== 'function') throw this.#rejected('custom tools exist only in APIs of OpenAI')
    const { name, arguments: json } = call.function
    const converted = { id: newId(plainName(call.id), this.#callIds), name: plainName(name), input: inputOf(json) }
    this.#calls.set(call.id, converted)
    return converted
  }

  #resultsOf(messages: readonly ChatMessage[]): ToolResult[] {
    const results: ToolResult[] = []
    for (;;) {
      const message = messages[this.#converted.length]
      if (message?.role !== 'tool') return results
      const { tool_call_id: id, content } = message
      const call = this.#calls.get(id)
      if (call === undefined) throw this.#rejected(`no earlier message calls a tool with the id '${id}'`)
      results.push({ call, text: textOf(content) })
      this.#take(message)
    }
  }
}

function textOf(content: string | readonly { readonly text: string }[]): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('')
}

/** The application can change a message after the response, and the driver must then send the changed message. */
function isUnchanged(facts: ContentFacts, text: string, calls: readonly TurnCall[]): boolean {
  const sent = facts.calls.map((call) => [plainName(call.name), inputOf(call.arguments)])
  const expected = calls.map(({ name, input }) => [name, input])
  return (facts.refusal ?? facts.text) === text && JSON.stringify(sent) === JSON.stringify(expected)
}

const PLAIN_NAME = /^[a-zA-Z0-9_-]{1,64}$/

/** Names and ids of calls can come from models and from other APIs, and can contain characters that APIs reject. */
function plainName(name: string): string {
  return PLAIN_NAME.test(name) ? name : name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || '_'
}

/** Different ids can become equal when {@link plainName} replaces characters. */
function newId(id: string, used: Set<string>): string {
  let free = id
  for (let count = 2; used.has(free); count += 1) free = `${id.slice(0, 56)}_${count}`
  used.add(free)
  return free
}

export function inputOf(json: JsonText): JsonObject {
  if (json === '') return {}
  const parsed = parseJson(json)
  return parsed.ok && isObject(parsed.value) ? parsed.value : { ...malformedArguments(json) }
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
      const image = dataOf(url, rejected) ?? { type: 'image_url' as const, url }
      return detail === undefined ? image : { ...image, detail }
    }
    if (part.type === 'input_audio') {
      const { data, format } = part.input_audio
      return { type: 'data', mediaType: format === 'mp3' ? 'audio/mpeg' : `audio/${format}`, data }
    }
    const { file_data: data, filename } = part.file
    if (data === undefined) throw rejected('an id of an uploaded file is valid only for its provider. Send `file_data`')
    const file = dataOf(data, rejected) ?? { type: 'data', mediaType: 'application/pdf', data }
    return filename === undefined ? file : { ...file, filename }
  })
}

/** Some drivers decode the base64 of these texts. */
const TEXT = /^text\/|^application\/json$/

/** Returns `undefined` for a string that is not a data URL. */
function dataOf(
  url: string,
  rejected: (problem: string) => Error,
): Extract<TurnPart, { readonly type: 'data' }> | undefined {
  if (!/^data:/i.test(url)) return undefined
  const malformed = (): Error =>
    rejected('the data URL of a file is malformed. Send base64, for example `data:text/plain;base64,SGVsbG8=`')
  // Only the start is split, because the data can be long.
  const comma = url.indexOf(',')
  if (comma < 0) throw malformed()
  const [type, ...parameters] = url.slice('data:'.length, comma).toLowerCase().split(/; */)
  const mediaType = type || 'text/plain'
  const isBase64 = parameters.at(-1) === 'base64'
  const text = url.slice(comma + 1)
  try {
    if (isBase64 && TEXT.test(mediaType)) atob(text)
    const data = isBase64 ? text : bytesText(new TextEncoder().encode(decodeURIComponent(text)))
    return { type: 'data', mediaType, data }
  } catch {
    throw malformed()
  }
}

/** File extensions that equal the subtype of their media type. */
const IMAGE_EXTENSIONS: readonly string[] = ['gif', 'png', 'webp', 'bmp', 'heic', 'heif']

/** Guesses the media type of an image from its address, for APIs that load the image but require a type. */
export function imageType(url: string): string {
  const [, extension = ''] = /\.([a-z]+)(?:[?#]|$)/i.exec(url) ?? []
  const name = extension.toLowerCase()
  return `image/${IMAGE_EXTENSIONS.includes(name) ? name : 'jpeg'}`
}

export interface NativeAnswer {
  readonly content: readonly JsonValue[]
  /** A value of `finish_reason` in chat completions. */
  readonly finishReason: string | undefined
  /** Omitted if `content` already contains the text of the refusal. */
  readonly refusal?: string | undefined
  readonly usage: ModelUsage | undefined
  readonly model: string | undefined
  readonly id: unknown
  readonly warnings?: readonly string[]
}

/**
 * If the format of chat messages cannot represent the whole content, the message contains the original content in `provider_data`.
 *
 * @param position number of messages in the request; used for new call ids
 */
export function nativeResponse(
  { content, finishReason, refusal, usage, model, id, warnings = [] }: NativeAnswer,
  position: number,
  driver: { readonly name: string; readonly read: ReadContent },
  { format, restoreArguments }: Pick<ProjectedRequest<unknown>, 'format' | 'restoreArguments'>,
): ModelResponse {
  const facts = driver.read(content)
  const refused = facts.refusal ?? refusal
  const ids = uniqueCallIds(
    facts.calls.map(({ id }) => id),
    position,
  )
  const isCut = finishReason === 'length' && driver.read(content.slice(-1)).calls.length > 0
  const requested = facts.calls.map(({ name, arguments: json }, index): ChatFunctionToolCall => {
    const sent = { name, arguments: sentArguments(json, isCut && index === facts.calls.length - 1) }
    return { id: ids[index] ?? '', type: 'function', function: sent }
  })
  const isNull = facts.text === '' && (facts.calls.length > 0 || refused !== undefined)
  const message: Mutable<ChatAssistantMessage> = { role: 'assistant', content: isNull ? null : facts.text }
  if (refused !== undefined) message.refusal = refused
  if (requested.length > 0) message.tool_calls = requested
  if (facts.hasMore) {
    const data: ProviderData = {
      api: driver.name,
      ...(facts.reasoning !== '' && { reasoning: facts.reasoning }),
      content,
    }
    message.provider_data = data
  }
  const calls = requested.map(({ id: toolCallId, function: { name, arguments: json } }) => {
    return { tool: name, arguments: restoreArguments(name, json), toolCallId }
  })
  // Built without spreads, which would be slower than the rest of this function.
  const response: Mutable<ModelResponse> = { message, calls }
  if (format !== undefined && calls.length === 0) response.output = format.restore(facts.text)
  if (finishReason !== undefined) response.finishReason = finishReason
  if (usage !== undefined) response.usage = usage
  if (model !== undefined) response.model = model
  if (typeof id === 'string') response.id = id
  if (warnings.length > 0) response.warnings = warnings
  return response
}

/**
 * Some servers send an empty string for a call without arguments. If the token limit cut off the call, the string stays empty, because the
 * call is incomplete.
 */
export function sentArguments(json: JsonText, isCut: boolean): JsonText {
  return json === '' && !isCut ? '{}' : json
}

export function jsonOfInput(input: unknown): JsonText {
  return typeof input === 'string' ? input : argumentsText(input)
}

/**
 * For APIs that parse arguments. Such an API sends `{}` if the token limit cut off a call before its arguments, so `{}` becomes an empty string
 * for {@link sentArguments}.
 */
export function receivedArguments(input: unknown): JsonText {
  const json = jsonOfInput(input ?? {})
  if (json === '{}') return ''
  // Not JSON, so that the call fails.
  return json === '' && typeof input !== 'string' ? '(nested too deeply)' : json
}

export function tokenUsage(
  counts: Readonly<Record<Exclude<keyof ModelUsage, 'cost'>, unknown>>,
): ModelUsage | undefined {
  const { promptTokens, completionTokens, cachedPromptTokens, cacheWritePromptTokens, reasoningTokens } = counts
  if (!isCount(promptTokens) || !isCount(completionTokens)) return undefined
  const usage: Mutable<ModelUsage> = { promptTokens, completionTokens }
  if (isCount(cachedPromptTokens)) usage.cachedPromptTokens = cachedPromptTokens
  if (isCount(cacheWritePromptTokens)) usage.cacheWritePromptTokens = cacheWritePromptTokens
  if (isCount(reasoningTokens)) usage.reasoningTokens = reasoningTokens
  return usage
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

/** Functions return `undefined` for a value that the API does not support. */
export type FieldNames = Readonly<
  Record<string, string | ((value: unknown) => Readonly<Record<string, unknown>> | undefined)>
>

interface RunFields {
  readonly fields: Readonly<Record<string, unknown>>
  readonly warnings: readonly string[]
}

const NO_FIELDS: RunFields = Object.freeze({ fields: Object.freeze({}), warnings: Object.freeze([]) })

export function runFields(fields: ChatFields | undefined, driver: string, names: FieldNames): RunFields {
  if (fields === undefined) return NO_FIELDS
  const converted: Record<string, unknown> = {}
  const warnings: string[] = []
  for (const [field, value] of Object.entries(fields)) {
    // In chat completions, `null` is the default.
    if (value === undefined || value === null || NEVER_SENT.has(field)) continue
    const name = Object.hasOwn(names, field) ? names[field] : undefined
    const sent = typeof name === 'string' ? { [name]: value } : name?.(value)
    if (sent === undefined) warnings.push(`The driver '${driver}' does not send the field \`${field}\`.`)
    else Object.assign(converted, sent)
  }
  return { fields: converted, warnings }
}

const NEVER_SENT: ReadonlySet<string> = new Set(['messages', 'n', 'stream', 'stream_options'])

/** Tools of a `tool_choice` that limits the tools. Returns `undefined` for other values. */
export function allowedTools(choice: unknown): { readonly isRequired: boolean; readonly names: unknown[] } | undefined {
  const allowed = peek(choice, 'type') === 'allowed_tools' ? peek(choice, 'allowed_tools') : undefined
  const tools = peek(allowed, 'tools')
  if (!Array.isArray(tools)) return undefined
  const names = tools.map((tool) => peek(peek(tool, 'function'), 'name'))
  return { isRequired: peek(allowed, 'mode') === 'required', names }
}
