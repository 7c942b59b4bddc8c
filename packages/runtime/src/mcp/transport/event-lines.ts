import { type BoundedLine, BoundedLines } from './bounded-lines.js'

const [LF, CR] = [10, 13]

/** What stands before a message in a line of an event, in bytes. */
const FIELD_NAME = 6

/** Cuts a stream of events into lines, which may end with CR, LF or both. */
export class EventLines {
  readonly #lines: BoundedLines
  #endedWithCr = false

  constructor(maxMessageBytes: number) {
    this.#lines = new BoundedLines(maxMessageBytes + FIELD_NAME)
  }

  push(chunk: Uint8Array): readonly BoundedLine[] {
    return this.#lines.push(this.#withLineFeeds(chunk))
  }

  /** What has come since the last line; `undefined` where nothing has. */
  end(): BoundedLine | undefined {
    return this.#lines.isEmpty ? undefined : this.#lines.end()
  }

  #withLineFeeds(chunk: Uint8Array): Uint8Array {
    const whole = this.#endedWithCr && chunk[0] === LF ? chunk.subarray(1) : chunk
    if (chunk.length > 0) this.#endedWithCr = chunk.at(-1) === CR
    if (!whole.includes(CR)) return whole
    const isSecond = (at: number): boolean => whole[at] === LF && whole[at - 1] === CR
    return whole.filter((_, at) => !isSecond(at)).map((byte) => (byte === CR ? LF : byte))
  }
}
