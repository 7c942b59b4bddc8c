import { requireTimeLimit } from '../call/timers.js'
import { isFields } from '../schema/json-values.js'
import type { McpAnswer, McpQuestion } from '../types/elicitation.js'
import type { McpServerInfo } from '../types/mcp.js'

/** Root: a folder or file that the server may use. When the server requests `roots/list`, the `McpCaller` sends all roots. */
export interface McpRoot {
  /** URI that begins with `file://`. */
  readonly uri: string
  readonly name?: string
}

export interface ReconnectOptions {
  /** Maximum number of attempts to connect. The call fails after the last attempt. Default: 4. */
  readonly attempts?: number
  /** Delay before the second attempt, in milliseconds. The delay doubles after each later attempt. Default: 200. */
  readonly initialMs?: number
  /** Maximum delay between two attempts, in milliseconds. Default: 5,000. */
  readonly maxMs?: number
}

export interface CallerOptions {
  /** Name and version of the client, sent to the server. Default: `toolgen` and the version of this package. */
  readonly client?: McpServerInfo
  /**
   * Roots (folders and files that the server may use), or a function that returns roots. The `McpCaller` sends the roots when the server requests
   * `roots/list`. Default: the `McpCaller` does not offer roots.
   */
  readonly roots?: readonly McpRoot[] | (() => readonly McpRoot[] | Promise<readonly McpRoot[]>)
  /**
   * Answers a question of the server during a call (elicitation). The call waits for the answer in this process, up to the `timeoutMs` of the call, or
   * without this limit if the server runs the call as a task. A restart of the process ends the wait. The server receives only answers that match its schema. If the answer does not match the schema or the
   * function throws an error, the call fails (protocol 2026-07-28), or the server receives an error response (older protocols). The signal is aborted
   * if the call is cancelled. Default: with protocol 2026-07-28, a question suspends the call; servers with older protocols do not ask questions.
   */
  readonly elicit?: (question: McpQuestion, options: { readonly signal: AbortSignal }) => McpAnswer | Promise<McpAnswer>
  /**
   * Maximum time that a request waits for the response or for the next progress notification, in milliseconds. `Infinity` means no limit. Default:
   * 60,000.
   */
  readonly timeoutMs?: number
  /** Maximum time of one attempt to connect, in milliseconds. `Infinity` means no limit. Default: 30,000. */
  readonly connectTimeoutMs?: number
  readonly reconnect?: ReconnectOptions
  /** Maximum size of one message from the server, in bytes. Default: 64 MiB. */
  readonly maxMessageBytes?: number
  /**
   * Receives errors that do not belong to a call, for example invalid output of the server, a broken stream or a tool without a name. The end of the
   * server after `close()` is not reported. Errors that this function throws are ignored. Default: errors are ignored.
   */
  readonly onError?: (error: unknown) => void
}

export const MAX_MESSAGE_BYTES: number = 64 * 1024 * 1024

export function requireCallerOptions(options: CallerOptions): void {
  const { client, roots, elicit, timeoutMs, connectTimeoutMs, reconnect = {}, maxMessageBytes, onError } = options
  requireTimeLimit('timeoutMs', timeoutMs)
  requireTimeLimit('connectTimeoutMs', connectTimeoutMs)
  requireOption('reconnect', reconnect, isFields(reconnect), 'an object')
  const { attempts, initialMs, maxMs } = reconnect
  requireNumber('reconnect.attempts', attempts, 1)
  requireNumber('reconnect.initialMs', initialMs, 0)
  requireNumber('reconnect.maxMs', maxMs, 0)
  requireNumber('maxMessageBytes', maxMessageBytes, 1)
  requireOption('elicit', elicit, isOptionalFunction(elicit), 'a function')
  requireOption('onError', onError, isOptionalFunction(onError), 'a function')
  const isRoots = Array.isArray(roots)
    ? roots.every((root) => isFields(root) && typeof root.uri === 'string')
    : isOptionalFunction(roots)
  requireOption('roots', roots, isRoots, 'an array of `{ uri }`, or a function that returns one')
  const isClient = client === undefined || (isFields(client) && isText(client.name) && isText(client.version))
  requireOption('client', client, isClient, '`{ name, version }`')
}

/** The error message does not contain `value`, which can be a secret. */
export function requireOption(name: string, value: unknown, isValid: boolean, expected: string): void {
  if (isValid) return
  const got = value === null ? 'null' : Array.isArray(value) ? 'an array' : `of the type ${typeof value}`
  throw new TypeError(`\`${name}\` must be ${expected}, but is ${got}`)
}

function requireNumber(name: string, value: unknown, minimum: number): void {
  if (value === undefined || (typeof value === 'number' && value >= minimum)) return
  const shown = typeof value === 'number' ? value : JSON.stringify(value)
  throw new RangeError(`${name} must be a number of at least ${minimum}, but is ${shown}`)
}

export function isOptionalFunction(value: unknown): boolean {
  return value === undefined || typeof value === 'function'
}

export function isText(value: unknown): value is string {
  return typeof value === 'string'
}
