/** How much of a line that is too long is looked at for the id of its request. */
const LOOKED_AT = 1_024

const NEWLINE = 10

/** A line of bytes, or what is known of one that was too long to keep. */
export type BoundedLine =
  | { readonly kind: 'line'; readonly bytes: Uint8Array }
  | { readonly kind: 'too_long'; readonly id: number | undefined }

/**
 * Cuts bytes into lines and keeps none beyond a limit. Of a longer one only its ends are kept, which may tell the id of
 * the request that it answers.
 */
export class BoundedLines {
  readonly #limit: number
  #parts: Uint8Array[] = []
  #length = 0
  #head: Uint8Array | undefined
  #tail: Uint8Array = new Uint8Array()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** The lines that these bytes end, without their ends. */
  push(chunk: Uint8Array): readonly BoundedLine[] {
    const lines: BoundedLine[] = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end))
      lines.push(this.end())
      start = end + 1
    }
    this.#keep(chunk.subarray(start))
    return lines
  }

  /** What has come since the last line. */
  end(): BoundedLine {
    const [head, tail, parts] = [this.#head, this.#tail, this.#parts]
    this.#head = undefined
    this.#tail = new Uint8Array()
    this.#parts = []
    this.#length = 0
    if (head === undefined) return { kind: 'line', bytes: joined(parts) }
    return { kind: 'too_long', id: idWithin(textOf(head), textOf(tail)) }
  }

  /** Whether anything has come since the last line. */
  get isEmpty(): boolean {
    return this.#length === 0
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return
    this.#length += part.length
    if (this.#head === undefined && this.#length <= this.#limit) {
      this.#parts.push(part)
      return
    }
    if (this.#head === undefined) {
      const kept = joined([...this.#parts, part])
      this.#head = kept.slice(0, LOOKED_AT)
      this.#tail = kept.slice(-LOOKED_AT)
      this.#parts = []
      return
    }
    this.#tail = joined([this.#tail, part.subarray(-LOOKED_AT)]).slice(-LOOKED_AT)
  }
}

/** The id of the request that a message answers; `undefined` where its ends do not tell. */
function idWithin(head: string, tail: string): number | undefined {
  // The id stands among the first fields or is the last one: anything between may be part of the result.
  const first = /^(?:data: ?)?\{\s*(?:"jsonrpc":\s*"2\.0",\s*)?"id":\s*(\d+)\s*[,}]/.exec(head)
  const last = /[,{]\s*"id":\s*(\d+)\s*(?:,\s*"jsonrpc":\s*"2\.0"\s*)?\}\s*$/.exec(tail)
  const id = first?.[1] ?? last?.[1]
  return id === undefined ? undefined : Number(id)
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return only
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
