import {
  type JSONRPCMessage,
  type ProtocolError,
  parseJSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/client'
import { isFields } from '../schema/json-values.js'
import { McpCallError } from './mcp-call-error.js'

/** The version is a constant, because bundled code cannot read package.json. */
export const ownName: { readonly name: string; readonly version: string } = { name: 'toolgen', version: '0.1.0' }

/** Extension of protocol 2026-07-28. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

/** In an error response that the client itself creates, `data` is an `McpCallError` object. In a response of a server, `data` is always JSON. */
export function ownAnswer(id: RequestId, error: McpCallError): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: -32000, message: error.message, data: error } }
}

export function tooLarge(maxBytes: number): McpCallError {
  return new McpCallError('too_large', `the response is longer than ${maxBytes} bytes`)
}

export function malformedAnswer(cause?: unknown): McpCallError {
  return new McpCallError('malformed', 'the response violates the Model Context Protocol', { cause })
}

export function refusal(error: ProtocolError): McpCallError {
  // Old SDKs of servers add a prefix.
  const text = error.message.replace(/^(MCP error -?\d+: )+/, '')
  return new McpCallError('refused', text, { rpcCode: error.code, cause: error })
}

/** For an invalid response whose id is known, both properties are set, and `message` is an error response with this id. */
export interface ReadMessage {
  readonly message?: JSONRPCMessage
  readonly error?: unknown
}

export function readMessage(text: string): ReadMessage {
  try {
    return readValue(JSON.parse(text))
  } catch (error) {
    return { error }
  }
}

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
 * `answeredId` is the id of the request that a too long message answers. The id is `undefined` if neither the beginning nor the end of the text
 * contains an id.
 */
export type BoundedText = { readonly text: string } | { readonly answeredId: number | undefined }

const END_LENGTH = 1_024

/**
 * If the beginning of a too long text contains no request id, reading continues up to `GIVE_UP_AFTER * maxBytes` bytes, because the end of the text
 * can contain the id.
 */
const GIVE_UP_AFTER = 4

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

  take(): BoundedText {
    const taken: BoundedText = this.#ends ? { answeredId: idWithin(this.#ends) } : { text: this.#pieces.join('') }
    this.#pieces = []
    this.#bytes = 0
    this.#ends = undefined
    return taken
  }
}

/** An `id` that is neither the first nor the last property could belong to the result. */
function idWithin({ head, tail }: { readonly head: string; readonly tail: string }): number | undefined {
  const first = /^(?:data: ?)?\{\s*(?:"jsonrpc":\s*"2\.0",\s*)?"id":\s*(\d+)\s*[,}]/.exec(head)
  const last = /[,{]\s*"id":\s*(\d+)\s*(?:,\s*"jsonrpc":\s*"2\.0"\s*)?\}\s*$/.exec(tail)
  const id = first?.[1] ?? last?.[1]
  return id === undefined ? undefined : Number(id)
}

export class BoundedLines {
  readonly #line: TextCollector
  #isReported = false

  constructor(maxBytes: number) {
    this.#line = new TextCollector(maxBytes)
  }

  push(text: string): readonly BoundedText[] {
    const [first = '', ...others] = text.split('\n')
    return [...this.#add(first), ...others.flatMap((next) => [...this.#take(), ...this.#add(next)])]
  }

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
 * A transport must call this function after each message of a server, because the SDK drops a progress notification that arrives in the same turn as
 * the response to its request.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
