import { type JSONRPCMessage, parseJSONRPCMessage, type RequestId } from '@modelcontextprotocol/client'
import { isFields } from '../schema/json-values.js'
import { McpCallError } from './mcp-call-error.js'

/** Default name and version of callers and servers. The version is repeated here, because bundled code cannot read package.json. */
export const ownName: { readonly name: string; readonly version: string } = { name: 'toolgen', version: '0.1.0' }

/**
 * Creates an error response for an error that the client itself detected. Its `data` is an `Error` object. This distinguishes it from
 * responses of a server, which cannot send such an object.
 */
export function ownAnswer(id: RequestId, error: McpCallError): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: -32000, message: error.message, data: error } }
}

export function tooLarge(maxBytes: number): McpCallError {
  return new McpCallError('too_large', `the response is longer than ${maxBytes} bytes`)
}

export function malformedAnswer(cause?: unknown): McpCallError {
  return new McpCallError('malformed', 'the response violates the Model Context Protocol', { cause })
}

/** Result of reading a message: the message or the error. An invalid response with an id has both: `message` is then an error response. */
export interface ReadMessage {
  readonly message?: JSONRPCMessage
  readonly error?: unknown
}

/** Parses a message. A response that violates the protocol becomes an error response. */
export function readMessage(text: string): ReadMessage {
  try {
    return readValue(JSON.parse(text))
  } catch (error) {
    return { error }
  }
}

/** Validates a message that was parsed from JSON. */
export function readValue(value: unknown): ReadMessage {
  try {
    return { message: parseJSONRPCMessage(value) }
  } catch (error) {
    const id = isFields(value) && !('method' in value) ? value.id : undefined
    const isId = typeof id === 'number' || typeof id === 'string'
    return isId ? { message: ownAnswer(id, malformedAnswer(error)), error } : { error }
  }
}

/**
 * Complete text of a message. If the text is too long, only the id of the request that the message answers; `undefined` if neither the
 * beginning nor the end of the text contains this id.
 */
export type BoundedText = { readonly text: string } | { readonly answeredId: number | undefined }

const END_LENGTH = 1_024

/** Multiple of the maximum size after which a text is given up, although its end could contain the id of the request. */
const GIVE_UP_AFTER = 4

/** Collects a text in pieces. If the text is longer than `maxBytes`, keeps only its beginning and its end. */
export class TextCollector {
  readonly #maxBytes: number
  #pieces: string[] = []
  #bytes = 0
  #ends: { readonly head: string; tail: string } | undefined

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get isEmpty(): boolean {
    return this.#bytes === 0
  }

  /** A text that is too long, as soon as the id of its request is known or the text is given up; otherwise `undefined`. */
  get tooLong(): BoundedText | undefined {
    if (this.#ends === undefined) return undefined
    const answeredId = idWithin({ head: this.#ends.head, tail: '' })
    return answeredId !== undefined || this.#bytes > GIVE_UP_AFTER * this.#maxBytes ? { answeredId } : undefined
  }

  add(piece: string): void {
    this.#bytes += Buffer.byteLength(piece)
    if (this.#ends === undefined) {
      this.#pieces.push(piece)
      if (this.#bytes <= this.#maxBytes) return
      const text = this.#pieces.join('')
      this.#ends = { head: text.slice(0, END_LENGTH), tail: text.slice(-END_LENGTH) }
      this.#pieces = []
    } else this.#ends.tail = (this.#ends.tail + piece.slice(-END_LENGTH)).slice(-END_LENGTH)
  }

  /** Returns the collected text, and starts to collect a new text. */
  take(): BoundedText {
    const taken: BoundedText = this.#ends ? { answeredId: idWithin(this.#ends) } : { text: this.#pieces.join('') }
    this.#pieces = []
    this.#bytes = 0
    this.#ends = undefined
    return taken
  }
}

/** Returns the `id` of a message if it is the first or last property. An `id` elsewhere could be part of the result. */
function idWithin({ head, tail }: { readonly head: string; readonly tail: string }): number | undefined {
  const first = /^(?:data: ?)?\{\s*(?:"jsonrpc":\s*"2\.0",\s*)?"id":\s*(\d+)\s*[,}]/.exec(head)
  const last = /[,{]\s*"id":\s*(\d+)\s*(?:,\s*"jsonrpc":\s*"2\.0"\s*)?\}\s*$/.exec(tail)
  const id = first?.[1] ?? last?.[1]
  return id === undefined ? undefined : Number(id)
}

/**
 * Splits text that arrives in pieces into lines. Lines longer than `maxBytes` are cut. If possible, they are reported
 * as too long before their end.
 */
export class BoundedLines {
  readonly #line: TextCollector
  /** True if the current line was already reported as too long. */
  #isReported = false

  constructor(maxBytes: number) {
    this.#line = new TextCollector(maxBytes)
  }

  /** Adds `text`, and returns the lines that are now complete or too long, without their line ends. */
  push(text: string): readonly BoundedText[] {
    const [first = '', ...others] = text.split('\n')
    return [...this.#add(first), ...others.flatMap((next) => [...this.#take(), ...this.#add(next)])]
  }

  /** Returns an array with the last line if this line has no line end; otherwise an empty array. */
  end(): readonly BoundedText[] {
    return this.#line.isEmpty ? [] : this.#take()
  }

  #add(piece: string): readonly BoundedText[] {
    this.#line.add(piece)
    const tooLong = this.#isReported ? undefined : this.#line.tooLong
    if (tooLong === undefined) return []
    this.#isReported = true
    return [tooLong]
  }

  #take(): readonly BoundedText[] {
    const line = this.#line.take()
    const isReported = this.#isReported
    this.#isReported = false
    return isReported ? [] : [line]
  }
}

/**
 * Waits for the next turn of the event loop. Call it between two messages of a server. If a progress notification and the response arrive
 * in the same turn, the SDK drops the notification.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
