import { isFields } from '../codec/json/kind.js'
import type { ChatToolCall } from '../contract/chat-message.js'
import { ownField } from './shape-rule.js'
import { nameOfPart, StreamedCall, type TellWrong } from './streamed-call.js'

/**
 * The calls of a streamed message. A part belongs to the call of its index; where it has none, to the call of its id, or
 * to the latest. A part begins another call where it has both a name and an id that is not that of the call: some
 * servers give all calls the same index.
 */
export class StreamedCalls {
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
