import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import {
  CancelledError,
  type InvocationId,
  type InvocationPromise,
  RestatePromise,
  type Serde,
  serde,
  type TerminalError,
  type WorkflowContext,
} from '@restatedev/restate-sdk'
import type { DurableCallResult, DurableInput, DurableInvocation, DurableResult } from '../durable/engine.js'
import type { SessionMessage } from '../durable/session-types.js'
import type { JsonValue } from '../types/json.js'
import type { Answers, RunSuspension } from '../types/outcome.js'
import type { RunEvent } from '../types/run.js'
import { answerPromise, type LogEntry, logPromise, RUN_STATE, type RunRecord, sessionsName } from './protocol.js'
import type { StoredValue, StoredValues } from './stored-values.js'

interface Wait {
  readonly delivery: RestatePromise<Delivery>
  readonly settle: (delivery: Delivery) => unknown
  /** Absent if the wait continues after a cancellation. */
  readonly cancel?: () => void
}

interface Delivery {
  readonly wait: Wait
  readonly value: unknown
  readonly failure: TerminalError | undefined
}

interface WaitOptions<Recorded, Result> {
  readonly start: () => RestatePromise<Recorded>
  readonly read: (value: Recorded) => Result | Promise<Result>
  /** By default, a failure that Restate has recorded rejects the operation. */
  readonly failed?: (failure: TerminalError) => Result
  /** By default, the operation continues after a cancellation. */
  readonly cancelled?: () => Result
}

/**
 * Restate permits only one `await` on its promises at a time, but the steps of a run overlap. Therefore, one loop waits for the promises of all steps
 * with `Promise.race`. The loop delivers the first result, and waits for a turn of the event loop before the next race. Restate repeats the results
 * in their recorded order, so each attempt makes the same calls.
 */
export class RestateInvocation implements DurableInvocation {
  readonly id: string
  readonly attempt: string = randomUUID()
  readonly signal: AbortSignal
  readonly #context: WorkflowContext
  readonly #values: StoredValues
  readonly #controller = new AbortController()
  readonly #waits = new Set<Wait>()
  readonly #writes: Promise<void>[] = []
  readonly #calls = new Map<string, InvocationPromise<StoredValue>>()
  #entries = 0
  #isOver = false
  #onWait: () => void = () => undefined

  constructor(context: WorkflowContext, values: StoredValues) {
    this.id = context.key
    this.#context = context
    this.#values = values
    this.signal = this.#controller.signal
    // The connection ends before the attempt if Restate gives this attempt up. Another attempt may already run in another process.
    context.request().attemptCompletedSignal.addEventListener('abort', () => {
      this.#isOver = true
      this.#controller.abort()
    })
  }

  async execute(run: () => Promise<DurableResult | DurableCallResult>): Promise<StoredValue> {
    this.#record({})
    let hasEnded = false
    const result = run()
    const end = (): void => {
      hasEnded = true
    }
    const isEnded = result.then(end, end)
    await this.#turn()
    while (!hasEnded) {
      await Promise.race([isEnded, this.#waits.size === 0 ? this.#firstWait() : this.#deliver()])
      await this.#turn()
    }
    const stored = await this.#values.write(await result)
    await Promise.all(this.#writes)
    this.#appendToLog({ ended: true })
    this.#record({ ended: true })
    return stored
  }

  step(_name: string, work: () => Promise<JsonValue>): Promise<JsonValue> {
    return this.#wait<StoredValue, JsonValue>({
      // Restate would compare names, and report a difference with less detail than `runInvocation`.
      start: () => this.#context.run('step', async () => this.#values.write(await work())),
      read: (stored) => this.#values.read(stored),
    })
  }

  sleep(milliseconds: number): Promise<void> {
    if (this.signal.aborted) return Promise.resolve()
    return this.#wait<void, void>({
      start: () => this.#context.sleep(Math.ceil(milliseconds)),
      read: () => undefined,
      cancelled: () => undefined,
    })
  }

  answer(suspension: RunSuspension): Promise<Answers | undefined> {
    if (this.signal.aborted) return Promise.resolve(undefined)
    return this.#wait<StoredValue, Answers | undefined>({
      start: () => {
        this.#record({ suspension: this.#write(suspension) })
        return this.#context.promise<StoredValue>(answerPromise(suspension.id)).get()
      },
      read: (stored) => {
        this.#record({})
        return this.#values.read<Answers>(stored)
      },
      cancelled: () => {
        this.#record({})
        return undefined
      },
    })
  }

  invoke(agent: string, id: string, input: DurableInput): Promise<DurableResult> {
    const context = this.#context
    const ended = (): void => {
      this.#calls.delete(id)
      this.#record({})
    }
    return this.#wait<StoredValue, DurableResult>({
      start: () => {
        const { service } = context.request().target
        const parameter = this.#write(input)
        const json = serde.json as Serde<StoredValue>
        const call = context.genericCall({
          ...{ service, method: 'run', key: id, parameter, inputSerde: json, outputSerde: json },
        })
        this.#calls.set(id, call)
        this.#record({})
        return call
      },
      read: (stored) => {
        ended()
        return this.#values.read(stored)
      },
      failed: (failure) => {
        ended()
        return failedResult(agent, input.parent?.runId ?? id, failure)
      },
    })
  }

  cancel(id: string): void {
    const call = this.#calls.get(id)
    if (call === undefined) return
    void this.#wait<InvocationId, void>({
      // Restate returns a promise that can be raced, although its type does not say so.
      start: () => call.invocationId as RestatePromise<InvocationId>,
      read: (invocation) => this.#context.cancel(invocation),
    })
  }

  publish(position: number, events: readonly RunEvent[]): void {
    if (!this.#isOver) this.#appendToLog({ position, events: this.#write(events) })
  }

  tell(sessionId: string, message: SessionMessage): void {
    if (this.#isOver) return
    const service = sessionsName(this.#context.request().target.service)
    const inputSerde = serde.json as Serde<StoredValue>
    this.#context.genericSend({
      ...{ service, method: 'command', key: sessionId, parameter: this.#write(message), inputSerde },
    })
  }

  #appendToLog(entry: LogEntry): void {
    this.#entries += 1
    // Resolves the durable promise of the entry, with no effect if an earlier attempt has resolved the promise. Not awaited, because Restate stores
    // the entry before the end of the run.
    this.#context.promise<LogEntry>(logPromise(this.#entries)).resolve(entry)
  }

  /** Does not wait until a large value is written. The attempt waits for all writes before it ends. */
  #write(value: unknown): StoredValue {
    const { stored, isWritten } = this.#values.writeLater(value)
    this.#writes.push(isWritten)
    isWritten.catch(() => undefined)
    return stored
  }

  #record(state: Pick<RunRecord, 'suspension' | 'ended'>): void {
    const invocation: string = this.#context.request().id
    const nested = [...this.#calls.keys()]
    const record: RunRecord = { version: 1, invocation, ...(nested.length > 0 && { nested }), ...state }
    this.#context.set(RUN_STATE, record)
  }

  #wait<Recorded, Result>({ start, read, failed, cancelled }: WaitOptions<Recorded, Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      // The attempt is over: its results no longer matter, and Restate accepts no more calls.
      if (this.#isOver) return
      const wait: Wait = {
        delivery: start().map((value, failure) => ({ wait, value, failure })),
        settle: async ({ value, failure }) => {
          if (failure === undefined) await Promise.resolve(read(value as Recorded)).then(resolve, reject)
          else if (failed === undefined) reject(failure)
          else resolve(failed(failure))
        },
        ...(cancelled && { cancel: () => resolve(cancelled()) }),
      }
      this.#waits.add(wait)
      this.#onWait()
    })
  }

  #firstWait(): Promise<void> {
    return new Promise((resolve) => {
      this.#onWait = resolve
    })
  }

  async #deliver(): Promise<void> {
    try {
      const delivery = await RestatePromise.race([...this.#waits].map((wait) => wait.delivery))
      this.#waits.delete(delivery.wait)
      await delivery.wait.settle(delivery)
    } catch (error) {
      if (!(error instanceof CancelledError)) throw error
      this.#controller.abort()
      for (const wait of this.#waits) {
        if (wait.cancel === undefined) continue
        this.#waits.delete(wait)
        wait.cancel()
      }
    }
  }

  async #turn(): Promise<void> {
    // During this turn, the run continues until it waits for Restate again.
    await setImmediate()
    await setImmediate()
  }
}

function failedResult(agent: string, runId: string, { message }: TerminalError): DurableResult {
  const stop = { reason: 'failed', message: `The nested run '${runId}' ended without a result: ${message}.` } as const
  return {
    ...{ version: 1, runId, agent, status: 'failed', stop, stops: [stop], messages: [], outcomes: [] },
    usage: { promptTokens: 0, completionTokens: 0, turns: 0, toolCalls: 0, durationMs: 0 },
    error: { reason: 'internal', message: stop.message },
    endedAt: 0,
  }
}
