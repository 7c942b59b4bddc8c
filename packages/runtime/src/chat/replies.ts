import { type Fields, isFields } from '../schema/json-values.js'
import { quoted } from '../schema/wording.js'
import type { ChatAssistantMessage, ChatToolCall } from '../types/chat.js'
import type { ChatChunk, ChatUsage } from '../types/chat-reply.js'
import { ownField, shapeIssues } from './messages.js'

/** A limit is necessary, because a stream can be endless. */
const MAX_ISSUES = 100

const MAX_ERROR_LENGTH = 300

/**
 * Combines the chunks of a streamed chat completion into a message. Uses only choice 0 (the first alternative answer).
 * Never throws. The received content is available at any time, even if the stream is interrupted.
 *
 * Joins the parts of content, refusals and arguments, and also strings and arrays in unknown fields. Parts of a tool
 * call with the same index belong to the same call. If parts have no index, parts with the same id belong to the same
 * call. A part with a name and a new id starts a new call, because some servers send index 0 for all calls.
 *
 * @example
 * const accumulator = new ReplyAccumulator()
 * for await (const chunk of stream) accumulator.add(chunk)
 * const { message, finishReason, issues } = accumulator.reply()
 */
export class ReplyAccumulator {
  #content: string | null = null
  #refusal: string | null = null
  readonly #calls = new StreamedCalls()
  #functionCall: { readonly name: string; readonly arguments: string } | undefined
  readonly #fields = new JoinedFields(['role', 'content', 'refusal', 'tool_calls', 'function_call', 'index'])
  #finishReason: string | undefined
  #usage: ChatUsage | undefined
  #model: string | undefined
  #hasChoice = false
  readonly #otherChoices = new Set<unknown>()
  readonly #issues: ChatStreamIssue[] = []
  #chunks = 0

  /**
   * Adds the next chunk. Also accepts a whole completion, which servers without streaming send. Reads `usage`, `model`,
   * the finish reason, and all properties of `delta` or `message`.
   */
  add(chunk: ChatChunk): void {
    try {
      this.#addChunk(chunk)
    } catch {
      this.#report('', 'cannot be read, because reading one of its properties throws')
    }
    this.#chunks++
  }

  /** Returns the received content. Call `reply` after the last chunk to receive all `issues`. */
  reply(): StreamedReply {
    const toolCalls = this.#calls.all()
    const fields: (readonly [string, unknown])[] = []
    const issues: ChatStreamIssue[] = [...this.#issues]
    for (const [name, value] of this.#fields.entries()) {
      const [issue] = shapeIssues({ role: 'assistant', [name]: value })
      if (issue === undefined) fields.push([name, value])
      else issues.push({ ...issue, code: 'malformed_part', chunk: this.#chunks - 1 })
    }
    issues.push(...incompleteCalls(toolCalls))
    if (!this.#hasChoice) issues.push({ code: 'no_choice', message: 'The stream contained no choice 0.' })
    else if (this.#finishReason === undefined)
      issues.push({ code: 'unfinished', message: 'The stream ended without a finish reason.' })
    return {
      message: {
        role: 'assistant',
        content: this.#content,
        refusal: this.#refusal,
        ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
        ...(this.#functionCall !== undefined && { function_call: this.#functionCall }),
        ...Object.fromEntries(fields),
      },
      ...(this.#finishReason !== undefined && { finishReason: this.#finishReason }),
      ...(this.#usage !== undefined && { usage: this.#usage }),
      ...(this.#model !== undefined && { model: this.#model }),
      otherChoices: this.#otherChoices.size,
      issues,
    }
  }

  #addChunk(chunk: unknown): void {
    if (!isFields(chunk)) {
      this.#report('', 'must be an object')
      return
    }
    const error = presentField(chunk, 'error')
    if (error !== undefined) this.#addIssue({ code: 'server_error', chunk: this.#chunks, message: errorText(error) })
    this.#model = textField(chunk, 'model', '', this.#report) || this.#model
    const usage = presentField(chunk, 'usage')
    if (isUsage(usage)) this.#usage = usage
    else if (usage !== undefined)
      this.#report('/usage', 'must be an object with the numbers prompt_tokens and completion_tokens')
    const choices = presentField(chunk, 'choices') ?? []
    if (!Array.isArray(choices)) {
      this.#report('/choices', 'must be an array')
      return
    }
    for (const [position, choice] of choices.entries()) this.#addChoice(choice, `/choices/${position}`)
  }

  #addChoice(choice: unknown, path: string): void {
    if (!isFields(choice)) {
      this.#report(path, 'must be an object')
      return
    }
    const index = ownField(choice, 'index') ?? 0
    if (index !== 0) {
      this.#otherChoices.add(index)
      return
    }
    this.#hasChoice = true
    this.#finishReason = textField(choice, 'finish_reason', path, this.#report) || this.#finishReason
    const name = isFields(ownField(choice, 'message')) ? 'message' : 'delta'
    const delta = objectField(choice, name, path, this.#report)
    if (delta !== undefined) this.#addDelta(delta, `${path}/${name}`)
  }

  #addDelta(delta: Fields, path: string): void {
    const content = textField(delta, 'content', path, this.#report)
    if (content !== undefined) this.#content = (this.#content ?? '') + content
    const refusal = textField(delta, 'refusal', path, this.#report)
    if (refusal !== undefined) this.#refusal = (this.#refusal ?? '') + refusal
    this.#calls.add(presentField(delta, 'tool_calls') ?? [], `${path}/tool_calls`, this.#report)
    const call = objectField(delta, 'function_call', path, this.#report)
    if (call !== undefined) {
      const before = this.#functionCall ?? { name: '', arguments: '' }
      const callPath = `${path}/function_call`
      this.#functionCall = {
        name: textField(call, 'name', callPath, this.#report) || before.name,
        arguments: before.arguments + (textField(call, 'arguments', callPath, this.#report) ?? ''),
      }
    }
    this.#fields.add(delta)
  }

  readonly #report: Report = (path, must) => {
    const message = `${path === '' ? 'The chunk' : path} ${must}.`
    this.#addIssue({ code: 'malformed_part', chunk: this.#chunks, path, message })
  }

  #addIssue(issue: ChatStreamIssue): void {
    if (this.#issues.length < MAX_ISSUES) this.#issues.push(issue)
  }
}

/**
 * Combines the chunks of a whole stream into a message; see {@link ReplyAccumulator}.
 *
 * @example
 * const { message } = accumulateChunks(recorded)
 */
export function accumulateChunks(chunks: Iterable<ChatChunk>): StreamedReply {
  const accumulator = new ReplyAccumulator()
  for (const chunk of chunks) accumulator.add(chunk)
  return accumulator.reply()
}

function isUsage(value: unknown): value is ChatUsage {
  const names = ['prompt_tokens', 'completion_tokens']
  return isFields(value) && names.every((name) => typeof ownField(value, name) === 'number')
}

function incompleteCalls(calls: readonly ChatToolCall[]): readonly ChatStreamIssue[] {
  return calls.flatMap((call, index): readonly ChatStreamIssue[] => {
    const name = call.type === 'custom' ? call.custom.name : call.function.name
    const missing = [...(call.id === '' ? ['id'] : []), ...(name === '' ? ['name'] : [])]
    if (missing.length === 0) return []
    const message = `Call ${index} has no ${missing.join(' and no ')}.`
    return [{ code: 'incomplete_call', path: `/tool_calls/${index}`, message }]
  })
}

function errorText(error: unknown): string {
  const text = isFields(error) ? ownField(error, 'message') : error
  return typeof text === 'string'
    ? `The server sent an error: ${quoted(text, MAX_ERROR_LENGTH)}`
    : 'The server sent an error.'
}

/**
 * An issue of a stream. `message` describes the issue in one sentence.
 * - `unfinished`: the stream ended without a finish reason;
 * - `no_choice`: the stream had no part of choice 0;
 * - `incomplete_call`: a call has no id or no name; the message contains an empty string instead;
 * - `malformed_part`: a part has the wrong type, and the message omits this part. `chunk` is the index of the chunk
 *   from 0. `path` is a JSON Pointer into the chunk, or into the message if only the combination of parts is invalid;
 * - `server_error`: the server sent an error within the stream.
 */
export type ChatStreamIssue =
  | { readonly code: 'unfinished' | 'no_choice'; readonly message: string }
  | { readonly code: 'incomplete_call'; readonly path: string; readonly message: string }
  | { readonly code: 'malformed_part'; readonly chunk: number; readonly path: string; readonly message: string }
  | { readonly code: 'server_error'; readonly chunk: number; readonly message: string }

/** Result of {@link ReplyAccumulator}: the content of a stream up to now. */
export interface StreamedReply {
  /** Message with the content received so far. `content` and `refusal` are always present. */
  readonly message: ChatAssistantMessage & { readonly content: string | null; readonly refusal: string | null }
  /** Reason why the model stopped. Absent if the stream contained no reason. */
  readonly finishReason?: string
  /** Latest token usage in the stream. Absent if the stream contained no token usage. */
  readonly usage?: ChatUsage
  /** Name of the model. Absent if the stream contained no name. */
  readonly model?: string
  /** Number of choices in the stream except choice 0. The accumulator ignores these choices. */
  readonly otherChoices: number
  /** Issues of the stream. Empty if the stream is complete and valid. Contains at most 100 issues of chunks. */
  readonly issues: readonly ChatStreamIssue[]
}

type Report = (path: string, must: string) => void

function presentField(part: object, name: string): unknown {
  return ownField(part, name) ?? undefined
}

function textField(part: object, name: string, path: string, report: Report): string | undefined {
  const value = presentField(part, name)
  if (value === undefined || typeof value === 'string') return value
  report(`${path}/${name}`, 'must be a string')
  return undefined
}

function objectField(part: object, name: string, path: string, report: Report): Fields | undefined {
  const value = presentField(part, name)
  if (value === undefined || isFields(value)) return value
  report(`${path}/${name}`, 'must be an object')
  return undefined
}

class StreamedCall {
  readonly index: number
  id = ''
  name = ''
  #text = ''
  #isCustom = false
  readonly #fields = new JoinedFields(['index', 'id', 'type', 'function', 'custom'])
  readonly #bodyFields = new JoinedFields(['name', 'arguments', 'input'])

  constructor(index: number) {
    this.index = index
  }

  add(part: object, path: string, report: Report): void {
    const key = isFields(ownField(part, 'custom')) ? 'custom' : 'function'
    this.#isCustom ||= key === 'custom' || ownField(part, 'type') === 'custom'
    this.#fields.add(part)
    const body = this.identify(part, key, path, report)
    if (body === undefined) return
    this.#text += textField(body, key === 'custom' ? 'input' : 'arguments', `${path}/${key}`, report) ?? ''
    this.#bodyFields.add(body)
  }

  identify(part: object, key: 'custom' | 'function', path: string, report: Report): Fields | undefined {
    // Uses the first id, because some servers send a new id with each part.
    this.id ||= textField(part, 'id', path, report) ?? ''
    const body = objectField(part, key, path, report)
    if (body !== undefined) this.name = textField(body, 'name', `${path}/${key}`, report) || this.name
    return body
  }

  call(): ChatToolCall {
    const { id, name } = this
    const fields = Object.fromEntries(this.#fields.entries())
    const bodyFields = Object.fromEntries(this.#bodyFields.entries())
    return this.#isCustom
      ? { id, type: 'custom', custom: { name, input: this.#text, ...bodyFields }, ...fields }
      : { id, type: 'function', function: { name, arguments: this.#text, ...bodyFields }, ...fields }
  }
}

/** Parts without an index are assigned by id. A part with a name and a new id starts a new call, because some servers use an index twice. */
export class StreamedCalls {
  readonly #calls: StreamedCall[] = []
  readonly #byIndex = new Map<number, StreamedCall>()
  #nextIndex = 0

  add(parts: unknown, path: string, report: Report): void {
    if (!Array.isArray(parts)) {
      report(path, 'must be an array')
      return
    }
    for (const [position, part] of parts.entries()) {
      if (isFields(part)) this.callOf(part).add(part, `${path}/${position}`, report)
      else report(`${path}/${position}`, 'must be an object')
    }
  }

  all(): ChatToolCall[] {
    return [...this.#calls].sort((a, b) => a.index - b.index).map((call) => call.call())
  }

  /** Returns the call to which the part belongs, without the data of the part. */
  callOf(part: object): StreamedCall {
    const field = ownField(part, 'index')
    const index = Number.isSafeInteger(field) ? Number(field) : undefined
    const id = presentField(part, 'id') ?? ''
    const existing =
      index === undefined
        ? (this.#calls.find((call) => call.id !== '' && call.id === id) ?? this.#calls.at(-1))
        : this.#byIndex.get(index)
    if (existing !== undefined && !startsCall(existing, part, id, index)) return existing
    const call = new StreamedCall(index ?? this.#nextIndex)
    this.#nextIndex = Math.max(this.#nextIndex, call.index + 1)
    this.#calls.push(call)
    this.#byIndex.set(call.index, call)
    return call
  }
}

function startsCall({ id: ownId, name }: StreamedCall, part: object, id: unknown, index: number | undefined): boolean {
  const hasName = ['function', 'custom'].some((key) => {
    const body = ownField(part, key)
    const partName = isFields(body) ? ownField(body, 'name') : ''
    return typeof partName === 'string' && partName !== ''
  })
  if (!hasName || name === '') return false
  const hasOtherId = typeof id === 'string' && id !== '' && ownId !== '' && ownId !== id
  return hasOtherId || (index === undefined && id === '')
}

/** Each part of a stream contains the whole value of these properties, so the values must not be concatenated. */
const WHOLE: ReadonlySet<string> = new Set(['id', 'type', 'format'])

class JoinedFields {
  readonly #fields = new Map<string, unknown>()
  readonly #others: ReadonlySet<string>

  constructor(others: readonly string[]) {
    this.#others = new Set(others)
  }

  add(part: object): void {
    for (const [name, value] of Object.entries(part)) {
      if (value === undefined || this.#others.has(name)) continue
      this.#fields.set(name, joined(name, this.#fields.get(name), value))
    }
  }

  entries(): readonly (readonly [string, unknown])[] {
    return [...this.#fields]
  }
}

function joined(name: string, before: unknown, value: unknown): unknown {
  if (!isFields(before) || !isFields(value)) return joinedPart(name, before, value)
  const fields = new Map(Object.entries(before))
  for (const [key, part] of Object.entries(value)) fields.set(key, joinedPart(key, fields.get(key), part))
  return Object.fromEntries(fields)
}

function joinedPart(name: string, before: unknown, value: unknown): unknown {
  if (before === undefined || before === null) return value
  if (value === undefined || value === null) return before
  if (typeof before === 'string' && typeof value === 'string' && !WHOLE.has(name)) return before + value
  if (Array.isArray(before) && Array.isArray(value)) return [...before, ...value]
  return value
}
