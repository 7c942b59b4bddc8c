import { requireDecision } from '../agents/decision.js'
import { ModelResponseError, requestMessage } from '../agents/model-response-error.js'
import { restoredOutcome } from '../agents/resume.js'
import { storedOutcome } from '../agents/stored-outcome.js'
import { jsonOf } from '../agents/suspension.js'
import { isRepeatable } from '../call/call-context.js'
import { journalOf } from '../call/call-request.js'
import type { CallTarget } from '../call/call-target.js'
import { type Classifier, classify } from '../call/classify.js'
import { agentServing } from '../call/required-options.js'
import type { ToolTable } from '../call/served-tool.js'
import { after, sleep, untilAborted } from '../call/timers.js'
import { FIXED_MESSAGES, ToolFailure } from '../call/tool-failure.js'
import { parseJson } from '../schema/parse-json.js'
import type { IdKind } from '../types/call-options.js'
import type { FailureReason } from '../types/failure.js'
import type { JsonText, JsonValue } from '../types/json.js'
import type { ToolLayer, ToolRequest, ToolService } from '../types/layer.js'
import type { FinalSignal, StoredOutcome, ToolOutcome } from '../types/outcome.js'
import type { Decision, Planner, TokenUsage } from '../types/planner.js'
import type { RunEvent } from '../types/run.js'
import type { AgentToolSpec, ToolCallRef } from '../types/tool.js'
import { DurableError, type DurableInput, type DurableInvocation, type DurableResult } from './engine.js'

/** Version of the records. Raise it when older code can no longer read them. */
const VERSION = 1

/** Data of a record that must be the same in all attempts. */
type Key =
  | { readonly kind: 'start' }
  | { readonly kind: 'decision'; readonly turn: number; readonly messages: number }
  | CallKey<'call started'>
  | CallKey<'call'>

interface CallKey<Kind> {
  readonly kind: Kind
  readonly tool: string
  readonly toolCallId: string
  readonly arguments: JsonText
}

/** Error of a planner. `usage` has the tokens of an unusable response. */
interface RecordedError {
  readonly reason: FailureReason
  readonly message: string
  readonly usage?: TokenUsage
}

/** Results of the records, by their kind. */
interface Results {
  readonly start: object
  readonly decision: { readonly decision: Decision } | { readonly error: RecordedError }
  readonly 'call started': { readonly attempt: string }
  readonly call: RecordedCall
}

/** A recorded part of a call, with the events that occurred during this part, for example updates. */
type RecordedCall = { readonly events: readonly RunEvent[] } & (
  | { readonly outcome: StoredOutcome; readonly stop?: FinalSignal }
  /**
   * A layer of the call waits for this time in milliseconds. The call then goes on, or starts again in another process. 0 if the call only
   * publishes its updates: it then goes on in this process.
   */
  | { readonly waitMs: number }
)

/** Common data of all records. `at`: time at which the work ended, in milliseconds since the Unix epoch. */
type JournalRecord = Key & { readonly version: number; readonly at: number }

/** Reaction to a call whose process ended before the result was recorded, and that must not run twice. */
export type UnknownOutcome = 'fail' | 'ask' | 'repeat'

/** A call whose layers run in this attempt. */
interface RunningCall {
  /** Ids of the call and of the calls that it made. */
  readonly ids: Set<string>
  events: RunEvent[]
  readonly outcome: Promise<ToolOutcome>
  readonly startedAt: number
  /** Time in milliseconds that a layer waits; `undefined` if no layer waits. */
  waitMs: number | undefined
  /** Ends the recorded part of the call, because a layer waits. */
  pause: (waitMs: number) => void
  /** Ends the wait of the layer. */
  resume: () => void
  /** Number of parts that were recorded before the end of the call, because of updates. */
  streamed: number
  /** True while a timer runs that ends the current part of the call. */
  isStreaming: boolean
}

/** Options of a {@link Journal}. */
interface JournalOptions {
  /** Id of the run. It differs from the id of the invocation if a nested run continues. */
  readonly runId: string
  /** Number of events of the run before it was suspended. */
  readonly eventsBefore: number
  /** Tools of the agent. `undefined` if the process does not have the agent. */
  readonly table: ToolTable | undefined
  readonly unknownOutcome: (tool: AgentToolSpec) => UnknownOutcome
  /** True to collect events for the parent run instead of publishing them. */
  readonly collects: boolean
  /** True to record and publish the updates of a running call from time to time. Default: only together with its outcome. */
  readonly streams?: boolean
}

/**
 * Records the decisions and calls of a run in one attempt, and replays the records of earlier attempts. Its clock only advances when a
 * record is delivered, and its ids are numbered, so that all attempts behave in the same way.
 */
export class Journal {
  readonly invocation: DurableInvocation
  /** Events for the parent run. Empty if the journal publishes its events. */
  readonly collected: RunEvent[] = []
  readonly #options: JournalOptions
  readonly #running = new Map<string, RunningCall>()
  readonly #callLimits = new Map<string, { readonly delayMs: number; readonly start: () => void }>()
  readonly #failed: Promise<never>
  #fail: (error: DurableError) => void = () => undefined
  #error: DurableError | undefined
  #now = 0
  #endsAt = Number.POSITIVE_INFINITY
  #ids = 0
  readonly #calls = new Set<string>()
  /** Ids of the calls of other agents. */
  readonly #agentCalls = new Set<string>()
  #position = 1
  #unpublished: RunEvent[] = []

  constructor(invocation: DurableInvocation, options: JournalOptions) {
    this.invocation = invocation
    this.#options = options
    this.#failed = new Promise((_, reject) => {
      this.#fail = reject
    })
    // The rejection may come before anybody awaits it.
    this.#failed.catch(() => undefined)
  }

  /** Returns the time of the latest record. */
  now(): number {
    return this.#now
  }

  newId(kind: IdKind): string {
    this.#ids += 1
    const id = `${kind}_${this.invocation.id}_${this.#ids}`
    if (kind === 'toolCall') this.#calls.add(id)
    return id
  }

  /** Records the time at which the run starts. */
  async start(): Promise<void> {
    await this.#record('start', { kind: 'start' }, async () => ({}))
  }

  /**
   * Waits for `work`.
   *
   * @throws {DurableError} as soon as a record does not fit the code.
   */
  whileFitting<Value>(work: Promise<Value>): Promise<Value> {
    return Promise.race([work, this.#failed])
  }

  /** Ends the attempt, because the journal does not fit the code. */
  mismatch(message: string): DurableError {
    const { id } = this.invocation
    const fix = 'Deploy the code that started the run, or cancel the run and start it again.'
    this.#error ??= new DurableError(
      'journal_mismatch',
      `The journal of run '${id}' does not fit the code: ${message} ${fix}`,
      {
        runId: id,
      },
    )
    this.#fail(this.#error)
    return this.#error
  }

  /** Advances the clock to the time `at`. */
  advance(at: number): void {
    this.#now = Math.max(this.#now, at)
  }

  /** Receives an event. Events that occur during a call are published together with its recorded result. */
  receive(received: RunEvent): void {
    const event = this.#plain(received)
    if (!this.#isDirect(event)) this.#runningCall(event)?.events.push(event)
    else {
      const running = event.type === 'call_updated' ? this.#running.get(event.call.toolCallId) : undefined
      if (running === undefined) this.#unpublished.push(event)
      else {
        running.events.push(event)
        this.#stream(running)
      }
    }
  }

  /** Returns an event as JSON represents it. A typed result, for example with dates, becomes the result as its codec encodes it. */
  #plain(event: RunEvent): RunEvent {
    if (event.type !== 'call_ended' || event.outcome.status !== 'completed') return event
    const { outcome } = event
    const encoded = this.#options.table?.find(outcome.call.tool)?.tool.result.encodeValue(outcome.result.data)
    const parsed = parseJson(encoded?.ok ? encoded.json : outcome.json)
    const data = parsed.ok ? parsed.value : outcome.json
    return { ...event, outcome: { ...outcome, result: { ...outcome.result, data } } }
  }

  /** Receives the recorded events of a separate nested run. */
  receiveRecorded(events: readonly RunEvent[]): void {
    for (const event of events) this.#unpublished.push(event)
  }

  /** Adds ids of calls that the run itself makes, and not a program or a nested run. */
  addCalls(ids: readonly string[]): void {
    for (const id of ids) this.#calls.add(id)
  }

  /** Publishes the received events. Must be called before each operation of the engine and at the end. */
  publish(): void {
    const { runId, collects, eventsBefore } = this.#options
    const events = this.#unpublished.map((event, index) =>
      // A replayed event has the number of an earlier attempt, and events during a call are not counted in a replay.
      event.runId === runId ? { ...event, sequence: eventsBefore + this.#position + index } : event,
    )
    this.#unpublished = []
    if (events.length === 0) return
    if (collects) this.collected.push(...events)
    else this.invocation.publish(this.#position, events)
    this.#position += events.length
  }

  /** Returns a planner whose decisions are recorded. */
  planner(inner: Planner, classifier: Classifier): Planner {
    return async (request) => {
      const { turn, messages, meta } = request
      const key = { kind: 'decision', turn, messages: messages.length } as const
      const record = await this.#record(`decision ${turn}`, key, async () => {
        try {
          const decision = requireDecision(await untilAborted(meta.signal, async () => inner(request)))
          if (jsonOf(decision) !== undefined) return { decision }
          throw new ToolFailure('The planner returned a decision that JSON cannot represent.', { reason: 'internal' })
        } catch (error) {
          return { error: recordedError(error, classifier) }
        }
      })
      if ('decision' in record) {
        const { decision } = record
        if (decision.kind === 'calls') this.addCalls(decision.calls.flatMap(({ toolCallId }) => toolCallId ?? []))
        return decision
      }
      const { reason, message, usage } = record.error
      throw Object.assign(new ToolFailure(message, { reason }), { usage })
    }
  }

  /** Returns the outermost layer of the run's calls, which records each call with all its layers. */
  layer(target: CallTarget): ToolLayer {
    return (next) => async (request) => {
      // A call of a program or of a nested run is a part of a recorded call.
      if (journalOf(request) === undefined) return next(request)
      if (this.#isAgentCall(request.call, target)) {
        this.#agentCalls.add(request.call.toolCallId)
        return next(request)
      }
      const record = await this.#recordCall(next, request, target)
      const { stop } = record
      try {
        const outcome = { ...restoredOutcome(target.table, record.outcome), call: request.call }
        return stop === undefined ? outcome : { ...outcome, stop }
      } catch (error) {
        throw this.mismatch(error instanceof Error ? error.message : String(error))
      }
    }
  }

  /** Records the parts of a call. A call has one part, and one more after each long wait of its layers. */
  async #recordCall<Env>(
    next: ToolService<Env>,
    request: ToolRequest<Env>,
    target: CallTarget,
  ): Promise<Extract<RecordedCall, { readonly outcome: StoredOutcome }>> {
    const { call, tool } = request
    const key = { tool: call.tool, toolCallId: call.toolCallId, arguments: request.arguments }
    const name = `${call.tool} (${call.toolCallId})`
    const { attempt } = this.invocation
    let running: RunningCall | undefined
    let start: { readonly attempt: string } | undefined
    while (true) {
      start ??= isRepeatable(tool)
        ? { attempt }
        : await this.#record(`start ${name}`, { ...key, kind: 'call started' }, async () => ({ attempt }))
      const started = start
      const record: RecordedCall = await this.#record(name, { ...key, kind: 'call' }, () => {
        if (started.attempt !== attempt) return this.#unknown(next, request, target)
        running ??= this.#begin(next, request)
        return this.#part(running, request, target)
      })
      this.receiveRecorded(record.events)
      if ('outcome' in record) return record
      this.publish()
      // The tool runs. If the process ends now, the next attempt must know when the tool was started.
      if (record.waitMs === 0) continue
      start = undefined
      await this.#operation(this.invocation.sleep(record.waitMs))
      if (running === undefined) continue
      running.waitMs = undefined
      running.resume()
    }
  }

  /** Ends the current part of a call soon, if the call has updates to publish. Parts become longer, so that the journal stays short. */
  #stream(running: RunningCall): void {
    if (this.#options.streams !== true || running.isStreaming || running.events.length === 0) return
    running.isStreaming = true
    const delayMs = Math.min(FIRST_PART_MS + running.streamed * (FIRST_PART_MS / 10), LONGEST_PART_MS)
    const end = (): void => {
      running.isStreaming = false
      running.streamed += 1
      running.pause(0)
    }
    after(delayMs, end, false)
  }

  /** Starts a time limit of a call. The time counts while the call runs in this attempt. */
  startCallTimer({ toolCallId }: ToolCallRef, delayMs: number, action: () => void): () => void {
    let stop: (() => void) | undefined
    const start = (): void => {
      stop = after(delayMs, action)
    }
    this.#callLimits.set(toolCallId, { delayMs, start })
    return () => {
      this.#callLimits.delete(toolCallId)
      stop?.()
    }
  }

  /** Returns the time in milliseconds that a nested run of a call may take; `Infinity` if there is no limit. */
  timeLeft({ toolCallId }: ToolCallRef): number {
    return Math.min(this.#callLimits.get(toolCallId)?.delayMs ?? Number.POSITIVE_INFINITY, this.#endsAt - this.#now)
  }

  /** Starts the timer of the run's time limit. It survives a crash. */
  startRunTimer(delayMs: number, action: () => void): () => void {
    this.#endsAt = this.#now + delayMs
    let isStopped = false
    const expire = (): void => {
      if (!isStopped) action()
    }
    if (delayMs <= 0) expire()
    else if (delayMs !== Number.POSITIVE_INFINITY) {
      this.publish()
      this.#operation(this.invocation.sleep(delayMs)).then(expire, () => undefined)
    }
    return () => {
      isStopped = true
    }
  }

  #isAgentCall(call: ToolCallRef, { table }: CallTarget): boolean {
    const tool = table.find(call.tool)?.tool
    const agent = tool && agentServing(tool)
    return agent !== undefined && agent.choosesTools !== true
  }

  #begin<Env>(next: ToolService<Env>, request: ToolRequest<Env>): RunningCall {
    const { toolCallId } = request.call
    let begin: () => void = () => undefined
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const execute = async (): Promise<ToolOutcome> => {
      await begun
      return next(request)
    }
    const running: RunningCall = {
      ids: new Set([toolCallId]),
      events: [],
      // The outcome is recorded before the runtime gives up an aborted call.
      outcome: untilAborted(request.meta.signal, execute, RECORDING_GRACE_MS).catch((error) => request.fail(error)),
      startedAt: performance.now(),
      waitMs: undefined,
      pause: () => undefined,
      resume: () => undefined,
      streamed: 0,
      isStreaming: false,
    }
    this.#running.set(toolCallId, running)
    this.#callLimits.get(toolCallId)?.start()
    begin()
    return running
  }

  /** Waits until a call ends or one of its layers waits for a long time. */
  async #part<Env>(running: RunningCall, request: ToolRequest<Env>, { table }: CallTarget): Promise<RecordedCall> {
    const paused = new Promise<number>((resolve) => {
      running.pause = resolve
      if (running.waitMs !== undefined) resolve(running.waitMs)
    })
    this.#stream(running)
    const end = await Promise.race([running.outcome, paused])
    const { events } = running
    running.events = []
    if (typeof end === 'number') return { waitMs: end, events }
    this.#running.delete(request.call.toolCallId)
    let outcome = end
    let stored = recordedOutcome(outcome, table, running)
    try {
      restoredOutcome(table, stored)
    } catch (error) {
      outcome = await request.fail(error)
      stored = recordedOutcome(outcome, table, running)
    }
    const { stop } = outcome
    const record: RecordedCall = { outcome: stored, events, ...(stop !== undefined && { stop }) }
    if (jsonOf(record) !== undefined) return record
    const cause = new TypeError(
      `A layer returned a final value or details of ${request.tool.id} that JSON cannot represent.`,
    )
    return { outcome: recordedOutcome(await request.fail(cause), table, running), events }
  }

  /** Waits for a layer of a call. Records a long wait, so that it survives a crash. Resolves with false if `signal` is aborted first. */
  async sleep({ toolCallId }: ToolCallRef, delayMs: number, signal: AbortSignal): Promise<boolean> {
    const running = this.#running.get(toolCallId)
    if (this.#agentCalls.has(toolCallId)) {
      // The layers of an agent's call run in every attempt, so the wait must end at the same point in every attempt.
      this.publish()
      if (delayMs === Number.POSITIVE_INFINITY) return sleep(delayMs, signal)
      const waited = this.#operation(this.invocation.sleep(delayMs))
      await untilAborted(signal, () => waited).catch(() => undefined)
      return !signal.aborted
    }
    // A time limit of the call counts while the call waits, and it does not survive a crash.
    const isShort = delayMs < LONG_WAIT_MS || delayMs === Number.POSITIVE_INFINITY
    const isRecordable = running !== undefined && running.waitMs === undefined && !this.#callLimits.has(toolCallId)
    if (isShort || !isRecordable) return sleep(delayMs, signal)
    const resumed = new Promise<void>((resolve) => {
      running.resume = resolve
    })
    running.waitMs = delayMs
    running.pause(delayMs)
    await untilAborted(signal, () => resumed).catch(() => undefined)
    return !signal.aborted
  }

  async #unknown<Env>(next: ToolService<Env>, request: ToolRequest<Env>, target: CallTarget): Promise<RecordedCall> {
    const { tool } = request
    const reaction = this.#options.unknownOutcome(tool)
    if (reaction === 'repeat') return this.#part(this.#begin(next, request), request, target)
    const outcome =
      reaction === 'ask'
        ? await request.suspend(
            'approval',
            `A process ended while the tool '${tool.id}' was running, so the tool may have had its effect. Run it again?`,
          )
        : await request.fail(new ToolFailure(FIXED_MESSAGES.unknown_outcome, { reason: 'unknown_outcome' }))
    return { outcome: storedOutcome(target.table, outcome), events: [] }
  }

  /** Returns `true` for an event that every attempt publishes itself, because it belongs to the run and not to a recorded call. */
  #isDirect(event: RunEvent): boolean {
    if (event.runId !== this.#options.runId) return false
    return !('call' in event) || this.#calls.has(event.call.toolCallId)
  }

  /** Returns the running call during which an event of a program or of a nested run occurred. */
  #runningCall(event: RunEvent): RunningCall | undefined {
    const call = 'call' in event ? event.call : undefined
    // Events of a nested run contain the id of the call that started the run.
    const parents = [call?.parentToolCallId, event.parentToolCallId].filter((id) => id !== undefined)
    const running = [...this.#running.values()].find(({ ids }) => parents.some((id) => ids.has(id)))
    if (call !== undefined) running?.ids.add(call.toolCallId)
    return running
  }

  /** Executes an operation of the engine, unless an earlier attempt has recorded its result. */
  async #record<Kind extends Key['kind']>(
    name: string,
    key: Extract<Key, { readonly kind: Kind }>,
    work: () => Promise<Results[Kind]>,
  ): Promise<Results[Kind]> {
    if (this.#error !== undefined) throw this.#error
    this.publish()
    const step = this.invocation.step(name, async () => {
      const result = await work()
      // `undefined` and `NaN` do not survive the journal, so this attempt must not see them either.
      return JSON.parse(JSON.stringify({ version: VERSION, ...key, ...result, at: Date.now() })) as JsonValue
    })
    const value = await this.#operation(step)
    const record = value as unknown as JournalRecord & Results[Kind]
    this.#requireFitting(record, key)
    this.advance(record.at)
    return record
  }

  /** Waits for an operation of the engine. An error of the engine ends the attempt, and not only the call that waits. */
  async #operation<Value>(operation: Promise<Value>): Promise<Value> {
    try {
      return await operation
    } catch (error) {
      if (error instanceof DurableError) {
        this.#error ??= error
        this.#fail(error)
      }
      throw error
    }
  }

  /** Runs an agent as a separate invocation. */
  invoke(agent: string, id: string, input: DurableInput): Promise<DurableResult> {
    this.publish()
    return this.#operation(this.invocation.invoke(agent, id, input))
  }

  #requireFitting(record: JournalRecord, key: Key): void {
    if (this.#error !== undefined) throw this.#error
    const { id } = this.invocation
    if (record.version > VERSION) {
      this.#error = new DurableError(
        'newer_version',
        `The journal of run '${id}' has version ${record.version}, but this process supports version ${VERSION}. Update the package in this process.`,
        { runId: id },
      )
      this.#fail(this.#error)
      throw this.#error
    }
    const [before, now] = [described(record), described(key)]
    if (before !== now) throw this.mismatch(`it has ${before}, but the code now makes ${now}.`)
    if ('arguments' in record && 'arguments' in key && record.arguments !== key.arguments) {
      throw this.mismatch(`the arguments of ${now} were ${record.arguments} and are now ${key.arguments}.`)
    }
  }
}

/**
 * Maximum time in milliseconds to wait for the end of a call after the call was aborted. The runtime itself waits 1,000 milliseconds. This
 * time is shorter, so that the journal records the outcome before the runtime ends the call.
 */
const RECORDING_GRACE_MS = 500

/** Duration of the first part of a call that has updates, and the longest duration of a part, in milliseconds. */
const FIRST_PART_MS = 100
const LONGEST_PART_MS = 5_000

/** Shortest wait of a layer that is recorded, in milliseconds. */
const LONG_WAIT_MS = 10_000

function recordedOutcome(outcome: ToolOutcome, table: CallTarget['table'], { startedAt }: RunningCall): StoredOutcome {
  const stored = storedOutcome(table, outcome)
  // The clock of the run stands still while a call runs.
  const durationMs = Math.round(performance.now() - startedAt)
  return { ...stored, provenance: { ...stored.provenance, durationMs } }
}

function described(key: Key): string {
  switch (key.kind) {
    case 'start':
      return 'the start of a run'
    case 'decision':
      return `decision ${key.turn} after ${key.messages} messages`
    case 'call started':
    case 'call':
      return `the ${key.kind === 'call' ? 'call' : 'start of the call'} '${key.toolCallId}' of ${key.tool}`
  }
}

function recordedError(error: unknown, classifier: Classifier): RecordedError {
  const { reason, message } = classify(error, Date.now(), classifier)
  const usage = error instanceof ModelResponseError ? error.usage : undefined
  return { reason, message: requestMessage(error, reason) ?? message, ...(usage !== undefined && { usage }) }
}
