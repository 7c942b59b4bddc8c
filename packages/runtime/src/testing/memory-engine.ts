import { after } from '../call/timers.js'
import {
  requireAnswerArguments,
  requireCount,
  requireObject,
  requirePosition,
  requireRunId,
  shown,
} from '../durable/arguments.js'
import { type DurableAgents, requireDurableAgents } from '../durable/durable-agents.js'
import { durableInput, requireAnswers } from '../durable/durable-run.js'
import { openDurableSession } from '../durable/durable-session.js'
import {
  type DurableCall,
  type DurableCallResult,
  type DurableClient,
  DurableError,
  type DurableInput,
  type DurableInvocation,
  type DurableResult,
  type DurableRunOptions,
  type DurableStatus,
  type ParkedReport,
} from '../durable/engine.js'
import { runInvocation } from '../durable/session-call.js'
import type { DurableSession, DurableSessionOptions, SessionMessage } from '../durable/session-types.js'
import { subscription } from '../durable/subscription.js'
import type { JsonValue } from '../types/json.js'
import type { Answers, RunSuspension } from '../types/outcome.js'
import type { RunEvent, RunInput } from '../types/run.js'
import { copied, MemorySessions } from './memory-sessions.js'

/** Point of a durable run or of a session command at which {@link memoryEngine} can simulate a crash of the process. */
export interface CrashPoint {
  /** Id of the run, nested run or call that the engine executes. For a session command: id of the session. */
  readonly runId: string
  /** Number of the attempt of the run or session command, starting at 1. */
  readonly attempt: number
  /** Name of the step, for example `decision 1` or `orders.getOrder (call_1)`. For a session command: `session` and the kind of command. */
  readonly step: string
  /**
   * Time of the crash. `before`: the step has not started. `during`: the step has had its effects, but the engine has not recorded the result.
   * `after`: the engine has recorded the result, but the run has not received the result. For a session command, `after` also means that the engine
   * has started the invocations of the command.
   */
  readonly when: 'before' | 'during' | 'after'
}

/** Options of {@link memoryEngine}: simulated crashes, and the maximum number of attempts. */
export interface MemoryEngineOptions {
  /**
   * Returns `true` to crash the run at this point, and `false` to continue. If the function throws an error or returns another value, the
   * engine parks the run: a parked run makes no further attempts until a client cancels the run. Default: no crashes.
   */
  readonly crash?: (point: CrashPoint) => boolean
  /**
   * Maximum number of attempts of a run. After this number of failed attempts, the engine parks the run: a parked run makes no further attempts until
   * a client cancels the run. Default: 20.
   */
  readonly maxAttempts?: number
}

/**
 * Creates a durable engine for tests, which stores runs in memory. The option `crash` simulates crashes at chosen points. After a crash, the current
 * attempt receives no further results, and a new attempt continues with the results of the recorded steps.
 *
 * @throws {TypeError} if `agents` is not the result of `durableAgents`, or if `crash` is not a function.
 * @throws {RangeError} if `maxAttempts` is not a positive integer.
 *
 * @example
 * const engine = memoryEngine(durableAgents({ agents: { support } }), { crash: ({ when, attempt }) => when === 'during' && attempt === 1 })
 * const { runId } = await engine.start('support', 'Cancel order A-1001')
 * expect((await engine.result(runId)).status).toBe('completed')
 */
export function memoryEngine(agents: DurableAgents, options: MemoryEngineOptions = {}): DurableClient {
  requireDurableAgents('memoryEngine', agents)
  requireObject('memoryEngine: options', options, 'an object, for example { maxAttempts: 3 }')
  const { maxAttempts = 20, crash = () => false } = options
  if (typeof crash !== 'function') {
    throw new TypeError(`memoryEngine: crash is ${shown(crash)}. Expected a function that returns true to crash a run.`)
  }
  requireCount('memoryEngine: maxAttempts', maxAttempts)
  return new MemoryEngine(agents, crash, maxAttempts)
}

class MemoryEngine implements DurableClient {
  readonly agents: DurableAgents
  readonly crash: (point: CrashPoint) => boolean
  readonly maxAttempts: number
  readonly sessions: MemorySessions
  readonly #runs = new Map<string, StoredRun>()
  #count = 0

  constructor(agents: DurableAgents, crash: (point: CrashPoint) => boolean, maxAttempts: number) {
    this.agents = agents
    this.crash = crash
    this.maxAttempts = maxAttempts
    this.sessions = new MemorySessions({
      ...{ agents, maxAttempts },
      crashes: (runId, attempt, step, when) => crash({ runId, attempt, step: `session ${step}`, when }),
      start: (id, input) => this.invoke(id, input),
      cancel: (id) => {
        const run = this.#run('cancel', id)
        if (run.status.status !== 'ended') run.cancel()
      },
      callResult: async (id) => (await this.#run('result', id).ended) as DurableCallResult,
      invocationState: async (id) => {
        const run = this.#runs.get(id)
        if (run === undefined) return 'unknown'
        return run.status.status === 'ended' ? 'ended' : 'running'
      },
    })
  }

  async start(agent: string, input: RunInput, options: DurableRunOptions = {}): Promise<{ readonly runId: string }> {
    const durable = durableInput(agent, input, options)
    const { names } = this.agents
    if (!names.includes(agent)) {
      throw new DurableError('unknown_agent', `There is no agent '${agent}'. The agents are: ${names.join(', ')}.`)
    }
    const { runId = this.#newId() } = options
    if (this.#runs.has(runId))
      throw new DurableError('duplicate_run', `A run '${runId}' was already started.`, { runId })
    this.invoke(runId, durable)
    return { runId }
  }

  #newId(): string {
    do this.#count += 1
    while (this.#runs.has(`run_${this.#count}`))
    return `run_${this.#count}`
  }

  invoke(id: string, input: DurableInput | DurableCall): StoredRun {
    const existing = this.#runs.get(id)
    if (existing !== undefined) return existing
    const run = new StoredRun(this, id, copied(input))
    this.#runs.set(id, run)
    run.attempt()
    return run
  }

  async status(runId: string): Promise<DurableStatus> {
    return this.#run('status', runId).status
  }

  async result(runId: string): Promise<DurableResult> {
    return (await this.#run('result', runId).ended) as DurableResult
  }

  async answer(runId: string, suspensionId: string, answers: Answers): Promise<void> {
    requireAnswerArguments(runId, suspensionId, answers)
    this.#run('answer', runId).answer(suspensionId, answers)
  }

  async cancel(runId: string): Promise<void> {
    this.#run('cancel', runId).cancel()
  }

  subscribe(runId: string, { from = 1 }: { readonly from?: number } = {}): AsyncIterable<RunEvent> {
    requireRunId('subscribe', runId)
    requirePosition(from)
    return subscription((signal) => this.#events(runId, from, signal))
  }

  openSession(sessionId: string, options: DurableSessionOptions): Promise<DurableSession> {
    return openDurableSession(this.sessions, sessionId, options)
  }

  async *#events(runId: string, from: number, signal: AbortSignal): AsyncGenerator<RunEvent, undefined> {
    return yield* this.#run('subscribe', runId).events(from, signal)
  }

  #run(method: string, runId: string): StoredRun {
    requireRunId(method, runId)
    const run = this.#runs.get(runId)
    if (run === undefined) throw new DurableError('unknown_run', `There is no run '${runId}'.`, { runId })
    return run
  }
}

/** A new attempt must start the same operations in the same order. */
interface Entry {
  readonly kind: 'step' | 'sleep' | 'answer' | 'invoke'
  /** End of a sleep, in milliseconds since the Unix epoch. */
  readonly wakeAt?: number
  readonly suspension?: RunSuspension
}

type Delivery = { readonly index: number; readonly value: JsonValue | undefined } | 'cancelled'

/** Simulated crashes do not change this state. */
class StoredRun {
  readonly id: string
  readonly input: DurableInput | DurableCall
  readonly entries: Entry[] = []
  readonly deliveries: Delivery[] = []
  readonly children: StoredRun[] = []
  /** Rejects if the engine parks the run: no further attempts until a client cancels the run. */
  ended: Promise<DurableResult | DurableCallResult>
  readonly #engine: MemoryEngine
  readonly #log: RunEvent[] = []
  readonly #answered = new Set<string>()
  #told = 0
  #status: DurableStatus = { status: 'running' }
  #attempts = 0
  #current: Attempt | undefined
  #isCancelled = false
  #end: (result: DurableResult | DurableCallResult) => void = () => undefined
  #rejectResult: (error: DurableError) => void = () => undefined
  readonly #listeners = new Set<() => void>()

  constructor(engine: MemoryEngine, id: string, input: DurableInput | DurableCall) {
    this.#engine = engine
    this.id = id
    this.input = input
    this.ended = this.#newEnd()
  }

  #newEnd(): Promise<DurableResult | DurableCallResult> {
    const ended = new Promise<DurableResult | DurableCallResult>((resolve, reject) => {
      this.#end = resolve
      this.#rejectResult = reject
    })
    // Only clients that ask for the result handle the rejection.
    ended.catch(() => undefined)
    return ended
  }

  get status(): DurableStatus {
    return this.#status
  }

  attempt(lastFailure = 'The process crashed.'): void {
    if (this.#attempts >= this.#engine.maxAttempts) {
      this.park({ attempts: this.#attempts, message: lastFailure })
      return
    }
    this.#attempts += 1
    const attempt = new Attempt(this, this.#engine, this.#attempts)
    this.#current = attempt
    runInvocation(attempt, this.#engine.agents, copied(this.input)).then(
      (result) => {
        if (this.#current === attempt) this.#endWith(copied(result))
      },
      (error) => {
        if (this.#current === attempt) this.#failed(error)
      },
    )
    attempt.deliver()
  }

  crash(attempt: Attempt): void {
    if (this.#current !== attempt) return
    this.#current = undefined
    queueMicrotask(() => this.attempt())
  }

  get isCancelled(): boolean {
    return this.#isCancelled
  }

  isCurrent(attempt: Attempt): boolean {
    return this.#current === attempt
  }

  record(delivery: Delivery): void {
    this.deliveries.push(delivery)
    this.#current?.deliver()
  }

  suspend(suspension: RunSuspension): void {
    this.#status = { status: 'suspended', suspension }
    this.#changed()
  }

  answer(suspensionId: string, answers: Answers): void {
    const runId = this.id
    this.requireRunning()
    if (this.#answered.has(suspensionId)) {
      throw new DurableError('already_answered', `The suspension '${suspensionId}' was already answered.`, { runId })
    }
    const index = this.entries.findIndex(({ suspension }) => suspension?.id === suspensionId)
    const suspension = this.entries[index]?.suspension
    if (suspension === undefined) {
      throw new DurableError('unknown_suspension', `The run '${runId}' has no suspension '${suspensionId}'.`, { runId })
    }
    requireAnswers(suspension, answers)
    this.#answered.add(suspensionId)
    this.#status = { status: 'running' }
    this.record({ index, value: copied(answers) as JsonValue })
  }

  requireRunning(): void {
    const { id: runId } = this
    const status = this.#status
    if (status.status === 'ended') throw new DurableError('run_ended', `The run '${runId}' has ended.`, { runId })
    if (status.status === 'parked') throw this.#parked(status.report)
  }

  cancel(): void {
    const { status } = this.#status
    if (status === 'ended') throw new DurableError('run_ended', `The run '${this.id}' has ended.`, { runId: this.id })
    for (const child of this.children) if (child.status.status !== 'ended') child.cancel()
    if (!this.#isCancelled) this.record('cancelled')
    this.#isCancelled = true
    if (status !== 'parked') return
    this.#status = { status: 'running' }
    this.ended = this.#newEnd()
    this.#attempts = 0
    this.attempt()
  }

  publish(position: number, events: readonly RunEvent[]): void {
    this.#log.push(...copied(events.slice(Math.max(0, this.#log.length - position + 1))))
    this.#changed()
  }

  /** Each attempt sends all messages again. `position` is the number of the message among all messages of an attempt, starting at 1. */
  tell(position: number, sessionId: string, message: SessionMessage): void {
    if (position <= this.#told) return
    this.#told = position
    this.#engine.sessions.tell(sessionId, message)
  }

  async *events(from: number, signal: AbortSignal): AsyncGenerator<RunEvent, undefined> {
    let next = from - 1
    while (!signal.aborted) {
      const event = this.#log[next]
      if (event !== undefined) {
        next += 1
        yield event
      } else if (this.#status.status === 'ended') break
      else if (this.#status.status === 'parked') throw this.#parked(this.#status.report)
      else await this.#change(signal)
    }
    return undefined
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        this.#listeners.delete(end)
        signal.removeEventListener('abort', end)
        resolve()
      }
      this.#listeners.add(end)
      signal.addEventListener('abort', end)
    })
  }

  #failed(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error)
    if (!(error instanceof DurableError)) this.attempt(message)
    else this.park({ attempts: this.#attempts, code: error.code, message })
  }

  #endWith(result: DurableResult | DurableCallResult): void {
    this.#current = undefined
    this.#status = { status: 'ended', result: result as DurableResult }
    this.#end(result)
    this.#changed()
  }

  park(report: ParkedReport): void {
    this.#current = undefined
    this.#status = { status: 'parked', report }
    this.#rejectResult(this.#parked(report))
    this.#changed()
  }

  #parked(report: ParkedReport): DurableError {
    const message = `The run '${this.id}' is parked after ${report.attempts} attempts. ${report.message}`
    return new DurableError('run_parked', message, { runId: this.id, report })
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** Each attempt simulates a separate process: after a simulated crash, requests of the attempt to the engine have no effect. */
class Attempt implements DurableInvocation {
  readonly attempt: string
  readonly #run: StoredRun
  readonly #engine: MemoryEngine
  readonly #number: number
  readonly #controller = new AbortController()
  // The callback at index `n` receives the result of operation `n`.
  readonly #receivers: ((value: JsonValue | undefined) => void)[] = []
  #delivered = 0
  #told = 0
  #isDelivering = false

  constructor(run: StoredRun, engine: MemoryEngine, number: number) {
    this.#run = run
    this.#engine = engine
    this.#number = number
    this.attempt = `${run.id} attempt ${number}`
  }

  get id(): string {
    return this.#run.id
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  async step(name: string, work: () => Promise<JsonValue>): Promise<JsonValue> {
    const value = await this.#operation({ kind: 'step' }, (index) => this.#work(index, name, work))
    return value as JsonValue
  }

  async sleep(milliseconds: number): Promise<void> {
    await this.#operation({ kind: 'sleep', wakeAt: Date.now() + milliseconds }, (index, { wakeAt = 0 }) => {
      if (this.signal.aborted) return this.#record({ index, value: undefined })
      after(wakeAt - Date.now(), () => this.#record({ index, value: null }), false)
    })
  }

  async answer(suspension: RunSuspension): Promise<Answers | undefined> {
    const value = await this.#operation({ kind: 'answer', suspension: copied(suspension) }, (index) => {
      if (this.signal.aborted) this.#record({ index, value: undefined })
      else this.#run.suspend(copied(suspension))
    })
    return value as Answers | undefined
  }

  async invoke(_agent: string, id: string, input: DurableInput): Promise<DurableResult> {
    const value = await this.#operation({ kind: 'invoke' }, (index) => {
      const child = this.#engine.invoke(id, input)
      this.#run.children.push(child)
      if (this.#run.isCancelled && child.status.status !== 'ended') child.cancel()
      child.ended.then(
        (result) => this.#record({ index, value: copied(result) as unknown as JsonValue }),
        ({ report }: DurableError) => this.#parkWithNested(id, report),
      )
    })
    return value as unknown as DurableResult
  }

  cancel(id: string): void {
    const child = this.#run.children.find((each) => each.id === id)
    if (this.#isCurrent && child !== undefined && child.status.status !== 'ended') child.cancel()
  }

  publish(position: number, events: readonly RunEvent[]): void {
    if (this.#isCurrent) this.#run.publish(position, events)
  }

  tell(sessionId: string, message: SessionMessage): void {
    this.#told += 1
    if (this.#isCurrent) this.#run.tell(this.#told, sessionId, message)
  }

  async deliver(): Promise<void> {
    if (this.#isDelivering) return
    this.#isDelivering = true
    while (this.#isCurrent) {
      // The run starts its next operations before it receives the next result.
      await eventLoopTurn()
      const delivery = this.#run.deliveries[this.#delivered]
      if (delivery === undefined || !this.#isCurrent) break
      if (delivery === 'cancelled') {
        this.#delivered += 1
        this.#controller.abort(new DOMException('The run was cancelled.', 'AbortError'))
        this.#cancelWaits()
        continue
      }
      const receive = this.#receivers[delivery.index]
      if (receive === undefined) break
      this.#delivered += 1
      receive(copied(delivery.value))
    }
    this.#isDelivering = false
  }

  get #isCurrent(): boolean {
    return this.#run.isCurrent(this)
  }

  #operation(entry: Entry, begin: (index: number, recorded: Entry) => void): Promise<JsonValue | undefined> {
    return new Promise((resolve, reject) => {
      const { entries, deliveries } = this.#run
      const index = this.#receivers.length
      const recorded = entries[index] ?? entry
      if (recorded.kind !== entry.kind) {
        const message = `Operation ${index + 1} of the run '${this.id}' was a ${recorded.kind}, but is a ${entry.kind} now.`
        reject(new DurableError('journal_mismatch', message, { runId: this.id }))
        return
      }
      this.#receivers.push(resolve)
      if (!this.#isCurrent) return
      entries[index] = recorded
      const isRecorded = deliveries.some((each) => each !== 'cancelled' && each.index === index)
      if (!isRecorded) begin(index, recorded)
      void this.deliver()
    })
  }

  async #work(index: number, step: string, work: () => Promise<JsonValue>): Promise<void> {
    const point = { runId: this.id, attempt: this.#number, step }
    // Lets the attempt receive an earlier recorded cancellation first.
    await eventLoopTurn()
    if (this.#crashes({ ...point, when: 'before' })) return
    const value = copied(await work())
    if (this.#crashes({ ...point, when: 'during' })) return
    this.#run.deliveries.push({ index, value })
    if (!this.#crashes({ ...point, when: 'after' })) void this.deliver()
  }

  #crashes(point: CrashPoint): boolean {
    if (!this.#isCurrent) return true
    const answer = this.#crashAnswer(point)
    if (answer === false) return false
    if (answer === true) this.#run.crash(this)
    else this.#run.park({ attempts: this.#number, message: answer })
    return true
  }

  #crashAnswer(point: CrashPoint): boolean | string {
    try {
      const answer: unknown = this.#engine.crash(point)
      if (typeof answer === 'boolean') return answer
      return `memoryEngine: crash returned ${shown(answer)} for the step '${point.step}'. Expected true or false.`
    } catch (error) {
      return `memoryEngine: crash threw an error for the step '${point.step}': ${error instanceof Error ? error.message : String(error)}`
    }
  }

  #parkWithNested(id: string, report: ParkedReport | undefined): void {
    const { attempts = 0, message = '', code } = report ?? {}
    if (!this.#isCurrent) return
    this.#run.park({ attempts, message: `Nested run '${id}': ${message}`, ...(code !== undefined && { code }) })
  }

  #record(delivery: Delivery): void {
    if (this.#isCurrent) this.#run.record(delivery)
  }

  #cancelWaits(): void {
    for (const [index, { kind }] of this.#run.entries.entries()) {
      const isRecorded = this.#run.deliveries.some((each) => each !== 'cancelled' && each.index === index)
      if (!isRecorded && (kind === 'sleep' || kind === 'answer')) this.#run.deliveries.push({ index, value: undefined })
    }
  }
}

function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
