import { type JSONRPCMessage, JSONRPCMessageSchema, type RequestId } from '@modelcontextprotocol/sdk/types.js'
import { isFields } from '../schema/json-values.js'
import { McpCallError } from './mcp-call-error.js'

/**
 * The default name and version that callers and servers send. The version is the package's; it is written here because
 * bundled code has no package.json to read.
 */
export const ownName: { readonly name: string; readonly version: string } = { name: 'toolgen', version: '0.1.0' }

/** An answer of this side in place of the server's. No server can forge it: its data is an error, and JSON has none. */
export function ownAnswer(id: RequestId, error: McpCallError): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: -32000, message: error.message, data: error } }
}

export function tooLarge(maxBytes: number): McpCallError {
  return new McpCallError('too_large', `an answer is longer than ${maxBytes} bytes`)
}

export function malformedAnswer(cause?: unknown): McpCallError {
  return new McpCallError('malformed', 'the answer breaks the Model Context Protocol', { cause })
}

/** A message, or the error of another value; both for an answer that breaks the protocol. */
export interface ReadMessage {
  readonly message?: JSONRPCMessage
  readonly error?: unknown
}

/** Reads a message. An answer that breaks the protocol becomes an error answer. */
export function readMessage(text: string): ReadMessage {
  try {
    return readValue(JSON.parse(text))
  } catch (error) {
    return { error }
  }
}

/** Reads a message that is parsed already. */
export function readValue(value: unknown): ReadMessage {
  const read = JSONRPCMessageSchema.safeParse(value)
  if (read.success) return { message: read.data }
  const { error } = read
  const id = isFields(value) && !('method' in value) ? value.id : undefined
  const isId = typeof id === 'number' || typeof id === 'string'
  return isId ? { message: ownAnswer(id, malformedAnswer(error)), error } : { error }
}

/** A text within a limit, or the id of the request that a longer one answers, if its ends contain it. */
export type BoundedText = { readonly text: string } | { readonly answeredId: number | undefined }

/** Number of characters kept of each end of a text that is too long. */
const END_LENGTH = 1_024

/** Collects the pieces of a text; beyond a limit in bytes it keeps only the ends. */
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

  /** Returns the text and starts the next one. */
  take(): BoundedText {
    const taken: BoundedText = this.#ends ? { answeredId: idWithin(this.#ends) } : { text: this.#pieces.join('') }
    this.#pieces = []
    this.#bytes = 0
    this.#ends = undefined
    return taken
  }
}

/** Returns the id among the first fields of a message or as its last one: anything between may be part of the result. */
function idWithin({ head, tail }: { readonly head: string; readonly tail: string }): number | undefined {
  const first = /^(?:data: ?)?\{\s*(?:"jsonrpc":\s*"2\.0",\s*)?"id":\s*(\d+)\s*[,}]/.exec(head)
  const last = /[,{]\s*"id":\s*(\d+)\s*(?:,\s*"jsonrpc":\s*"2\.0"\s*)?\}\s*$/.exec(tail)
  const id = first?.[1] ?? last?.[1]
  return id === undefined ? undefined : Number(id)
}

/** Splits text at line feeds. */
export class BoundedLines {
  readonly #line: TextCollector

  constructor(maxBytes: number) {
    this.#line = new TextCollector(maxBytes)
  }

  /** Returns the lines that end in this text, without their ends. */
  push(text: string): readonly BoundedText[] {
    const [first = '', ...others] = text.split('\n')
    this.#line.add(first)
    return others.map((next) => {
      const line = this.#line.take()
      this.#line.add(next)
      return line
    })
  }

  /** Returns the text since the last line end, if there is any. */
  end(): readonly BoundedText[] {
    return this.#line.isEmpty ? [] : [this.#line.take()]
  }
}

/** Waits for the next turn of the event loop: the SDK loses progress that arrives together with its answer. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
