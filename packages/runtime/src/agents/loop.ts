import { AbortListeners } from '../call/call-group.js'
import type { RunSession } from '../call/call-target.js'
import { EventScope } from '../call/events.js'
import { joinPolicies } from '../call/layer-scope.js'
import { TokenLedger } from '../call/nesting.js'
import { after } from '../call/timers.js'
import { isConversation } from '../chat/messages.js'
import { systemEffects } from '../time/system-effects.js'
import type { Service } from '../types/call.js'
import type { ChatMessage } from '../types/chat.js'
import type { LimitReason, StopSignal } from '../types/errors.js'
import type { Mutable } from '../types/json.js'
import type { RunSuspension, ToolOutcome } from '../types/outcome.js'
import type { ResponseFormat, RunMeta } from '../types/planner.js'
import type {
  AgentRun,
  EventSink,
  RunPolicy,
  RunRequest,
  RunState,
  StepRequest,
  StepResult,
  StopCondition,
} from '../types/run.js'
import type { AgentToolSpec } from '../types/tool.js'
import { EventLog, ItemLog } from './event-log.js'
import { atStart, RunProgress } from './run-progress.js'
import { endedRun, lastEvent, type RunEnd, runFailure, withEvents } from './run-result.js'
import { runSignal, untilGrace, untilSignal } from './run-signal.js'
import { runSuspension, type SuspendedRun } from './suspension.js'

/** A step that ended its run. */
export type DoneStep = Extract<StepResult, { readonly kind: 'done' }>

/** Options of {@link agentLoop}. Every field may be left out. */
export interface LoopOptions {
  /** Name of the agent in events and in the run. Default `agent`; the run of a registered agent has its name. */
  readonly agent?: string
  /** Tools that are offered to each step, as `request.tools`. Default: those of the registered agent, else none. */
  readonly tools?: readonly AgentToolSpec[]
  /** Limits, joined with those of the request: the strictest number holds. Default: none. */
  readonly policy?: RunPolicy
  /** Conditions that end the run, in addition to the policy and to guards of the registered agent. Default: none. */
  readonly guards?: readonly StopCondition[]
  /** Receives each event of the run. Default: nobody does. A registered agent's run has its own sinks. */
  readonly onEvent?: EventSink
}

/** Request of a loop: a conversation, and as much of the other fields of a {@link RunRequest} as the caller has. */
export type LoopRequest<Env = unknown> = Pick<RunRequest<Env>, 'messages'> &
  Partial<Omit<RunRequest<Env>, 'messages' | 'meta' | 'env'>> & {
    /** Default: an id made for the run, the name of the loop as agent, no labels, and a signal that nobody aborts. */
    readonly meta?: Partial<RunMeta>
  } & (unknown extends Env ? { readonly env?: Env } : { readonly env: Env })

/** Services and state of a run that its loop needs. */
export interface LoopRun {
  /** Tools that are offered where the loop names none. */
  readonly tools: readonly AgentToolSpec[]
  /** Conditions that end the run, in addition to those of the loop. */
  readonly guards: readonly StopCondition[]
  readonly events: EventScope
  readonly items: ItemLog
  readonly progress: RunProgress
  /** Milliseconds since the run began. */
  readonly elapsedMs: () => number
  /** Whether the first step is what is left of one that waited: it is gone through whatever limit is reached. */
  readonly isResumed: boolean
  /** Returns the suspended run as plain data. */
  readonly suspend: (run: Omit<SuspendedRun, 'meta'>) => RunSuspension
  /** Returns the run that an error ends, as far as it has come. */
  readonly ended: (error: unknown) => AgentRun
  /** Delivers late results of earlier calls; absent where the run is in no session. */
  readonly session: Pick<RunSession, 'late'> | undefined
  /** Returns how an answer is asked for again, once; `undefined` where it is accepted. */
  readonly askAgain: (state: RunState, answer: DoneStep) => AskAgain | undefined
}

/** A second question for an answer. */
export interface AskAgain {
  readonly question: ChatMessage
  readonly form: ResponseFormat
}

/** Key of the run that a request belongs to. */
const RUN: unique symbol = Symbol('run')

/** Adds to a request the run that it belongs to; copies by spread keep it. */
export function inRun<Request extends RunRequest<any>>(request: Request, run: LoopRun): Request {
  return runOf(request) === run ? request : Object.assign({ ...request }, { [RUN]: run })
}

function runOf(request: LoopRequest<any> & { readonly [RUN]?: LoopRun }): LoopRun | undefined {
  return request[RUN]
}

/**
 * Puts the agent loop over a step service of your own: it takes step after step until one is done, or a limit of the policy
 * or a guard holds. Nothing else ends a run. The result is a service that run layers wrap. It never rejects: a step that
 * throws ends the run as `failed`, and the run keeps what was reached.
 *
 * Called by itself, the service makes a run of its own. As a run layer of an agent, `.runLayer(() => agentLoop(step))`, it
 * is the loop of that agent's runs, with their limits, events, items, session and handle. In both cases limits and usage
 * cover all passes of a run whose layers call the loop several times.
 *
 * @param step makes one step: adds its messages to those of the request, and returns `next` or `done` with its usage
 * @throws {TypeError} when `step` is no function, or a limit of the policy is no number.
 *
 * @example
 * const step: Service<StepRequest, StepResult> = async ({ messages }) => {
 *   const { message, usage } = await complete(messages)
 *   const stepUsage = { ...usage, toolCalls: 0 }
 *   const base = { messages: [...messages, message], outcomes: [], refused: 0, usage: stepUsage }
 *   return { ...base, kind: 'done', stop: { reason: 'answered' }, result: { text: message.content } }
 * }
 * const loop = agentLoop(step, { policy: { maxTurns: 10 } })
 * const run = await loop({ messages: [{ role: 'user', content: 'Where is A-1001?' }] })
 */
export function agentLoop<Env = unknown>(
  step: Service<StepRequest<Env>, StepResult>,
  options: LoopOptions = {},
): Service<LoopRequest<Env>, AgentRun> {
  if (typeof step !== 'function') {
    throw new TypeError('agentLoop(step): the step is no function, write async (request) => ({ kind: ... })')
  }
  const limits = options.policy === undefined ? undefined : joinPolicies(options.policy)
  const { newId } = systemEffects()
  return async (request) => {
    const run = runOf(request)
    if (run === undefined) return ownRun(step, request, { ...options, policy: limits ?? {} }, newId)
    // `any`: a request of a run is complete, whatever its env.
    const asked: RunRequest<any> = request as any
    return onePass(
      step,
      limits === undefined ? asked : { ...asked, policy: joinPolicies(limits, asked.policy) },
      options,
      run,
    )
  }
}

/** Makes a run of the loop's own. */
async function ownRun<Env>(
  step: Service<StepRequest<Env>, StepResult>,
  request: LoopRequest<Env>,
  options: LoopOptions,
  newId: (kind: 'run' | 'suspension') => string,
): Promise<AgentRun> {
  const { messages } = request
  if (!isConversation(messages)) throw new TypeError('agentLoop: `messages` of the request is no list of chat messages')
  const policy = joinPolicies(options.policy, request.policy)
  const startedAt = Date.now()
  const elapsedMs = (): number => Math.max(0, Date.now() - startedAt)
  const limits = { caller: request.meta?.signal, timeBudgetMs: policy.timeBudgetMs }
  const signal = runSignal(limits, new AbortListeners())
  const meta: RunMeta = Object.freeze({
    runId: newId('run'),
    agent: options.agent ?? 'agent',
    labels: {},
    ...request.meta,
    signal: signal.signal,
  })
  const { labels: _labels, signal: _signal, ...origin } = meta
  const log = new EventLog()
  const sinks = options.onEvent === undefined ? [] : [options.onEvent]
  const events = new EventScope(origin, { now: Date.now, sinks, log })
  const progress = new RunProgress({
    begin: atStart(messages),
    stops: [],
    tokens: new TokenLedger(policy.maxTokens, undefined),
    elapsedMs,
  })
  const ended = (error: unknown): AgentRun => {
    const { timeBudgetMs } = policy
    const { stop, ...end } = runFailure(error, { signal, timeBudgetMs, classify: undefined })
    return endedRun(meta, progress.present, [stop], end)
  }
  const run: LoopRun = {
    tools: NO_TOOLS,
    guards: NO_GUARDS,
    events,
    items: new ItemLog(),
    progress,
    elapsedMs,
    isResumed: false,
    suspend: (waiting) =>
      runSuspension(
        { meta, ...waiting },
        { table: { find: () => undefined }, newId: () => newId('suspension'), events: events.count, now: Date.now() },
      ),
    ended,
    session: undefined,
    askAgain: () => undefined,
  }
  events.publish({ type: 'run_started' })
  // `any`: the env of the request is of the type that the step takes.
  const whole: RunRequest<any> = { env: undefined, ...request, meta, policy }
  const end = await untilGrace(signal.signal, onePass(step, whole, options, run)).catch(ended)
  signal.release()
  events.publish(lastEvent(end))
  events.close()
  log.close()
  return withEvents(end, log)
}

/** After so many milliseconds without a wait a run lets others have their turn. */
const TURN_MS = 20

/** What cuts something off, so that it counts beside a final value too. */
const CUTS: ReadonlySet<StopSignal['reason']> = new Set<StopSignal['reason']>(['max_tool_calls', 'time_budget'])

/** What a run is never taken up after. */
const ENDS: ReadonlySet<StopSignal['reason']> = new Set<StopSignal['reason']>(['failed', 'cancelled'])

/** Request of a step beyond what follows from the state of the run. */
type StepMode = Pick<StepRequest, 'tools' | 'callsLeft' | 'responseFormat' | 'isResumed' | 'isCorrection'>

/** Makes one pass over the loop. A pass may follow others: the state of the run goes on. */
async function onePass(
  step: Service<StepRequest<any>, StepResult>, // `any`: the env passes through to the layers that asked for it by type
  request: RunRequest<any>,
  { tools: own, guards = NO_GUARDS }: LoopOptions,
  run: LoopRun,
): Promise<AgentRun> {
  const { events, items, progress, elapsedMs, isResumed, suspend, ended, session, askAgain } = run
  const { meta, policy, fields } = request
  const tools = own ?? run.tools
  const conditions = [...policyConditions(policy), ...run.guards, ...guards]
  const reached = (): readonly StopSignal[] => withMet(progress.recorded, conditions, progress.state)
  const take = async (mode: StepMode): Promise<StepResult> => {
    const before = progress.state
    const asked = stepRequest(request, before, mode)
    const { turn } = asked
    events.publish({ type: 'step_started', turn })
    progress.beginStep(asked.callsLeft)
    const result = requireStep(await step(asked))
    progress.endStep(result)
    items.addNew(before.messages, result.messages)
    events.publish({ type: 'step_ended', turn, usage: result.usage })
    const room = events.room()
    if (room !== undefined) await untilSignal(meta.signal, () => room)
    // Steps that never wait would keep timers and signals from being heard.
    if (elapsedMs() - rested >= TURN_MS) {
      await new Promise((resolve) => setTimeout(resolve, 0))
      rested = elapsedMs()
    }
    return result
  }
  const ask = (message: ChatMessage): void => {
    progress.ask(message)
    items.addNew([], [message])
  }
  /** Takes a step, and a second one where the planner has to correct its answer. */
  const decided = async (mode: StepMode): Promise<StepResult> => {
    let result = await take(mode)
    // A correction is a step like any other: a run that has reached a limit makes none.
    while (result.kind === 'next' && result.correction !== undefined && reached().length === 0) {
      meta.signal.throwIfAborted()
      ask(result.correction)
      result = await take({ tools: NO_TOOLS, callsLeft: 0, isCorrection: true })
    }
    return result
  }
  const answered = async (done: DoneStep): Promise<DoneStep> => {
    // A second question is a step like any other: a run that has reached a limit makes none.
    const again = reached().length === 0 ? askAgain(progress.state, done) : undefined
    if (again === undefined) return done
    ask(again.question)
    const last = await take({ tools: NO_TOOLS, callsLeft: 0, responseFormat: again.form })
    return last.kind === 'done' ? last : done
  }
  const done = (last: DoneStep): AgentRun => {
    const stops = lastStops(last, progress.recorded, reached())
    const waits = last.suspension
    const end = endOf(last)
    const { state } = progress
    if (waits !== undefined && stops.every(({ reason }) => !ENDS.has(reason)))
      end.suspension = suspend({ waits, state, stops, fields })
    return endedRun(meta, state, stops, end)
  }
  progress.beginPass(request.messages)
  let rested = progress.state.elapsedMs
  try {
    // A policy may allow no turn at all.
    let isFirst = isResumed
    while (isFirst || reached().length === 0) {
      const heard = isFirst
        ? undefined
        : hearLate(session, meta.signal, (messages) => {
            progress.hear(messages)
            items.addNew([], messages)
          })
      if (heard !== undefined) {
        await heard
        meta.signal.throwIfAborted()
      }
      const result = await decided({ tools, isResumed: isFirst })
      isFirst = false
      if (result.kind === 'done') return done(await answered(result))
      meta.signal.throwIfAborted()
      if (policy.onMissingFields === 'finalize' && lacksFields(result) && reached().length === 0) {
        const last = await decided({ tools: NO_TOOLS, callsLeft: 0 })
        return endedRun(meta, progress.state, [{ reason: 'missing_fields' }, ...progress.recorded], endOf(last))
      }
    }
    return endedRun(meta, progress.state, reached())
  } catch (error) {
    progress.failStep()
    items.addNew([], [])
    return ended(error)
  } finally {
    progress.endPass()
  }
}

const NO_TOOLS: readonly AgentToolSpec[] = Object.freeze([])
const NO_GUARDS: readonly StopCondition[] = Object.freeze([])

/** @throws {TypeError} naming what a step service or a layer around it did not return. */
function requireStep(result: StepResult): StepResult {
  const given: Partial<StepResult> | null | undefined = result
  const missing =
    typeof given !== 'object' || given === null
      ? 'result'
      : given.kind !== 'next' && given.kind !== 'done'
        ? '`kind`'
        : given.kind === 'done' && typeof given.stop?.reason !== 'string'
          ? '`stop`'
          : (['messages', 'outcomes'] as const)
              .filter((name) => !Array.isArray(given[name]))
              .map((name) => `\`${name}\``)[0]
  const wrong = missing ?? (typeof given?.usage === 'object' && given.usage !== null ? undefined : '`usage`')
  if (wrong === undefined) return result
  throw new TypeError(
    `The step returned no ${wrong}. Return a \`StepResult\` with \`kind: 'next'\` or \`kind: 'done'\`.`,
  )
}

/** The reasons to end that were recorded, and those that hold where the run stands. */
function withMet(
  recorded: readonly StopSignal[],
  conditions: readonly StopCondition[],
  state: RunState,
): readonly StopSignal[] {
  let stops = recorded
  for (const condition of conditions) {
    // Plain JavaScript may say `null`.
    const stop = condition(state) ?? undefined
    if (stop !== undefined) stops = [...stops, stop]
  }
  return stops
}

function stepRequest(
  { env, meta, fields, policy: { maxToolCalls } }: RunRequest,
  { turns, messages, outcomes, toolCalls, runStart }: RunState,
  { tools, callsLeft, responseFormat, isResumed, isCorrection }: StepMode,
): StepRequest {
  const request: Mutable<StepRequest> = { env, meta, turn: turns + 1, messages, tools, outcomes, runStart }
  if (callsLeft !== undefined) request.callsLeft = callsLeft
  else if (maxToolCalls !== undefined) request.callsLeft = Math.max(0, maxToolCalls - toolCalls)
  if (fields !== undefined) request.fields = fields
  if (responseFormat !== undefined) request.responseFormat = responseFormat
  if (isResumed === true) request.isResumed = true
  if (isCorrection === true) request.isCorrection = true
  return request
}

/** An answer stands, whatever limit its step reached, unless it was cut off or somebody stopped the run. */
function lastStops(
  { stop }: DoneStep,
  recorded: readonly StopSignal[],
  reached: readonly StopSignal[],
): readonly StopSignal[] {
  const cut = reached.filter(
    ({ reason }) => reason === 'finish_reason' || (stop.reason !== 'answered' && CUTS.has(reason)),
  )
  return [stop, ...recorded, ...cut]
}

function endOf(last: StepResult): Mutable<RunEnd> {
  return last.kind === 'done' && last.result !== undefined ? { result: last.result } : {}
}

function lacksFields({ outcomes }: StepResult): boolean {
  return outcomes.some((outcome) => outcome.status === 'failed' && outcome.hint.reason === 'missing_fields')
}

/** The limits of a policy as conditions, the most severe first. */
export function policyConditions(policy: RunPolicy): readonly StopCondition[] {
  const { timeBudgetMs, maxTokens, maxToolCalls, maxConsecutiveFailures, maxTurns } = policy
  return [
    ...limit('time_budget', timeBudgetMs, ({ elapsedMs }, most) => elapsedMs >= most),
    ...limit(
      'max_tokens',
      maxTokens,
      ({ promptTokens, completionTokens }, most) => promptTokens + completionTokens >= most,
    ),
    ({ exhaustedParentLimit }) =>
      exhaustedParentLimit === undefined ? undefined : { reason: 'max_tokens', limit: exhaustedParentLimit },
    ...limit('max_tool_calls', maxToolCalls, ({ refused }) => refused > 0),
    ...limit(
      'max_consecutive_failures',
      maxConsecutiveFailures,
      ({ outcomes }, most) => failuresAtEnd(outcomes) >= Math.max(1, most),
    ),
    ...limit('max_turns', maxTurns, ({ turns }, most) => turns >= most),
  ]
}

function limit(
  reason: LimitReason,
  most: number | undefined,
  isReached: (state: RunState, most: number) => boolean,
): readonly StopCondition[] {
  return most === undefined ? [] : [(state) => (isReached(state, most) ? { reason, limit: most } : undefined)]
}

function failuresAtEnd(outcomes: readonly ToolOutcome[]): number {
  let count = 0
  while (outcomes[outcomes.length - 1 - count]?.status === 'failed') count += 1
  return count
}

/** How long a run that is aborted still waits for what the store is just letting go of, in milliseconds. */
const LAST_WAIT_MS = 500

/**
 * Hears what acknowledged calls have come to since. What comes when nobody waits for it any more stays in the session: a run
 * that is aborted still waits a little, for what has left the store may not find its way back.
 *
 * @param hear given the messages at the moment that they are the run's
 * @returns `undefined` where there is nothing; else resolves when that is over
 */
function hearLate(
  session: Pick<RunSession, 'late'> | undefined,
  signal: AbortSignal,
  hear: (messages: readonly ChatMessage[]) => void,
): Promise<void> | undefined {
  if (session === undefined || signal.aborted) return undefined
  let isOver = false
  const heard = session.late((messages) => {
    if (isOver) return false
    hear(messages)
    return true
  })
  return (
    heard &&
    untilLastWait(signal, heard).finally(() => {
      isOver = true
    })
  )
}

function untilLastWait(signal: AbortSignal, work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    let stopTimer = (): void => undefined
    const end = (): void => {
      stopTimer()
      signal.removeEventListener('abort', wait)
      resolve()
    }
    const wait = (): void => {
      stopTimer = after(LAST_WAIT_MS, end)
    }
    signal.addEventListener('abort', wait)
    work.then(end)
  })
}
