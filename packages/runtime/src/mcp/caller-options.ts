import type { McpServerInfo } from '../types/mcp.js'
/** A folder or file that a server may work in, sent when it asks. */
export interface McpRoot {
  /** Begins with `file://`. */
  readonly uri: string
  readonly name?: string
}

/** Options for connecting again after a connection was lost. */
export interface ReconnectOptions {
  /** Maximum number of attempts before a call fails. Default 4. */
  readonly attempts?: number
  /** The first delay between two attempts, in milliseconds; doubles with each. Default 200. */
  readonly initialMs?: number
  /** The longest delay, in milliseconds. Default 5,000. */
  readonly maxMs?: number
}

/** Options of all callers. */
export interface CallerOptions {
  /** The name and version that the server receives. Default: those of this package. */
  readonly client?: McpServerInfo
  /** The answer to `roots/list`. Default: the server cannot ask for roots. */
  readonly roots?: readonly McpRoot[] | (() => readonly McpRoot[] | Promise<readonly McpRoot[]>)
  /** The longest time that a request may be without an answer or progress, in milliseconds, or `Infinity`. Default 60,000. */
  readonly timeoutMs?: number
  /** The longest time for one attempt to connect, in milliseconds, or `Infinity`. Default 30,000. */
  readonly connectTimeoutMs?: number
  readonly reconnect?: ReconnectOptions
  /** Maximum size of a message of the server, in bytes. Default 64 MiB. */
  readonly maxMessageBytes?: number
  /**
   * Receives errors that belong to no call: garbage between messages, a stream that broke off, a listed tool without a name.
   * The end of a server after `close()` is not an error. Errors that it throws are ignored.
   */
  readonly onError?: (error: unknown) => void
}

/** The default of `maxMessageBytes`. */
export const MAX_MESSAGE_BYTES: number = 64 * 1024 * 1024
