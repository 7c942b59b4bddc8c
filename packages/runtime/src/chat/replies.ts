import { quoted } from '../schema/issue-messages.js'
import { type Fields, isFields } from '../schema/json-values.js'
import type { ChatAssistantMessage, ChatChunk, ChatToolCall, ChatUsage } from '../types/chat.js'
import { ownField, shapeIssues } from './messages.js'

const knownOfDelta = new Set(['role', 'content', 'refusal', 'tool_calls', 'function_call', 'index'])
/** A hostile stream may be faulty without end. */
const maxFaults = 100

/**
 * Puts the chunks of a streamed chat completion together, those of choice 0. Nothing it is given makes it throw, and
 * what was received is there at any time, also of a stream that broke.
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
  readonly #fields = new JoinedFields()
  #finishReason: string | undefined
  #usage: ChatUsage | undefined
  #model: string | undefined
  #hasChoice = false
  readonly #otherChoices = new Set<unknown>()
  readonly #faults: ChatStreamIssue[] = []
  #chunks = 0

  /**
   * Takes in the next chunk. A whole completion, as servers send it that do not stream, counts as one. Beside the
   * choices `usage` and `model` are kept, and of a choice all but `logprobs`.
   */
  add(chunk: ChatChunk): void {
    try {
      this.#addChunk(chunk)
    } catch {
      this.#wrong('', 'cannot be read: one of its fields throws')
    }
    this.#chunks++
  }

  /** What was received so far; `issues` speaks of the stream as if it ended here. */
  reply(): StreamedReply {
    const toolCalls = this.#calls.calls()
    const { fields, faults } = this.#ownFields()
    return {
      message: {
        role: 'assistant',
        content: this.#content,
        refusal: this.#refusal,
        ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
        ...(this.#functionCall !== undefined && { function_call: this.#functionCall }),
        ...fields,
      },
      ...(this.#finishReason !== undefined && { finishReason: this.#finishReason }),
      ...(this.#usage !== undefined && { usage: this.#usage }),
      ...(this.#model !== undefined && { model: this.#model }),
      otherChoices: this.#otherChoices.size,
      issues: [...this.#faults, ...faults, ...incompleteCalls(toolCalls), ...this.#endFaults()],
    }
  }

  #addChunk(chunk: unknown): void {
    if (!isFields(chunk)) {
      this.#wrong('', 'must be an object')
      return
    }
    const error = ownField(chunk, 'error')
    if (error !== undefined && error !== null)
      this.#fault({ code: 'server_error', chunk: this.#chunks, message: errorText(error) })
    const model = textField(chunk, 'model', '', this.#wrong)
    if (model) this.#model = model
    this.#addUsage(ownField(chunk, 'usage'))
    const choices = ownField(chunk, 'choices')
    if (choices === undefined || choices === null) return
    if (!Array.isArray(choices)) {
      this.#wrong('/choices', 'must be a list')
      return
    }
    for (const [position, choice] of choices.entries()) this.#addChoice(choice, `/choices/${position}`)
  }

  #addUsage(usage: unknown): void {
    if (usage === undefined || usage === null) return
    if (isUsage(usage)) this.#usage = usage
    else this.#wrong('/usage', 'must be an object with the numbers prompt_tokens and completion_tokens')
  }

  #addChoice(choice: unknown, path: string): void {
    if (!isFields(choice)) {
      this.#wrong(path, 'must be an object')
      return
    }
    const index = ownField(choice, 'index') ?? 0
    if (index !== 0) {
      this.#otherChoices.add(index)
      return
    }
    this.#hasChoice = true
    const finishReason = textField(choice, 'finish_reason', path, this.#wrong)
    if (finishReason) this.#finishReason = finishReason
    const key = isFields(ownField(choice, 'message')) ? 'message' : 'delta'
    const delta = ownField(choice, key)
    if (isFields(delta)) this.#addDelta(delta, `${path}/${key}`)
    else if (delta !== undefined && delta !== null) this.#wrong(`${path}/${key}`, 'must be an object')
  }

  #addDelta(delta: Fields, path: string): void {
    this.#content = joinedText(this.#content, textField(delta, 'content', path, this.#wrong))
    this.#refusal = joinedText(this.#refusal, textField(delta, 'refusal', path, this.#wrong))
    this.#calls.add(ownField(delta, 'tool_calls'), `${path}/tool_calls`, this.#wrong)
    this.#addFunctionCall(ownField(delta, 'function_call'), `${path}/function_call`)
    this.#fields.add(delta, knownOfDelta)
  }

  #addFunctionCall(part: unknown, path: string): void {
    if (part === undefined || part === null) return
    if (!isFields(part)) {
      this.#wrong(path, 'must be an object')
      return
    }
    const before = this.#functionCall ?? { name: '', arguments: '' }
    this.#functionCall = {
      name: textField(part, 'name', path, this.#wrong) || before.name,
      arguments: before.arguments + (textField(part, 'arguments', path, this.#wrong) ?? ''),
    }
  }

  /** The other fields of the message; a known one of a wrong type is left out and told. */
  #ownFields(): { readonly fields: Fields; readonly faults: readonly ChatStreamIssue[] } {
    const faults: ChatStreamIssue[] = []
    const kept = this.#fields.entries().filter(([name, value]) => {
      const [fault] = shapeIssues(
        Object.fromEntries([
          ['role', 'assistant'],
          [name, value],
        ]),
      )
      if (fault !== undefined)
        faults.push({ code: 'malformed_part', chunk: this.#chunks - 1, path: fault.path, message: fault.message })
      return fault === undefined
    })
    return { fields: Object.fromEntries(kept), faults }
  }

  #endFaults(): readonly ChatStreamIssue[] {
    if (!this.#hasChoice) return [{ code: 'no_choice', message: 'The stream held no answer.' }]
    if (this.#finishReason !== undefined) return []
    return [{ code: 'unfinished', message: 'The stream ended without a finish reason.' }]
  }

  readonly #wrong: TellWrong = (path, must) => {
    const message = `${path === '' ? 'The chunk' : path} ${must}.`
    this.#fault({ code: 'malformed_part', chunk: this.#chunks, path, message })
  }

  #fault(fault: ChatStreamIssue): void {
    if (this.#faults.length < maxFaults) this.#faults.push(fault)
  }
}

/**
 * A whole stream at once, see {@link ReplyAccumulator}.
 *
 * @example
 * const { message } = accumulateChunks(recorded)
 */
export function accumulateChunks(chunks: Iterable<ChatChunk>): StreamedReply {
  const accumulator = new ReplyAccumulator()
  for (const chunk of chunks) accumulator.add(chunk)
  return accumulator.reply()
}

function joinedText(before: string | null, part: string | undefined): string | null {
  return part === undefined ? before : (before ?? '') + part
}

function isUsage(value: unknown): value is ChatUsage {
  return (
    isFields(value) &&
    typeof ownField(value, 'prompt_tokens') === 'number' &&
    typeof ownField(value, 'completion_tokens') === 'number'
  )
}

const longestError = 300

/** Calls that nobody can answer or carry out. */
function incompleteCalls(calls: readonly ChatToolCall[]): readonly ChatStreamIssue[] {
  return calls.flatMap((call, index): readonly ChatStreamIssue[] => {
    const name = call.type === 'custom' ? call.custom.name : call.function.name
    const missing = [...(call.id === '' ? ['id'] : []), ...(name === '' ? ['name'] : [])]
    if (missing.length === 0) return []
    const message = `Call ${index} has no ${missing.join(' and no ')}.`
    return [{ code: 'incomplete_call', path: `/tool_calls/${index}`, message }]
  })
}

/** What a server says of its error, for people. */
function errorText(error: unknown): string {
  const text = isFields(error) ? ownField(error, 'message') : error
  return typeof text === 'string'
    ? `The server sent an error: ${quoted(text, longestError)}`
    : 'The server sent an error.'
}

/**
 * What is wrong with a stream. Each says so in a sentence for people.
 * - `unfinished`: it ended without a finish reason;
 * - `no_choice`: it never said anything of choice 0;
 * - `incomplete_call`: a call has no id or no name; both are empty texts in the message then;
 * - `malformed_part`: a part had the wrong type and was left out; `chunk` is its number, the first is 0, and `path` a JSON
 *   Pointer into the chunk, or into the message where the parts are faulty only together;
 * - `server_error`: the server sent an error in the middle of the stream.
 */
export type ChatStreamIssue =
  | { readonly code: 'unfinished' | 'no_choice'; readonly message: string }
  | { readonly code: 'incomplete_call'; readonly path: string; readonly message: string }
  | { readonly code: 'malformed_part'; readonly chunk: number; readonly path: string; readonly message: string }
  | { readonly code: 'server_error'; readonly chunk: number; readonly message: string }

/** What a stream held, so far or in the end. */
export interface StreamedReply {
  /** The message of choice 0 as far as it was received; `content` and `refusal` are always there. */
  readonly message: ChatAssistantMessage & { readonly content: string | null; readonly refusal: string | null }
  /** Why the model stopped; absent where the stream did not say. */
  readonly finishReason?: string
  /** The latest account; absent where the stream had none. */
  readonly usage?: ChatUsage
  /** The model that answered, as it calls itself. */
  readonly model?: string
  /** How many other choices the stream held; they are not kept. */
  readonly otherChoices: number
  /** Empty for a whole and sound stream. Of chunks at most 100 faults are listed. */
  readonly issues: readonly ChatStreamIssue[]
}

const knownOfCall = new Set(['index', 'id', 'type', 'function', 'custom'])
const knownOfBody = new Set(['name', 'arguments', 'input'])

/** A field of a part that is no text where one belongs. */
type TellWrong = (path: string, must: string) => void

/** The text of a field; null and absent are none. */
function textField(part: object, name: string, path: string, tellWrong: TellWrong): string | undefined {
  const value = ownField(part, name)
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  tellWrong(`${path}/${name}`, 'must be a text')
  return undefined
}

/** One call of a streamed message, put together part by part. */
class StreamedCall {
  /** Where it stands among the calls. */
  readonly index: number
  #id = ''
  #name = ''
  #text = ''
  #isCustom = false
  readonly #fields = new JoinedFields()
  readonly #bodyFields = new JoinedFields()

  constructor(index: number) {
    this.index = index
  }

  get id(): string {
    return this.#id
  }

  get name(): string {
    return this.#name
  }

  /** Takes in a part. The first id counts, since some servers make up a new one for each part; the latest name does. */
  add(part: object, path: string, tellWrong: TellWrong): void {
    this.#id ||= textField(part, 'id', path, tellWrong) ?? ''
    this.#isCustom ||= ownField(part, 'type') === 'custom'
    this.#fields.add(part, knownOfCall)
    const key = isFields(ownField(part, 'custom')) ? 'custom' : 'function'
    this.#isCustom ||= key === 'custom'
    const body = ownField(part, key)
    if (body === undefined || body === null) return
    if (!isFields(body)) {
      tellWrong(`${path}/${key}`, 'must be an object')
      return
    }
    this.#name = textField(body, 'name', `${path}/${key}`, tellWrong) || this.#name
    this.#text += textField(body, key === 'custom' ? 'input' : 'arguments', `${path}/${key}`, tellWrong) ?? ''
    this.#bodyFields.add(body, knownOfBody)
  }

  /** The call as far as it was received. */
  call(): ChatToolCall {
    const fields = Object.fromEntries(this.#fields.entries())
    const bodyFields = Object.fromEntries(this.#bodyFields.entries())
    return this.#isCustom
      ? { id: this.#id, type: 'custom', custom: { name: this.#name, input: this.#text, ...bodyFields }, ...fields }
      : {
          id: this.#id,
          type: 'function',
          function: { name: this.#name, arguments: this.#text, ...bodyFields },
          ...fields,
        }
  }
}

/** The name of the function or tool that a part speaks of; empty where it does not say. */
function nameOfPart(part: object): string {
  for (const key of ['function', 'custom']) {
    const body = ownField(part, key)
    const name = isFields(body) ? ownField(body, 'name') : undefined
    if (typeof name === 'string' && name !== '') return name
  }
  return ''
}

/**
 * The calls of a streamed message. A part belongs to the call of its index; where it has none, to the call of its id, or
 * to the latest. A part begins another call where it has both a name and an id that is not that of the call: some
 * servers give all calls the same index.
 */
class StreamedCalls {
  readonly #calls: StreamedCall[] = []
  /** The latest call of each index. */
  readonly #byIndex = new Map<number, StreamedCall>()
  #nextIndex = 0

  /** Takes in the field `tool_calls` of a part of the message. */
  add(parts: unknown, path: string, tellWrong: TellWrong): void {
    if (parts === undefined || parts === null) return
    if (!Array.isArray(parts)) {
      tellWrong(path, 'must be a list')
      return
    }
    for (const [position, part] of parts.entries()) {
      if (isFields(part)) this.#callOf(part).add(part, `${path}/${position}`, tellWrong)
      else tellWrong(`${path}/${position}`, 'must be an object')
    }
  }

  /** The calls as far as they were received, by index; calls of one index as they came. */
  calls(): ChatToolCall[] {
    return [...this.#calls].sort((a, b) => a.index - b.index).map((call) => call.call())
  }

  #callOf(part: object): StreamedCall {
    const given = ownField(part, 'index')
    const index = typeof given === 'number' && Number.isSafeInteger(given) ? given : undefined
    const id = ownField(part, 'id')
    const known = index === undefined ? this.#calledOrLatest(id) : this.#byIndex.get(index)
    if (known !== undefined && !beginsAnother(known, part, id, index)) return known
    const call = new StreamedCall(index ?? this.#nextIndex)
    this.#nextIndex = Math.max(this.#nextIndex, call.index + 1)
    this.#calls.push(call)
    this.#byIndex.set(call.index, call)
    return call
  }

  #calledOrLatest(id: unknown): StreamedCall | undefined {
    return this.#calls.find((call) => call.id !== '' && call.id === id) ?? this.#calls.at(-1)
  }
}

function beginsAnother(call: StreamedCall, part: object, id: unknown, index: number | undefined): boolean {
  if (nameOfPart(part) === '' || call.name === '') return false
  const hasOtherId = typeof id === 'string' && id !== '' && call.id !== '' && call.id !== id
  const hasNoPlace = index === undefined && (id === undefined || id === null || id === '')
  return hasOtherId || hasNoPlace
}

/** Names whose texts are sent whole, if again and again. */
const whole: ReadonlySet<string> = new Set(['id', 'type', 'format'])

/**
 * The fields of a streamed object that nobody knows: texts and lists are joined, objects field by field, of anything
 * else the latest counts. Null counts only where nothing else was sent.
 */
class JoinedFields {
  readonly #fields = new Map<string, unknown>()

  /** Takes in the fields of a part, but for those that are known. */
  add(part: object, known: ReadonlySet<string>): void {
    for (const [name, value] of Object.entries(part)) {
      if (value === undefined || known.has(name)) continue
      this.#fields.set(name, joined(name, this.#fields.get(name), value))
    }
  }

  /** In the order in which they came first. */
  entries(): readonly (readonly [string, unknown])[] {
    return [...this.#fields]
  }
}

function joined(name: string, before: unknown, value: unknown): unknown {
  if (isFields(before) && isFields(value)) {
    const inner = new Map(Object.entries(before))
    for (const [key, part] of Object.entries(value)) inner.set(key, joinedLeaf(key, inner.get(key), part))
    return Object.fromEntries(inner)
  }
  return joinedLeaf(name, before, value)
}

function joinedLeaf(name: string, before: unknown, value: unknown): unknown {
  if (before === undefined || before === null) return value
  if (value === undefined || value === null) return before
  if (typeof before === 'string' && typeof value === 'string' && !whole.has(name)) return before + value
  if (Array.isArray(before) && Array.isArray(value)) return [...before, ...value]
  return value
}
