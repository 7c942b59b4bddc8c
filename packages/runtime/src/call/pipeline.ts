import type { ToolService } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { BoundTool, PayloadTool } from './bound-tool.js'
import type { Failure } from './known-failure.js'
import { NEST, NestedSuspension, type NestingRequest } from './nesting.js'
import { isStream } from './open-stream.js'
import { payloadOf, presentPayload } from './payload.js'
import { completedOutcome } from './results.js'
import type { Abortable } from './running-call.js'
import { drainStream } from './streams.js'
import { FIXED_MESSAGES, peek, ToolFailure } from './tool-failure.js'
import { answeredOutcome, CallRequest } from './tool-request.js'

/**
 * The one path of every call, as the innermost service that layers wrap: payload adapter, decode, server-owned fields,
 * checks, executor, result codec, result adapter, envelope. Every failure of the call is an outcome.
 *
 * @throws {TypeError} for a request that no runtime made.
 */
export function toolService(tool: BoundTool): ToolService {
  return (request) => {
    if (request instanceof CallRequest) return new Promise((ended) => runTool(tool, request, { ended }))
    return Promise.reject(
      new TypeError('a layer passed on a request of its own making: use request.withMeta or request.withArguments'),
    )
  }
}

/** The same for a request of the runtime's own, without a promise: the listener is told of the outcome, once. */
export function runTool(tool: BoundTool, request: CallRequest, listener: OutcomeListener): void {
  const refusal = refusalOf(request)
  if (refusal !== undefined) {
    listener.ended(request.fail(refusal))
    return
  }
  request.running.begun = request.attempt
  const { answer } = request
  if (answer !== undefined && answer !== 'approve') {
    listener.ended(answeredOutcome(tool, request, answer))
    return
  }
  const unapproved = request.unapproved()
  if (unapproved === undefined) attempt(tool, request, listener)
  else
    listener.ended(
      unapproved.then(
        (outcome) => outcome ?? attempted(tool, request),
        (error) => request.fail(error),
      ),
    )
}

function attempted(tool: BoundTool, request: CallRequest): Promise<ToolOutcome> {
  return new Promise((ended) => attempt(tool, request, { ended }))
}

function attempt(tool: BoundTool, request: CallRequest, listener: OutcomeListener): void {
  const { limit } = request
  const { aborted } = limit
  if (aborted === undefined) new ToolAttempt(tool, request, limit, listener).begin()
  else listener.ended(request.failAs(abortFailure(aborted.reason), aborted.reason))
}

/** Why the tool is not run for a request: layers are code of others. */
function refusalOf({ running, attempt }: CallRequest): Error | undefined {
  if (running.ended) {
    return new ToolFailure('The call has ended already.', {
      reason: 'cancelled',
      cause: new TypeError('a layer called next after its call had ended'),
    })
  }
  if (attempt <= running.begun) {
    return new TypeError(`a layer called next again for attempt ${attempt}: pass request.again() to try once more`)
  }
  if (running.updates > 0) return new TypeError('a layer called next again after the tool had emitted an update')
  return undefined
}

/** Told of an outcome that is there, or on its way. An object: a function of its own for each call costs more. */
export interface OutcomeListener {
  ended(outcome: ToolOutcome | Promise<ToolOutcome>): void
}

/** One run of a tool. It ends once: whatever the tool still does after an abort is heard by nobody. */
class ToolAttempt {
  readonly #tool: BoundTool
  readonly #request: CallRequest
  readonly #limit: Abortable
  readonly #listener: OutcomeListener
  /** Present where the tool was asked through the door for payloads. */
  #direct: PayloadTool | undefined = undefined
  #release: (() => void) | undefined = undefined
  #isOver = false

  /** @param limit what may end the attempt; not aborted yet */
  constructor(tool: BoundTool, request: CallRequest, limit: Abortable, listener: OutcomeListener) {
    this.#tool = tool
    this.#request = request
    this.#limit = limit
    this.#listener = listener
  }

  /** Asks the tool. The listener is told of the end. */
  begin(): void {
    const fail = (error: unknown): void => this.#fail(error)
    this.#release = this.#limit.whenAborted(fail)
    try {
      this.#asked().then((answer) => this.#answered(answer, fail), fail)
    } catch (error) {
      fail(error)
    }
  }

  /** Asks the executor. A payload that is there at once is not waited for. @throws also what the executor throws at once. */
  #asked(): Promise<unknown> {
    const tool = this.#tool
    if (tool.decodeInExecutor) return this.#execute(this.#laterPayload())
    const present = presentPayload(tool, this.#request)
    if (present === undefined) {
      const payload = this.#laterPayload()
      return payload().then(() => this.#execute(payload))
    }
    if (tool.direct === undefined) {
      const payload = Promise.resolve(present.payload)
      return this.#execute(() => payload)
    }
    this.#try()
    this.#direct = tool.direct
    return Promise.resolve(tool.direct.ask(present.payload, this.#request))
  }

  #laterPayload(): () => Promise<unknown> {
    return memo(() => payloadOf(this.#tool, this.#request))
  }

  /** @throws also at once what the executor throws. */
  #execute(payload: () => Promise<unknown>): Promise<unknown> {
    const request = this.#request
    this.#try()
    const asked: NestingRequest = {
      tool: this.#tool.spec,
      meta: request.meta,
      json: () => request.json(),
      payload,
      emit: (update) => request.emit(update),
      [NEST]: request,
    }
    return Promise.resolve(this.#tool.executor.execute(asked))
  }

  /** @throws the reason of the abort, after which no tool is asked. */
  #try(): void {
    throwIfAborted(this.#limit)
    this.#request.running.ask()
  }

  #answered(answer: unknown, fail: (error: unknown) => void): void {
    try {
      const result = this.#direct === undefined ? answer : this.#direct.result(answer, this.#request)
      if (isThenable(result)) result.then((later) => this.#complete(later, fail)).then(undefined, fail)
      else this.#complete(result, fail)
    } catch (error) {
      fail(error)
    }
  }

  /** @throws what makes the call fail. */
  #complete(result: unknown, fail: (error: unknown) => void): void {
    // One that comes too late is closed.
    if (isStream(result)) {
      this.#drain(result)
        .then((last) => this.#complete(last, fail))
        .then(undefined, fail)
      return
    }
    if (this.#isOver) return
    const outcome = this.#outcomeOf(result)
    if (outcome instanceof Promise) outcome.then((later) => this.#end(later), fail)
    else this.#end(outcome)
  }

  #drain(stream: AsyncIterable<unknown>): Promise<unknown> {
    return drainStream(stream, { tool: this.#tool, request: this.#request, limit: this.#limit })
  }

  #outcomeOf(result: unknown): ToolOutcome | Promise<ToolOutcome> {
    const request = this.#request
    throwIfAborted(this.#limit)
    if (request.running.fault !== undefined) throw request.running.fault
    if (result instanceof NestedSuspension) return request.suspendedBy(result.run)
    return completedOutcome(this.#tool, request, result)
  }

  #fail(error: unknown): void {
    if (this.#isOver) return
    const { aborted } = this.#limit
    const request = this.#request
    this.#end(aborted === undefined ? request.fail(error) : request.failAs(abortFailure(aborted.reason), error))
  }

  #end(outcome: ToolOutcome | Promise<ToolOutcome>): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#release?.()
    if (!(outcome instanceof Promise)) this.#request.running.last = outcome
    this.#listener.ended(outcome)
  }
}

/** Whether something is to be waited for, of whatever library's making it is. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

function throwIfAborted({ aborted }: Abortable): void {
  if (aborted !== undefined) throw aborted.reason
}

/** Why an abort ended a call: `timeout` where the abort's reason is a `TimeoutError`, else `cancelled`. */
export function abortFailure(abortReason: unknown): Failure {
  const reason = peek(abortReason, 'name') === 'TimeoutError' ? 'timeout' : 'cancelled'
  return { reason, message: FIXED_MESSAGES[reason] }
}

/** A computation that is started by the first who asks and whose answer all share, also when it fails. */
function memo<Value>(compute: () => Promise<Value>): () => Promise<Value> {
  let answer: Promise<Value> | undefined
  return () => {
    if (answer === undefined) {
      answer = compute()
      // Who asks hears of a failure; one who asked and no longer waits must not bring the process down.
      answer.catch(() => undefined)
    }
    return answer
  }
}
