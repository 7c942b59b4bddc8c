import { requireDecision } from '../agents/decision.js'
import { usageOfError } from '../agents/model-cost.js'
import { requestMessage } from '../agents/model-response-error.js'
import { restoredOutcome } from '../agents/resume.js'
import { storedOutcome } from '../agents/stored-outcome.js'
import { jsonOf } from '../agents/suspension.js'
import { isRepeatable } from '../call/call-context.js'
import { CallRequest, recordedCall } from '../call/call-request.js'
import type { CallTarget } from '../call/call-target.js'
import { type Classifier, classify } from '../call/classify.js'
import { addInnerUsage, type TokenLedger, tokensSince } from '../call/nested-run.js'
import { approvalNote } from '../call/render.js'
import { agentServing } from '../call/required-options.js'
import type { ToolTable } from '../call/served-tool.js'
import { after, sleep, untilAborted } from '../call/timers.js'
import type { ToolCallExecution } from '../call/tool-call.js'
import { FIXED_MESSAGES, ToolFailure } from '../call/tool-failure.js'
import { isFields } from '../schema/json-values.js'
import { parseJson } from '../schema/parse-json.js'
import type { RememberedApproval } from '../types/approval.js'
import type { IdKind } from '../types/call-options.js'
import type { FailureFacts, FailureReason } from '../types/failure.js'
import type { JsonText, JsonValue } from '../types/json.js'
import type { ToolLayer, ToolRequest, ToolService } from '../types/layer.js'
import type { Decision, Planner } from '../types/planner.js'
import type { RunEvent } from '../types/run.js'
import type { TokenUsage } from '../types/token-usage.js'
import type { AgentToolSpec, ToolCallRef } from '../types/tool.js'
import { DurableError, type DurableInvocation, type DurableResult } from './engine.js'
import type { JournalRedaction } from './journal-redaction.js'
import { type NestedInvocation, type RecordedPart, type RunApprovals, RunningCall } from './running-call.js'

/** Increase the version if older code cannot read new records. */
const VERSION = 1

/** If a later attempt computes other properties for the same journal record, the code does not match the journal, and the attempt fails. */
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

interface RecordedError {
  readonly reason: FailureReason
  readonly message: string
  readonly retryAfterMs?: number
  readonly usage?: TokenUsage
}

interface Results {
  readonly start: object
  readonly decision: { readonly decision: Decision } | { readonly error: RecordedError }
  readonly 'call started': { readonly attempt: string }
  readonly call: RecordedPart
}

/** `at` is the end of the recorded work, in milliseconds since the Unix epoch. */
type JournalRecord = Key & { readonly version: number; readonly at: number }

/**
 * Reaction to an interrupted call of a tool that must not run twice: the process ended before the durable engine recorded the result. See {@link
 * DurableAgentsOptions.unknownOutcome}.
 */
export type UnknownOutcome = 'fail' | 'ask' | 'repeat'

interface JournalOptions {
  /** For a resumed nested run, the id of the run differs from the id of the invocation. */
  readonly runId: string
  readonly eventsBefore: number
  /** `undefined` if this process does not have the agent. */
  readonly table: ToolTable | undefined
  readonly unknownOutcome: (tool: AgentToolSpec) => UnknownOutcome
  /** True for a nested run: the journal returns events to the parent run and does not publish the events. */
  readonly collects: boolean
  readonly session: { readonly id: string; readonly approvals: RunApprovals } | undefined
  readonly redaction: JournalRedaction | undefined
  /** If true, updates are recorded and published during a call. Otherwise, updates are recorded with the outcome of the call. */
  readonly streams?: boolean
}

/**
 * The clock of the run advances only when the engine delivers a record, and ids contain consecutive numbers, so that all attempts behave in the same
 * way.
 */
export class Journal {
  readonly invocation: DurableInvocation
  readonly collected: RunEvent[] = []
  readonly #options: JournalOptions
  readonly #running = new Map<string, RunningCall>()
  readonly #callLimits = new Map<string, { readonly delayMs: number; readonly start: () => void }>()
  readonly #failed: Promise<never>
  #fail: (error: unknown) => void = () => undefined
  #error: unknown
  /** After an error of the application's function `env`, the attempt replays the existing records, but executes no new decision or call. */
  #envError: Error | undefined
  #now = 0
  #endsAt = Number.POSITIVE_INFINITY
  #ids = 0
  readonly #calls = new Set<string>()
  readonly #nestedRuns = new Map<string, number>()
  #position = 1
  #restoring: Promise<unknown> = Promise.resolve()
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

  now(): number {
    return this.#now
  }

  newId(kind: IdKind): string {
    this.#ids += 1
    const id = `${kind}_${this.invocation.id}_${this.#ids}`
    if (kind === 'toolCall') this.#calls.add(id)
    return id
  }

  async start(): Promise<void> {
    await this.#record('start', { kind: 'start' }, async () => ({}))
  }

  async whileFitting<Value>(work: Promise<Value>): Promise<Value> {
    try {
      const value = await Promise.race([work, this.#failed])
      if (this.#isOnlyReplay()) throw this.#envError
      return value
    } catch (error) {
      throw this.#envError ?? error
    }
  }

  async env(read: () => unknown): Promise<unknown> {
    const { signal } = this.invocation
    const limit = new AbortController()
    const stopTimer = after(MAX_ENV_MS, () =>
      limit.abort(
        new Error(`The function \`env\` of durableAgents did not settle within ${MAX_ENV_MS / 1_000} seconds.`),
      ),
    )
    try {
      return await untilAborted(AbortSignal.any([signal, limit.signal]), async () => read())
    } catch (error) {
      if (!signal.aborted) this.#envError = error instanceof Error ? error : new Error(String(error))
      return undefined
    } finally {
      stopTimer()
    }
  }

  #isOnlyReplay(): boolean {
    return this.#envError !== undefined && !this.invocation.signal.aborted
  }

  /** Also ends the attempt with the returned error. */
  mismatch(message: string): DurableError {
    const { id } = this.invocation
    const fix = 'Deploy the code that started the run, or cancel the run and start it again.'
    const text = `The journal of run '${id}' does not fit the code: ${message} ${fix}`
    return this.#end(new DurableError('journal_mismatch', text, { runId: id }))
  }

  #newerVersion(part: string, version: number): DurableError {
    const text = `${part} has version ${version}, but this process supports version ${VERSION}. Update the package in this process.`
    return this.#end(new DurableError('newer_version', text, { runId: this.invocation.id }))
  }

  #end<Thrown>(error: Thrown): Thrown {
    this.#error ??= error
    this.#fail(error)
    return error
  }

  advance(at: number): void {
    this.#now = Math.max(this.#now, at)
  }

  receive(received: RunEvent): void {
    const event = this.#plain(received)
    const running = this.#runningCall(event)
    // The record of a running call contains the events of this call.
    if (running !== undefined) running.receive(event)
    else if (this.#isDirect(event)) this.#unpublished.push(event)
  }

  /** The codec of the tool encodes a typed result, because the result can contain values that are not JSON, for example dates. */
  #plain(event: RunEvent): RunEvent {
    if (event.type !== 'call_ended' || event.outcome.status !== 'completed') return event
    const { outcome } = event
    const encoded = this.#options.table?.find(outcome.call.tool)?.tool.result.encodeValue(outcome.result.data)
    const parsed = parseJson(encoded?.ok ? encoded.json : outcome.json)
    const data = parsed.ok ? parsed.value : outcome.json
    return { ...event, outcome: { ...outcome, result: { ...outcome.result, data } } }
  }

  /** `ids` must not contain calls that a code mode program or a nested run makes. */
  addCalls(ids: readonly string[]): void {
    for (const id of ids) this.#calls.add(id)
  }

  /** Must be called before every other request to the engine, and at the end of the run. */
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
      const { reason, message, usage, retryAfterMs } = record.error
      throw Object.assign(new ToolFailure(message, { reason, retryAfterMs } as FailureFacts), { usage })
    }
  }

  /** Must be the outermost layer, so that the record of a call includes the effects of all other layers. */
  layer(target: CallTarget): ToolLayer {
    return (next) => async (request) => {
      const execution = recordedCall(request)
      // A call of a program or of a nested run is a part of a recorded call.
      if (execution === undefined) return next(request)
      const record = await this.#recordCall(next, request, { target, execution })
      const { stop } = record
      try {
        const outcome = { ...restoredOutcome(target.table, record.outcome), call: request.call }
        return stop === undefined ? outcome : { ...outcome, stop }
      } catch (error) {
        throw this.mismatch(error instanceof Error ? error.message : String(error))
      }
    }
  }

  async #recordCall<Env>(
    next: ToolService<Env>,
    request: ToolRequest<Env>,
    { target, execution }: { readonly target: CallTarget; readonly execution: ToolCallExecution },
  ): Promise<Extract<RecordedPart, { readonly outcome: unknown }>> {
    const { call, tool, meta } = request
    const { toolCallId } = call
    const { table } = target
    const { run } = execution
    const key = { tool: call.tool, toolCallId, arguments: request.arguments }
    const name = `${call.tool} (${toolCallId})`
    const { attempt } = this.invocation
    // The nested runs of an agent's call have effects only once, because they have journals of their own.
    const mayRepeat = isRepeatable(tool) || this.#runsAgent(call, table)
    const nested = { results: [] as DurableResult[], before: this.#nestedRuns.get(toolCallId) ?? 0 }
    let running: RunningCall | undefined
    let start: { readonly attempt: string } | undefined
    while (true) {
      start ??= mayRepeat
        ? { attempt }
        : await this.#record(`start ${name}`, { ...key, kind: 'call started' }, async () => ({ attempt }))
      const started = start
      let isOfThisAttempt = false
      const part: RecordedPart = await this.#record(name, { ...key, kind: 'call' }, () => {
        isOfThisAttempt = true
        const reaction = started.attempt === attempt ? 'repeat' : this.#options.unknownOutcome(tool)
        if (reaction !== 'repeat') return unknownOutcome(reaction, request, table)
        if (running === undefined) {
          const { session, streams = false } = this.#options
          running = new RunningCall(request, execution, { table, nested, approvals: session?.approvals, streams })
          this.#running.set(toolCallId, running)
          if (!this.#runsAgent(call, table)) this.#callLimits.get(toolCallId)?.start()
          running.start(next)
        }
        return running.part()
      })
      this.#unpublished.push(...part.events)
      this.#remember(part.approvals)
      if (part.inner !== undefined && run !== undefined) addInnerUsage(run, part.inner, isOfThisAttempt)
      if ('outcome' in part) {
        this.#running.delete(toolCallId)
        return part
      }
      this.publish()
      // The tool runs. If the process ends now, the next attempt must know when the tool was started.
      if ('goesOn' in part) continue
      start = undefined
      if ('nested' in part) nested.results.push(await this.#invoke(part.nested, execution, run?.parent.tokens))
      else await untilAborted(meta.signal, () => this.#operation(this.invocation.sleep(part.waitMs))).catch(noError)
      running?.resume()
    }
  }

  #remember(recorded: readonly RememberedApproval[] = []): void {
    const { session, collects } = this.#options
    if (session === undefined || recorded.length === 0) return
    session.approvals.add(recorded)
    // A nested run returns the approvals to its parent run.
    if (collects) return
    this.publish()
    this.invocation.tell(session.id, { kind: 'approvals', approvals: recorded })
  }

  async #invoke(
    { agent, id, input }: NestedInvocation,
    { signal, ref }: ToolCallExecution,
    tokens: TokenLedger | undefined,
  ): Promise<DurableResult> {
    const { invocation } = this
    const cancel = (): void => {
      // The engine cancels it together with the run.
      if (invocation.signal.aborted) return
      this.publish()
      invocation.cancel(id)
    }
    const ended = this.#operation(invocation.invoke(agent, id, input))
    if (signal.aborted) invocation.cancel(id)
    else signal.addEventListener('abort', cancel)
    const result = await ended
    signal.removeEventListener('abort', cancel)
    const { parent, resume } = input
    if (result.version > VERSION) {
      throw this.#newerVersion(`The result of the nested run '${id}'`, result.version)
    }
    if (result.runId !== parent?.runId) {
      throw this.mismatch(
        `it has the result of the nested run '${result.runId}', but the code now runs '${parent?.runId}'.`,
      )
    }
    this.#nestedRuns.set(ref.toolCallId, (this.#nestedRuns.get(ref.toolCallId) ?? 0) + 1)
    this.advance(result.endedAt)
    this.#unpublished.push(...(result.events ?? []))
    this.#remember(result.approvals)
    // The usage of a continued run includes the tokens before its suspension, which are already counted.
    tokens?.spend(tokensSince(result.usage, resume?.suspension.progress))
    return result
  }

  startCallTimer({ toolCallId }: ToolCallRef, delayMs: number, action: () => void): () => void {
    let stop: (() => void) | undefined
    const start = (): void => {
      stop = after(delayMs, action)
    }
    // The journal starts the timer when the call starts in this attempt, so the limit excludes earlier attempts.
    this.#callLimits.set(toolCallId, { delayMs, start })
    return () => {
      this.#callLimits.delete(toolCallId)
      stop?.()
    }
  }

  timeLeft({ toolCallId }: ToolCallRef): number {
    return Math.min(this.#callLimits.get(toolCallId)?.delayMs ?? Number.POSITIVE_INFINITY, this.#endsAt - this.#now)
  }

  startRunTimer(delayMs: number, action: () => void): () => void {
    this.#endsAt = this.#now + delayMs
    let isStopped = false
    const expire = (): void => {
      if (!isStopped) action()
    }
    if (delayMs <= 0) expire()
    else if (delayMs !== Number.POSITIVE_INFINITY) {
      this.publish()
      // The engine stores this timer, so the timer continues after a crash.
      this.#operation(this.invocation.sleep(delayMs)).then(expire, () => undefined)
    }
    return () => {
      isStopped = true
    }
  }

  /** The journal records a long wait, so that the wait continues after a crash. Resolves to `false` as soon as `signal` is aborted. */
  async sleep({ toolCallId }: ToolCallRef, delayMs: number, signal: AbortSignal): Promise<boolean> {
    const running = this.#running.get(toolCallId)
    // A time limit of the call counts while the call waits, and it does not survive a crash.
    const isShort = delayMs < LONG_WAIT_MS || delayMs === Number.POSITIVE_INFINITY
    const isRecordable = running?.isWaiting === false && !this.#callLimits.has(toolCallId)
    if (isShort || !isRecordable) return sleep(delayMs, signal)
    await untilAborted(signal, () => running.wait({ waitMs: delayMs })).catch(noError)
    return !signal.aborted
  }

  async nestedRun(
    { toolCallId }: ToolCallRef,
    nested: (id: string) => Promise<NestedInvocation>,
  ): Promise<DurableResult> {
    const running = this.#running.get(toolCallId)
    if (running === undefined) throw new TypeError(`The call '${toolCallId}' does not run.`)
    this.invocation.signal.throwIfAborted()
    // Escaped, so that the ids of different calls differ. `encodeURIComponent` throws for lone surrogates.
    const part = toolCallId.replace(/\P{Surrogate}+|\p{Surrogate}/gu, (text) =>
      /\p{Surrogate}/u.test(text) ? `%u${text.charCodeAt(0).toString(16)}` : encodeURIComponent(text),
    )
    return running.nestedRun((number) => nested(`${this.invocation.id}/${part}${number === 1 ? '' : `:${number}`}`))
  }

  #isDirect(event: RunEvent): boolean {
    if (event.runId !== this.#options.runId) return false
    return !('call' in event) || event.call === undefined || this.#calls.has(event.call.toolCallId)
  }

  #runningCall(event: RunEvent): RunningCall | undefined {
    if (!this.#isDirect(event)) return [...this.#running.values()].find((running) => running.includes(event))
    const { type } = event
    const isRecorded = type === 'call_updated' || type === 'handoff' || type === 'guardrail'
    return isRecorded ? this.#running.get(event.call?.toolCallId ?? '') : undefined
  }

  async #record<Kind extends Key['kind']>(
    name: string,
    key: Extract<Key, { readonly kind: Kind }>,
    work: () => Promise<Results[Kind]>,
  ): Promise<Results[Kind]> {
    if (this.#error !== undefined) throw this.#error
    this.publish()
    const step = this.invocation.step(name, async () => {
      if (this.#isOnlyReplay()) {
        this.#end(this.#envError)
        // The attempt is over, so the step must have no result.
        await new Promise(() => undefined)
      }
      const result = await work()
      // `undefined` and `NaN` do not survive the journal, so this attempt must not see them either.
      const plain: object = JSON.parse(JSON.stringify({ version: VERSION, ...key, ...result, at: Date.now() }))
      const { redaction } = this.#options
      return (redaction === undefined ? plain : await redaction.hide(plain)) as JsonValue
    })
    const record = await this.#operation(step as Promise<unknown> as Promise<JournalRecord & Results[Kind]>)
    this.#requireFitting(record, key)
    this.advance(record.at)
    return record
  }

  async #operation<Value>(operation: Promise<Value>): Promise<Value> {
    try {
      const value = await operation
      return this.#options.redaction === undefined ? value : await this.#restored(value, this.#options.redaction)
    } catch (error) {
      // An error of the engine ends the whole attempt.
      throw this.#end(error)
    }
  }

  /**
   * Decryption takes a different time for each result. Nevertheless, the returned promises resolve in the order in which the method was called, so
   * that each attempt of the run continues in the same order.
   */
  #restored<Value>(value: Value, redaction: JournalRedaction): Promise<Value> {
    const restored = this.#restoring.then(async () => (isFields(value) ? redaction.restore(value) : value))
    // The code that waits for this result continues before the code that waits for the next one.
    this.#restoring = restored.catch(noError).then(() => new Promise((resolve) => setTimeout(resolve, 0)))
    return restored
  }

  #runsAgent(call: ToolCallRef, table: ToolTable): boolean {
    const tool = table.find(call.tool)?.tool
    const agent = tool && agentServing(tool)
    return agent !== undefined && agent.choosesTools !== true
  }

  #requireFitting(record: JournalRecord, key: Key): void {
    if (this.#error !== undefined) throw this.#error
    if (record.version > VERSION) {
      throw this.#newerVersion(`The journal of run '${this.invocation.id}'`, record.version)
    }
    const [before, now] = [described(record), described(key)]
    if (before !== now) throw this.mismatch(`it has ${before}, but the code now makes ${now}.`)
    if (!('arguments' in record && 'arguments' in key)) return
    const [were, are] = [record, key].map(({ arguments: sent }) => this.#options.redaction?.shown(sent) ?? sent)
    if (were !== are) throw this.mismatch(`the arguments of ${now} were ${were} and are now ${are}.`)
  }
}

const MAX_ENV_MS = 60_000

const LONG_WAIT_MS = 10_000

function noError(): undefined {}

async function unknownOutcome(
  reaction: 'fail' | 'ask',
  request: ToolRequest<any>,
  table: ToolTable,
): Promise<RecordedPart> {
  const { id } = request.tool
  const recorded = request instanceof CallRequest ? await request.resumedApproval().catch(noError) : undefined
  const note = approvalNote(recorded)
  const edited = note === undefined ? '' : ` ${note}. To run it with them, pass them in the answer.`
  const question = `A process ended while the tool '${id}' was running, so the tool may have had its effect. Run it again?${edited}`
  const outcome =
    reaction === 'ask'
      ? await request.suspend('approval', question)
      : await request.fail(new ToolFailure(FIXED_MESSAGES.unknown_outcome, { reason: 'unknown_outcome' }))
  return { outcome: storedOutcome(table, outcome), events: [] }
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
  const { reason, message, retryAfterMs } = classify(error, Date.now(), classifier)
  const usage = usageOfError(error)
  return {
    reason,
    message: requestMessage(error, reason) ?? message,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(usage !== undefined && { usage }),
  }
}
