import type { McpServerInfo } from '../types/mcp.js'
/** Folder or file that the server may use, sent when it asks for roots. */
export interface McpRoot {
  /** URI that begins with `file://`. */
  readonly uri: string
  readonly name?: string
}

/** Options for reconnecting after a lost connection. */
export interface ReconnectOptions {
  /** Maximum number of attempts before a call fails. Default: 4. */
  readonly attempts?: number
  /** Delay before the second attempt, in milliseconds. It doubles with each attempt. Default: 200. */
  readonly initialMs?: number
  /** Maximum delay in milliseconds. Default: 5,000. */
  readonly maxMs?: number
}

/** Options of all callers. */
export interface CallerOptions {
  /** Client name and version sent to the server. Default: those of this package. */
  readonly client?: McpServerInfo
  /** Response to `roots/list`. Default: the client does not offer roots. */
  readonly roots?: readonly McpRoot[] | (() => readonly McpRoot[] | Promise<readonly McpRoot[]>)
  /** Maximum time without a response or progress, in milliseconds or `Infinity`. Default: 60,000. */
  readonly timeoutMs?: number
  /** Maximum time of one attempt to connect, in milliseconds or `Infinity`. Default: 30,000. */
  readonly connectTimeoutMs?: number
  readonly reconnect?: ReconnectOptions
  /** Maximum size of a message from the server, in bytes. Default: 64 MiB. */
  readonly maxMessageBytes?: number
  /**
   * Receives errors that do not belong to a call: invalid output of the server, a broken stream, a listed tool without
   * a name. The end of the server after `close()` is not an error. Errors of the listener are ignored.
   */
  readonly onError?: (error: unknown) => void
}

/** Default of `maxMessageBytes`. */
export const MAX_MESSAGE_BYTES: number = 64 * 1024 * 1024
