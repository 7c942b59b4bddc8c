import type { ToolOutcome } from '../../contract/outcome.js'
import { NEST, type NestingRequest } from '../nest/call-nest.js'
import { NestedSuspension } from '../nest/nested-suspension.js'
import { drainStream } from '../stream/drain-stream.js'
import { isStream } from '../stream/open-stream.js'
import type { BoundTool } from '../tool/bound-tool.js'
import { memo } from '../tool/memo.js'
import type { PayloadTool } from '../tool/payload-door.js'
import type { Abortable } from '../tool/running-call.js'
import { abortFailure } from './abort-failure.js'
import type { CallRequest } from './call-request.js'
import { completedOutcome } from './completed-outcome.js'
import { payloadOf, presentPayload } from './payload.js'

/** Told of an outcome that is there, or on its way. An object: a function of its own for each call costs more. */
export interface OutcomeListener {
  ended(outcome: ToolOutcome | Promise<ToolOutcome>): void
}

/** One run of a tool. It ends once: whatever the tool still does after an abort is heard by nobody. */
export class ToolAttempt {
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
