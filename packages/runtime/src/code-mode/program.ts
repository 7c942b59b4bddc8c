import { AsyncResource } from 'node:async_hooks'
import { claimSuspension, requireOrigin, resumedStart } from '../agents/resume.js'
import { withoutWaiting } from '../agents/run-result.js'
import type { ResumedStep } from '../agents/step-attempts.js'
import { stepSuspension } from '../agents/step-suspension.js'
import { storedOutcome } from '../agents/stored-outcome.js'
import { readSuspension } from '../agents/suspension.js'
import { SuspensionError } from '../agents/suspension-error.js'
import { signedSuspension } from '../agents/suspension-signature.js'
import { CallTarget, type ResolvedOptions, resolveOptions } from '../call/call-target.js'
import { isFilePart, partsIn, textWithoutData } from '../call/content.js'
import { outcomeSources } from '../call/data-sources.js'
import { estimateTokens } from '../call/estimate-tokens.js'
import { SuspendedCallEnds } from '../call/events.js'
import { rejectCall, startCall } from '../call/execute.js'
import { type CallResumption, type InnerCallContext, NestedSuspension, nestedRunContext } from '../call/nested-run.js'
import { type Provenanced, readsOf, withContent } from '../call/provenance.js'
import { approvalNote, MAX_MESSAGE, problemForModel, renderForModel } from '../call/render.js'
import type { ServingAgent } from '../call/required-options.js'
import { ToolFailure } from '../call/tool-failure.js'
import { shorten } from '../call/value-text.js'
import type { ContentPart } from '../types/content.js'
import type { ExecutorRequest } from '../types/executor.js'
import type { FailureFacts, FailureReason } from '../types/failure.js'
import type { JsonText, JsonValue } from '../types/json.js'
import type { RunSuspension, SuspendedCall, SuspendedProgram, ToolOutcome } from '../types/outcome.js'
import { callsText, type ListedCall } from './call-text.js'
import { issuesHint, type ProgramChecker, type ProgramIssue } from './checker.js'
import type { ApiDeclarations, WholeApi } from './declarations.js'
import type { SandboxLimits } from './limits.js'
import type {
  ExecuteCall,
  Sandbox,
  SandboxFailure,
  SandboxJournal,
  SandboxOutcome,
  SandboxProgram,
  SandboxReply,
} from './sandbox.js'

interface ProgramParts {
  readonly checker: ProgramChecker
  readonly sandbox: Sandbox
  readonly limits: SandboxLimits
}

interface ProgramResult {
  readonly value: JsonValue
  readonly console?: readonly string[]
}

const noMoreCalls = (): ToolFailure => new ToolFailure('The run accepts no more calls.', { reason: 'cancelled' })

function requireTarget(target: object): CallTarget {
  if (target instanceof CallTarget) return target
  throw new TypeError(
    'The tools of the program belong to another version of @toolgen/runtime. Install only one version.',
  )
}

const newSeed = 1

export class Programs {
  readonly #agent: ServingAgent
  readonly #target: CallTarget | undefined
  readonly #api: WholeApi
  readonly #parts: ProgramParts

  constructor(agent: ServingAgent, target: CallTarget | undefined, api: WholeApi, parts: ProgramParts) {
    this.#agent = agent
    this.#target = target
    this.#api = api
    this.#parts = parts
  }

  async execute(request: ExecutorRequest): Promise<Provenanced<ProgramResult> | NestedSuspension> {
    const { code } = (await request.payload()) as { readonly code: string }
    const nest = nestedRunContext(request)
    nest.endToolTimeout()
    const { context } = this.#target ?? requireTarget(nest.inner.innerTarget)
    // A closed runtime rejects programs from other runtimes, but lets its own running calls finish.
    if (context.calls.closed && nest.parent.runtime !== context.calls) throw context.calls.refusal()
    const { checker, sandbox, limits } = this.#parts
    const earlier = await this.#earlier(request, code, context)
    const checked = await checker.check(this.#api.checked(), withoutFence(code))
    if (!checked.ok && earlier === undefined)
      throw new ToolFailure(issuesHint(checked.issues), { action: 'correct_call' })
    const start = { code, agent: this.#agent.descriptor.name, earlier }
    const program = new Program(this.#target, this.#api, request, start)
    if (!checked.ok) throw program.changed(checked.issues)
    // Calls start in event handlers of the sandbox's thread. `bind` restores the async context, for example the tracing span.
    const call = AsyncResource.bind((...args: Parameters<ExecuteCall>) => program.call(...args))
    const outcome = await sandbox.run({ javascript: checked.javascript, ...program.start(limits) }, (...args) =>
      call(...args),
    )
    return program.end(outcome, limits)
  }

  async #earlier(
    request: ExecutorRequest,
    code: string,
    { suspensions, redactions }: CallTarget['context'],
  ): Promise<EarlierProgram | undefined> {
    const { resumption, parent } = nestedRunContext(request)
    if (resumption === undefined) return undefined
    const stored = readSuspension(resumption.suspension, this.#agent.descriptor.name)
    await requireOrigin(stored, suspensions, request.meta.sessionId)
    const { redaction } = parent
    const suspension = redaction === undefined ? stored : await redactions.restoreState(redaction, stored)
    const { program } = suspension
    const { step } = resumedStart(this.#agent, suspension, resumption.answers, redaction)
    if (program?.code === code && step !== undefined) return { suspension, program, step }
    const message =
      'The suspension belongs to a program with other code. Resume with the suspension that this run or call has returned.'
    throw new SuspensionError('invalid_form', message)
  }
}

interface EarlierProgram {
  readonly suspension: RunSuspension
  readonly program: SuspendedProgram
  readonly step: ResumedStep
}

interface ProgramStart {
  readonly code: string
  readonly agent: string
  readonly earlier: EarlierProgram | undefined
}

/** Replaces the first line with an empty line, so that the other lines of the program keep their numbers. */
function withoutFence(code: string): string {
  const text = code.trimEnd()
  const start = code.search(/\S/)
  const first = code.indexOf('\n', start)
  const fence = code.slice(start, start + 3)
  if ((fence !== '```' && fence !== '~~~') || first < 0) return code
  const end = text.endsWith(`\n${fence}`) ? text.length - fence.length : code.length
  return code.slice(0, start) + code.slice(first, end)
}

interface ProgramCall {
  readonly call: SuspendedCall
  outcome?: ToolOutcome | undefined
}

class Program {
  readonly #target: CallTarget
  readonly #api: ApiDeclarations
  readonly #request: ExecutorRequest
  readonly #context: InnerCallContext
  readonly #options: ResolvedOptions
  readonly #start: ProgramStart
  readonly #startedAt: number
  readonly #now: number
  readonly #seed: number
  /** Tool calls in the order in which the program made the calls. Includes calls before a suspension. */
  readonly #calls: ProgramCall[]
  /** Indexes of the calls in `#calls`, in the order in which the program received the replies. */
  readonly #replies: number[]
  readonly #suspended = new SuspendedCallEnds()
  readonly #refused = new AbortController()
  #claimed: Promise<void> | undefined
  #ofCalls: { readonly from: AbortSignal; readonly options: ResolvedOptions; readonly release: () => void } | undefined
  #tokensSaved: number | undefined

  constructor(target: CallTarget | undefined, api: ApiDeclarations, request: ExecutorRequest, start: ProgramStart) {
    const { describe, describeEffects, env, inner, parent } = nestedRunContext(request)
    this.#api = api
    this.#request = request
    this.#start = start
    const { toolCallId: parentToolCallId, sessionId, turnId, runId, labels, deadline } = request.meta
    const options = { env, sessionId, turnId, runId, labels, deadline, parentToolCallId }
    const suspended = this.#suspended
    const sources = () => [...parent.sources(), ...outcomeSources(this.#outcomes)]
    if (target === undefined) {
      // The tools of `innerTarget` already have the layers of the run configuration.
      this.#target = requireTarget(inner.innerTarget)
      this.#options = resolveOptions(options)
      this.#context = { ...inner, suspended, parent: { ...inner.parent, sources } }
    } else {
      const { agent, context } = target
      const agents = agent === undefined || parent.agents.includes(agent) ? parent.agents : [...parent.agents, agent]
      const events = inner.events?.withSinks(context.sinks)
      this.#target = target
      this.#options = resolveOptions({ ...options, config: parent.config })
      this.#context = {
        ...inner,
        suspended,
        events,
        parent: { ...parent, agents, events, sources },
        innerTarget: target,
      }
    }
    const { program, step } = start.earlier ?? {}
    this.#startedAt = this.#target.context.effects.now()
    this.#now = program?.now ?? this.#startedAt
    this.#seed = program?.seed ?? newSeed
    this.#calls = step?.calls.map((call, index) => ({ call, outcome: step.outcomes[index] })) ?? []
    this.#replies = [...(program?.replies ?? [])]
    describe(() => ({
      children: this.#outcomes.map(({ call }) => call),
      ...readsOf(this.#outcomes),
      ...(this.#tokensSaved !== undefined && { extra: { tokensSaved: this.#tokensSaved } }),
    }))
    describeEffects(() => this.#done())
  }

  start(limits: SandboxLimits): Omit<SandboxProgram, 'javascript'> {
    const { earlier } = this.#start
    const { signal } = this.#request.meta
    const totalMs = Math.max(0, limits.totalMs - (earlier?.suspension.progress.elapsedMs ?? 0))
    return {
      paths: this.#api.functions.map(({ path }) => path),
      now: this.#now,
      seed: this.#seed,
      limits: {
        ...limits,
        totalMs,
        parallel: Math.min(limits.parallel, this.#context.limits.parallelism ?? limits.parallel),
      },
      signal,
      // Only a resumed program can be refused.
      ...(earlier !== undefined && {
        signal: AbortSignal.any([signal, this.#refused.signal]),
        journal: this.#journal(),
      }),
    }
  }

  #journal(): SandboxJournal {
    const calls = this.#calls.map(({ call }) => ({ path: this.#pathOf(call), json: call.arguments }))
    const replies = this.#replies.flatMap((index) => {
      const { outcome } = this.#calls[index] ?? {}
      const reply = outcome === undefined ? 'suspended' : this.#replyOf(outcome)
      return reply === 'suspended' ? [] : [{ call: index, reply }]
    })
    return { calls, replies }
  }

  async call(index: number, json: JsonText, signal: AbortSignal, number: number): Promise<SandboxReply | 'suspended'> {
    const earlier = this.#calls[number]
    if (earlier === undefined) return this.#execute(this.#newCall(index, json, number), number, signal)
    const resumption = this.#start.earlier?.step.resumptions.get(earlier.call.toolCallId)
    if (resumption === undefined || !(await this.#claim())) return 'suspended'
    earlier.outcome = undefined
    return this.#execute(earlier, number, signal, resumption)
  }

  #newCall(index: number, json: JsonText, number: number): ProgramCall {
    const toolName = this.#api.functions[index]?.toolName ?? ''
    const { toolCallId: parentToolCallId, attempt } = this.#request.meta
    // Derives the id from the call number. After a crash, a repeated program therefore uses the same ids and idempotency keys.
    const toolCallId = [parentToolCallId, ...(attempt > 1 ? [attempt] : []), number + 1].join('.')
    const ids = { toolCallId, parentToolCallId, chatId: toolCallId }
    const call: ProgramCall = { call: { tool: toolName, arguments: json, ...ids, toolName } }
    this.#calls[number] = call
    // Counts only new calls, because resumed calls were counted at their start.
    if (this.#context.limits.admit?.() === false) call.outcome = rejectCall(this.#target, call.call, noMoreCalls())
    return call
  }

  async #execute(
    entry: ProgramCall,
    number: number,
    signal: AbortSignal,
    resumption?: CallResumption,
  ): Promise<SandboxReply | 'suspended'> {
    entry.outcome ??= await startCall(this.#target, entry.call, this.#callOptions(signal), {
      ...this.#context,
      resumption,
    })
    if (entry.outcome.stop !== undefined) this.#context.limits.finish?.(entry.outcome.stop)
    const reply = this.#replyOf(entry.outcome)
    if (reply !== 'suspended') this.#replies.push(number)
    return reply
  }

  #callOptions(signal: AbortSignal): ResolvedOptions {
    // Sandboxes pass one signal for all calls. The options are cached, because the creation of a combined signal is slow.
    if (this.#ofCalls?.from !== signal) {
      const combined = AbortSignal.any([signal, this.#request.meta.signal])
      this.#ofCalls?.release()
      // Without this action, each call would add its own listener to the signal, which is slow.
      const release = this.#target.context.listeners.add(combined, () => undefined)
      this.#ofCalls = { from: signal, options: { ...this.#options, isWhole: true, signal: combined }, release }
    }
    return this.#ofCalls.options
  }

  /** Must be called before the first suspended call continues, so that nobody can resume the suspension again. */
  async #claim(): Promise<boolean> {
    const { earlier } = this.#start
    if (earlier === undefined) return true
    this.#claimed ??= claimSuspension(this.#target.context.claims, earlier.suspension)
    try {
      await this.#claimed
      return true
    } catch (error) {
      this.#refused.abort(error)
      return false
    }
  }

  #replyOf(outcome: ToolOutcome): SandboxReply | 'suspended' {
    if (outcome.status === 'suspended') return 'suspended'
    if (outcome.status === 'completed') return { ok: true, json: this.#declaredJson(outcome) }
    const { hint } = outcome
    const reply = { ok: false, message: hint.message, hint: renderForModel(outcome) } as const
    if (hint.reason !== 'domain_rejection' || hint.failure === undefined) return reply
    return { ...reply, reason: hint.failure, ...(hint.data !== undefined && { data: hint.data }) }
  }

  /** Encodes the result again, because result adapters and layers can have changed `json`. */
  #declaredJson({ call, result, json }: Extract<ToolOutcome, { status: 'completed' }>): JsonText {
    const tool = this.#target.table.find(call.tool)?.tool
    const encoded = tool?.result.encodeValue(result.data)
    if (!encoded?.ok) return json
    const { redaction } = this.#context.parent
    if (redaction !== undefined) return redaction.json(encoded.json, 'model', tool?.sensitive?.result)
    // Without `redaction`, the tools belong to another runtime, whose `json` already hides sensitive values.
    return tool?.sensitive?.audiences.has('model') === true ? json : encoded.json
  }

  get #outcomes(): readonly ToolOutcome[] {
    return this.#calls.flatMap(({ outcome }) => outcome ?? [])
  }

  async end(outcome: SandboxOutcome, limits: SandboxLimits): Promise<Provenanced<ProgramResult> | NestedSuspension> {
    this.#ofCalls?.release()
    if (outcome.status === 'suspended') {
      const suspension = await this.#suspension()
      this.#suspended.end((last) => last)
      return new NestedSuspension(suspension)
    }
    this.#suspended.end((last) => withoutWaiting([last])[0] ?? last)
    if (this.#refused.signal.aborted) throw this.#refused.signal.reason
    if (outcome.status === 'failed' && outcome.reason === 'unavailable') throw new Error(outcome.message)
    if (outcome.status === 'failed') throw this.#failure(outcome, limits)
    const { json } = outcome
    const parts = this.#parts
    const logs = [...outcome.logs.map((line) => textWithoutData(line, parts)), ...this.#approvalNotes]
    const results = this.#outcomes.reduce((sum, each) => sum + estimateTokens(renderForModel(each)), 0)
    // The model reads only the output of the program, not the results of the calls.
    this.#tokensSaved = Math.max(0, results - estimateTokens(json + logs.join('')))
    return withContent({ value: JSON.parse(json), ...(logs.length > 0 && { console: logs }) }, partsIn(json, parts))
  }

  /** The model reads these sentences about changed arguments, because the program receives only results. */
  get #approvalNotes(): readonly string[] {
    return this.#outcomes.flatMap(({ call, provenance }) => {
      const note = approvalNote(provenance.approval)
      return note === undefined ? [] : [`${call.tool}: ${note}`]
    })
  }

  get #parts(): readonly ContentPart[] {
    const parts = this.#outcomes.flatMap((outcome) => (outcome.status === 'completed' ? (outcome.content ?? []) : []))
    const keyOf = (part: ContentPart): string => (isFilePart(part) ? part.data : JSON.stringify(part))
    return [...new Map(parts.map((part) => [keyOf(part), part])).values()]
  }

  async #suspension(): Promise<RunSuspension> {
    const { context, table } = this.#target
    const { effects, suspensions, redactions } = context
    const { redaction } = this.#context.parent
    const { code, agent, earlier } = this.#start
    const { runId, toolCallId, sessionId } = this.#request.meta
    const calls = this.#calls.map(({ call }) => call)
    const outcomes = this.#outcomes.map((outcome) => storedOutcome(table, outcome, redaction))
    const waits = stepSuspension(outcomes, agent, calls)
    if (waits === undefined || outcomes.length < calls.length) throw new Error('a program was suspended without reason')
    const now = effects.now()
    const suspension: RunSuspension = {
      version: 1,
      id: effects.newId('suspension'),
      runId: runId ?? toolCallId,
      agent,
      ...(sessionId !== undefined && { sessionId }),
      suspendedAt: now,
      program: {
        version: 1,
        code,
        now: this.#now,
        seed: this.#seed,
        replies: [...this.#replies],
        ...(this.#completed.length > 0 && { completed: this.#completedText(longestSuspended) }),
      },
      messages: [],
      progress: {
        ...noProgress,
        toolCalls: calls.length,
        elapsedMs: (earlier?.suspension.progress.elapsedMs ?? 0) + Math.max(0, now - this.#startedAt),
        outcomes,
      },
      ...waits,
    }
    const hidden = redaction === undefined ? suspension : await redactions.hideState(redaction, suspension)
    return suspensions === undefined ? hidden : signedSuspension(hidden, suspensions)
  }

  changed(issues: readonly ProgramIssue[]): ToolFailure {
    const done = this.#done(MAX_MESSAGE - shortestProblem)
    const intro = 'The program cannot continue, because its tools have changed.'
    return new ToolFailure(`${issuesHint(issues, intro, MAX_MESSAGE - done.length - 1)}\n${done}`, { action: 'replan' })
  }

  #failure({ reason, message, hint }: FailedProgram, limits: SandboxLimits): ToolFailure {
    const cause = this.#outcomes.find((outcome) => outcome.status === 'failed' && renderForModel(outcome) === hint)
    const ofCall = cause?.status === 'failed' ? cause.hint : undefined
    // Omits `message` if `hint` is present, because the hint of a failed call contains the message.
    const hasEffects = this.#completed.length + this.#running.length > 0
    const keepsHint = ofCall === undefined || (hasEffects && ofCall.action === 'wait')
    const said = keepsHint ? (hint ?? message) : problemForModel(ofCall)
    const problem = failureTexts[reason](textWithoutData(said, this.#parts), limits)
    const done = this.#done(MAX_MESSAGE - Math.min(problem.length, shortestProblem))
    const text = `${sentence(shorten(problem, MAX_MESSAGE - done.length - 2))} ${done}`
    if (reason === 'cancelled') return new ToolFailure(text, { reason: 'cancelled' })
    // Hides the message of a crash from the model, because the message is for developers.
    if (reason === 'crashed') return new ToolFailure(text, { reason: 'internal', cause: new Error(message) })
    if (ofCall?.action === 'wait' && !hasEffects) {
      const { reason: cause, retryAfterMs } = ofCall
      return new ToolFailure(text, { reason: cause, action: 'wait', retryAfterMs } as FailureFacts)
    }
    const isWrong = hint === undefined ? reason !== 'replay' : ofCall?.action === 'correct_call'
    return new ToolFailure(text, { action: isWrong && !hasEffects ? 'correct_call' : 'replan' })
  }

  #done(space: number = longestDone): string {
    const running = this.#running
    if (running.length === 0) return this.#completedText(space)
    const intro = 'These calls were cancelled and may have had effects: '
    const shown = `${intro}${callsText(running, Math.floor(space / 2) - intro.length)}.`
    return `${this.#completedText(space - shown.length - 1)} ${shown}`
  }

  #completedText(space: number): string {
    const completed = this.#completed
    if (completed.length === 0) return 'No call was completed.'
    const [intro, advice] = ['These calls were completed: ', '. Do not repeat calls with effects.']
    return intro + callsText(completed, space - intro.length - advice.length) + advice
  }

  get #completed(): readonly ListedCall[] {
    return this.#listed(({ outcome }) => outcome?.status === 'completed')
  }

  get #running(): readonly ListedCall[] {
    return this.#listed(({ outcome }) => mayHaveEffects(outcome))
  }

  #listed(isListed: (call: ProgramCall) => boolean): readonly ListedCall[] {
    return this.#calls.filter(isListed).map(({ call }) => ({
      path: this.#pathOf(call),
      json: call.arguments,
      isReadOnly: this.#target.table.find(call.toolName)?.tool.spec.annotations.readOnly === true,
    }))
  }

  #pathOf({ toolName }: SuspendedCall): string {
    return this.#api.functions.find((each) => each.toolName === toolName)?.path ?? toolName
  }
}

const sentence = (text: string): string => (/[.?!…:]$/.test(text) ? text : `${text}.`)

type FailedProgram = Extract<SandboxOutcome, { readonly status: 'failed' }>

function mayHaveEffects(outcome: ToolOutcome | undefined): boolean {
  if (outcome === undefined) return true
  const isOpen = outcome.status === 'failed' ? isAborted(outcome.hint.reason) : outcome.status === 'suspended'
  return isOpen && outcome.provenance.attempts > 0
}

function isAborted(reason: FailureReason): boolean {
  return reason === 'cancelled' || reason === 'timeout'
}

/** Values for the properties that every suspension must contain, but that have a meaning only for runs, not for programs. */
const noProgress = {
  turns: 0,
  refused: 0,
  promptTokens: 0,
  completionTokens: 0,
  runStart: 0,
  events: 0,
  stops: [],
} as const

const shortestProblem = 280

const longestDone = 500

const longestSuspended = 500

const failureTexts: Readonly<Record<SandboxFailure, (message: string, limits: SandboxLimits) => string>> = {
  error: (message) => `The program ended with an error: ${message}`,
  time: (_, { computeMs, totalMs }) =>
    `The program took too long (limits: ${computeMs} ms of computing, ${totalMs} ms in total).`,
  memory: () => 'The program needs too much memory. Process less data at a time.',
  calls: (_, { calls }) => `The program made more than ${calls} calls.`,
  result: (length, { resultCharacters }) =>
    `The returned value has ${length} characters; the limit is ${resultCharacters}. Return less data.`,
  unawaited: () => 'The program ended while calls were running. Write `await` before each call.',
  cancelled: (message) => message,
  replay: (message) =>
    `The program cannot continue, because it behaves differently than before its suspension. ${message}`,
  unavailable: (message) => message,
  crashed: () => 'The sandbox of the program ended unexpectedly. Nest calls and values less deeply.',
}
