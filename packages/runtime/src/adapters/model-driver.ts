import { compiledRequest } from '../agents/message-compiler.js'
import { ModelResponseError } from '../agents/model-response-error.js'
import { classify, type ErrorRule, withMeaning } from '../call/classify.js'
import { responseHeader } from '../call/response-headers.js'
import { ignoreErrors } from '../call/telemetry.js'
import { sleep } from '../call/timers.js'
import { peek, peekFirst } from '../call/tool-failure.js'
import type { FailureReason } from '../types/failure.js'
import type {
  MessageCompiler,
  ModelDelta,
  ModelDriver,
  ModelRequest,
  ModelResponse,
  RunMeta,
} from '../types/planner.js'
import { vendorRules } from './vendor-errors.js'

export interface ModelRetry {
  /** Maximum number of requests, including the first request. For no retries, set 1. Default: 3. */
  readonly attempts?: number
  /** Approximate wait before the second attempt, in milliseconds. The wait doubles for each later attempt. Default: 500. */
  readonly initialMs?: number
  /** Maximum wait in milliseconds. If the server requests a longer wait, the driver throws the server's error without a retry. Default: 30,000. */
  readonly maxWaitMs?: number
}

export interface ModelDriverOptions<Delta = ModelDelta> {
  /**
   * If `true`, requests streamed responses, and `onDelta` receives the parts of each response. If code iterates over the parts of a run, for
   * example for `useChat`, the driver requests streamed responses even without this option. Default: `false`.
   */
  readonly stream?: boolean
  /** Number of attempts per request, and wait times between attempts. The driver disables the client's own retries. Default: 3 attempts. */
  readonly retry?: ModelRetry
  /**
   * Function that receives each part of a streamed response. The driver does not retry a request after the first part. The driver ignores errors
   * of the function. Default: none.
   */
  readonly onDelta?: (delta: Delta, meta: RunMeta) => void
}

interface DriverParts<Prepared, Delta> {
  readonly name: string
  readonly provider: string
  readonly model: string
  readonly retry: ModelRetry | undefined
  readonly stream: boolean
  readonly onDelta: ((delta: Delta, meta: RunMeta) => void) | undefined
  /** If `true`, `send` receives the signal of the run instead of a new signal for each attempt. */
  readonly sharesSignal?: boolean
  /** Called for each attempt. Default: the parts of a streamed response are already `ModelDelta` objects. */
  readonly newDeltaReader?: () => (delta: Delta) => readonly ModelDelta[]
  /** Called once for all attempts of a request. */
  prepare(request: ModelRequest): Prepared | Promise<Prepared>
  /** Must not retry the request, because {@link modelDriver} retries it. */
  send(prepared: Prepared, sending: Sending<Delta>): PromiseLike<unknown>
  /** Converts an error of `send` to the error that is classified. Default: the error itself. */
  readonly sendError?: (error: unknown) => unknown
  read(answer: unknown, position: number, prepared: Prepared): ModelResponse
  /** Called after a response without tool calls, which is usually the last response of a run, to free data about the run. */
  release?(meta: RunMeta): void
}

export interface Sending<Delta> {
  readonly signal: AbortSignal
  readonly isStreamed: boolean
  readonly position: number
  emit(delta: Delta): void
  /** `send` must call this method for each chunk before it calls `emit` for the parts of the chunk. */
  chunkReceived(): void
}

export function modelDriver<Prepared, Delta>(parts: DriverParts<Prepared, Delta>): ModelDriver {
  const { name, provider, model, onDelta } = parts
  const withRetries = modelRetry(parts.retry)
  const sendOnce =
    parts.sharesSignal === true
      ? (prepared: Prepared, sending: Sending<Delta>): PromiseLike<unknown> => {
          sending.signal.throwIfAborted()
          return parts.send(prepared, sending)
        }
      : (prepared: Prepared, sending: Sending<Delta>): PromiseLike<unknown> =>
          withSignal(sending.signal, (signal) => parts.send(prepared, { ...sending, signal }))
  const driverWith = (compiler: MessageCompiler | undefined): ModelDriver => ({
    name,
    provider,
    model,
    withMessageCompiler: driverWith,
    ask: async (original) => {
      const request = compiler === undefined ? original : await compiledRequest(original, compiler)
      const { meta } = request
      const { signal } = meta
      const position = original.messages.length
      const preparing = parts.prepare(request)
      const prepared = preparing instanceof Promise ? await preparing : preparing
      const ofRun = original.onDelta
      const isStreamed = parts.stream || ofRun !== undefined
      let hasDelta = false
      const send = async (): Promise<ModelResponse> => {
        const sentAt = isStreamed ? performance.now() : 0
        let timeToFirstChunkMs: number | undefined
        const chunkReceived = (): void => {
          timeToFirstChunkMs ??= performance.now() - sentAt
        }
        const read = parts.newDeltaReader?.() ?? sameDelta
        const emit = (delta: Delta): void => {
          if (onDelta !== undefined) {
            hasDelta = true
            ignoreErrors(() => onDelta(delta, meta))
          }
          if (ofRun === undefined) return
          ignoreErrors(() => {
            for (const part of read(delta)) {
              hasDelta = true
              ofRun(part)
            }
          })
        }
        let answer: unknown
        try {
          answer = await sendOnce(prepared, { signal, emit, chunkReceived, isStreamed, position })
        } catch (error) {
          throw requestError(parts.sendError === undefined ? error : parts.sendError(error))
        }
        // Clients end an aborted stream without an error, as if the stream were complete.
        signal.throwIfAborted()
        const response = parts.read(answer, position, prepared)
        if (response.calls.length === 0) parts.release?.(meta)
        return timeToFirstChunkMs === undefined ? response : { ...response, timeToFirstChunkMs }
      }
      // Without `await`, the promise would need two more microtasks.
      return await withRetries(signal, send, () => !hasDelta)
    },
  })
  return driverWith(undefined)
}

function sameDelta(delta: unknown): readonly ModelDelta[] {
  return [delta as ModelDelta]
}

const RULES: readonly ErrorRule[] = [vendorRules.aiSdk, vendorRules.gemini, vendorRules.openAi]

const TEMPORARY: ReadonlySet<string> = new Set(['rate_limited', 'unavailable', 'timeout'])

export function modelRetry({ attempts = 3, initialMs = 500, maxWaitMs = 30_000 }: ModelRetry = {}) {
  if (!Number.isInteger(attempts) || attempts < 1)
    throw new RangeError(`retry.attempts must be an integer of at least 1, but is ${attempts}`)
  if (!(initialMs >= 0 && Number.isFinite(initialMs)))
    throw new RangeError(`retry.initialMs must be a finite number of milliseconds, 0 or more, but is ${initialMs}`)
  if (!(maxWaitMs >= 0))
    throw new RangeError(`retry.maxWaitMs must be a number of milliseconds, 0 or more, but is ${maxWaitMs}`)

  const waitBefore = (attempt: number, error: unknown): number | undefined => {
    const { reason, retryAfterMs } = classify(error, Date.now(), { errorRules: RULES })
    const advice = responseHeader(error, 'x-should-retry')
    if (advice === 'false' || (advice !== 'true' && !TEMPORARY.has(reason))) return undefined
    if (retryAfterMs !== undefined) return retryAfterMs > maxWaitMs ? undefined : retryAfterMs
    return Math.min(maxWaitMs, initialMs * 2 ** (attempt - 2) * (0.75 + Math.random() / 2))
  }

  return async <Response>(
    signal: AbortSignal,
    send: () => Promise<Response>,
    mayRepeat: () => boolean,
  ): Promise<Response> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await send()
      } catch (error) {
        signal.throwIfAborted()
        const waitMs = attempt < attempts && mayRepeat() ? waitBefore(attempt + 1, error) : undefined
        if (waitMs === undefined) throw error
        await sleep(waitMs, signal)
        signal.throwIfAborted()
      }
    }
  }
}

/**
 * Clients such as OpenAI's add abort listeners to the signal that they receive, and never remove them. With a new signal for each attempt, these
 * listeners do not accumulate on the signal of the run.
 */
export async function withSignal<Value>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => PromiseLike<Value>,
): Promise<Value> {
  signal.throwIfAborted()
  const controller = new AbortController()
  const abort = (): void => controller.abort(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    return await work(controller.signal)
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

const REASONS: ReadonlyMap<unknown, FailureReason> = new Map<unknown, FailureReason>([
  ['rate_limit_exceeded', 'rate_limited'],
  ['rate_limit_error', 'rate_limited'],
  ['insufficient_quota', 'denied'],
  ['invalid_api_key', 'denied'],
  ['authentication_error', 'denied'],
  ['permission_error', 'denied'],
  ['billing_error', 'denied'],
  ['content_filter', 'denied'],
  ['content_policy_violation', 'denied'],
  ['image_content_policy_violation', 'denied'],
  ['bio_policy', 'denied'],
  ['context_length_exceeded', 'domain_rejection'],
  ['model_not_found', 'domain_rejection'],
  ['invalid_request_error', 'domain_rejection'],
  ['not_found_error', 'domain_rejection'],
  ['request_too_large', 'domain_rejection'],
  ['invalid_prompt', 'domain_rejection'],
  ['invalid_image', 'domain_rejection'],
  ['image_too_large', 'domain_rejection'],
  ['unsupported_image_media_type', 'domain_rejection'],
  ['failed_to_download_image', 'domain_rejection'],
])

/** For a response that has the HTTP status 200, but whose body describes an error. */
export function errorResponse(error: object, cause: unknown = error): ModelResponseError {
  const [code, type] = [peek(error, 'code'), peek(error, 'type')]
  // Some servers use the HTTP status as the code.
  const ofStatus = typeof code === 'number' ? classify({ status: code }, 0).reason : 'internal'
  const reason = ofStatus === 'internal' ? (REASONS.get(code) ?? REASONS.get(type) ?? 'unavailable') : ofStatus
  return new ModelResponseError('error_response', { reason, cause })
}

function requestError(error: unknown): unknown {
  if (error instanceof SyntaxError) return new ModelResponseError('not_json', { cause: error })
  // The error of an event in a stream is nested in some APIs.
  const sent = peekFirst(error, 'error.error', 'error')
  const isInStream = typeof sent === 'object' && sent !== null && peek(error, 'status') === undefined
  if (isInStream) return errorResponse(sent, error)
  return RULES.reduce(withMeaning, error)
}
