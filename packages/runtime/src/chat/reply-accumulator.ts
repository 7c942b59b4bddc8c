import { type Fields, isFields } from '../codec/json/kind.js'
import type { ChatChunk, ChatUsage } from '../contract/chat-chunk.js'
import { JoinedFields } from './joined-fields.js'
import { shapeFaults } from './message-shape.js'
import { ownField } from './shape-rule.js'
import { errorText, incompleteCalls } from './stream-faults.js'
import { type TellWrong, textField } from './streamed-call.js'
import { StreamedCalls } from './streamed-calls.js'
import type { StreamedReply, StreamFault } from './streamed-reply.js'

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
 * const { message, finishReason, faults } = accumulator.reply()
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
  readonly #faults: StreamFault[] = []
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

  /** What was received so far; `faults` speaks of the stream as if it ended here. */
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
      faults: [...this.#faults, ...faults, ...incompleteCalls(toolCalls), ...this.#endFaults()],
    }
  }

  #addChunk(chunk: unknown): void {
    if (!isFields(chunk)) {
      this.#wrong('', 'must be an object')
      return
    }
    const error = ownField(chunk, 'error')
    if (error !== undefined && error !== null)
      this.#fault({ kind: 'server_error', chunk: this.#chunks, message: errorText(error) })
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
  #ownFields(): { readonly fields: Fields; readonly faults: readonly StreamFault[] } {
    const faults: StreamFault[] = []
    const kept = this.#fields.entries().filter(([name, value]) => {
      const [fault] = shapeFaults(
        Object.fromEntries([
          ['role', 'assistant'],
          [name, value],
        ]),
      )
      if (fault !== undefined)
        faults.push({ kind: 'malformed_part', chunk: this.#chunks - 1, path: fault.path, message: fault.message })
      return fault === undefined
    })
    return { fields: Object.fromEntries(kept), faults }
  }

  #endFaults(): readonly StreamFault[] {
    if (!this.#hasChoice) return [{ kind: 'no_choice', message: 'The stream held no answer.' }]
    if (this.#finishReason !== undefined) return []
    return [{ kind: 'unfinished', message: 'The stream ended without a finish reason.' }]
  }

  readonly #wrong: TellWrong = (path, must) => {
    const message = `${path === '' ? 'The chunk' : path} ${must}.`
    this.#fault({ kind: 'malformed_part', chunk: this.#chunks, path, message })
  }

  #fault(fault: StreamFault): void {
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
