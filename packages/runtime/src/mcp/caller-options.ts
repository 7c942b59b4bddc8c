import { requireTimeLimit } from '../call/timers.js'
import type { McpServerInfo } from '../types/mcp.js'

/** A folder or file that a server may work in, as it is told when it asks. */
export interface McpRoot {
  /** Begins with `file://`. */
  readonly uri: string
  readonly name?: string
}

/** How a lost connection is made again, for the next call that needs it. */
export interface ReconnectOptions {
  /** How often a connection is tried at most before a call fails. Default 4. */
  readonly attempts?: number
  /** About how long the first wait between two tries is, in milliseconds; doubles with each. Default 200. */
  readonly initialMs?: number
  /** The longest wait, in milliseconds. Default 5,000. */
  readonly maxMs?: number
}

/** What all callers take. */
export interface CallerOptions {
  /** Who the server is told that it talks to. */
  readonly client?: McpServerInfo
  /** What is answered to `roots/list`; absent: the server is told that there are none to ask for. */
  readonly roots?: readonly McpRoot[] | (() => readonly McpRoot[] | Promise<readonly McpRoot[]>)
  /** How long a request may stay without an answer or progress, in milliseconds; `Infinity`: for ever. Default 60,000. */
  readonly timeoutMs?: number
  /** How long one try to connect may take, in milliseconds; `Infinity`: for ever. Default 30,000. */
  readonly connectTimeoutMs?: number
  readonly reconnect?: ReconnectOptions
  /** The longest message that is taken from a server, in bytes. Default 64 MiB. */
  readonly maxMessageBytes?: number
  /**
   * Receives errors that belong to no call: garbage between messages, a stream that broke off, a listed tool without a name.
   * The end of a server after `close()` is not an error. Errors that it throws are ignored.
   */
  readonly onError?: (error: unknown) => void
}

/** The longest message where nothing else is said. */
export const MAX_MESSAGE_BYTES: number = 64 * 1024 * 1024

/** @throws {RangeError} for an option that is no number of its kind. */
export function requireCallerOptions({
  timeoutMs,
  connectTimeoutMs,
  reconnect,
  maxMessageBytes = 1,
}: CallerOptions): void {
  requireTimeLimit('timeoutMs', timeoutMs)
  requireTimeLimit('connectTimeoutMs', connectTimeoutMs)
  const { attempts = 1 } = reconnect ?? {}
  if (!(attempts >= 1)) throw new RangeError(`reconnect.attempts is ${attempts}, give 1 or more`)
  if (!(maxMessageBytes > 0)) throw new RangeError(`maxMessageBytes is ${maxMessageBytes}, give bytes above 0`)
}
