import { type CallTarget, NO_ENV, type ResolvedOptions, type RunSession } from '../call/call-target.js'
import { rejectCall, startCall } from '../call/execute.js'
import { missingRunOptions } from '../call/missing-options.js'
import { DEFAULT_MAX_DEPTH, type ParentRun, TokenLedger } from '../call/nesting.js'
import { traced } from '../call/telemetry.js'
import { ToolFailure } from '../call/tool-failure.js'
import type { Service } from '../types/call.js'
import type { ChatFields } from '../types/chat.js'
import type { StopSignal } from '../types/errors.js'
import type { Mutable } from '../types/json.js'
import type { RunMeta } from '../types/planner.js'
import type { AgentRun, RunRequest, RunState } from '../types/run.js'
import { agentLoop, inRun, type LoopRun } from './loop.js'
import { type ResumedStep, resumedRun } from './resume.js'
import { callNames, RunCalls } from './run-calls.js'
import { type RunBeginning, type RunnableAgent, type RunParts, runInput } from './run-parts.js'
import { atStart, RunProgress } from './run-progress.js'
import { endedRun, runFailure } from './run-result.js'
import { untilGrace, untilSignal } from './run-signal.js'
import { requireSigned, signedSuspension } from './sign-suspensions.js'
import { stepService } from './step.js'
import { runSuspension } from './suspension.js'
import { SuspensionError } from './suspension-schema.js'

/** Runs the loop with the layers of all scopes around it. Never rejects. */
export async function conductRun(agent: RunnableAgent, beginning: RunBeginning, parts: RunParts): Promise<AgentRun> {
  const { options, meta, policy, signal, events, items, beneath } = parts
  const { table, context } = agent.target
  const { effects, classify, tracer, suspensions } = context
  let startedAt = 0
  let before = 0
  const elapsedMs = (): number => before + Math.max(0, effects.now() - startedAt)
  let progress: RunProgress | undefined
  const failureOf = (error: unknown) => runFailure(error, { signal, timeBudgetMs: policy.timeBudgetMs, classify })
  const endedBy = ({ stop, ...end }: ReturnType<typeof runFailure>): AgentRun =>
    endedRun(meta, progress?.present ?? atStart([]), [stop], end)
  const ended = (error: unknown): AgentRun => endedBy(failureOf(error))
  beneath?.observe(() => {
    const { turns, outcomes, model, promptTokens, completionTokens } = progress?.present ?? atStart([])
    const usage = { turns, promptTokens, completionTokens, ...(model !== undefined && { model }) }
    return { runId: meta.runId, agent: meta.agent, outcomes, usage }
  })
  const work = async (): Promise<AgentRun> => {
    const calls = new RunCalls(signal)
    try {
      startedAt = effects.now()
      requireBegin(agent.target, options, meta)
      const begun = await begin(agent, beginning, meta)
      const { fields, stops } = begun
      before = begun.begin.elapsedMs
      const tokens = new TokenLedger(policy.maxTokens, beneath?.parent.tokens, begun.begin)
      progress = new RunProgress({
        begin: begun.begin,
        stops,
        tokens,
        elapsedMs,
      })
      const loop: LoopRun = {
        // Tools that are offered as they are need no selection: the list is that of the target.
        tools: (options.config === undefined ? agent.target : agent.target.under(options.config)).table.specs,
        guards: agent.guards,
        events,
        items,
        progress,
        elapsedMs,
        isResumed: begun.step !== undefined,
        ended,
        session: options.session,
        askAgain: beneath?.askAgain ?? (() => undefined),
        suspend: (run) =>
          runSuspension(
            { meta, ...run },
            { table, newId: () => effects.newId('suspension'), events: events.count, now: effects.now() },
          ),
      }
      const service = runService(agent, parts, {
        calls,
        loop,
        begin: begun.begin,
        parent: parentOf(agent, parts, tokens),
        resumed: begun.step,
      })
      const request: Mutable<RunRequest> = { env: options.env, meta, messages: begun.begin.messages, policy }
      if (fields !== undefined) request.fields = fields
      if (beginning.kind === 'suspension') request.isResumed = true
      const run = progress.covering(requireRun(await untilGrace(signal.signal, service(inRun(request, loop)))))
      const { suspension } = run
      // After all layers: the signature covers what leaves the runtime.
      if (suspension === undefined || suspensions === undefined) return run
      return { ...run, suspension: await signedSuspension(suspension, suspensions) }
    } catch (error) {
      // Before the end of the calls, which aborts the signal; a pass that a layer did not await may have some.
      const failure = failureOf(error)
      await calls.close()
      progress?.failStep()
      return endedBy(failure)
    } finally {
      await calls.close()
    }
  }
  return tracer === undefined ? work() : traced((inSpan) => tracer.run(meta, inSpan), work)
}

/** Where a run begins. */
interface Begun {
  readonly begin: RunState
  readonly stops: readonly StopSignal[]
  readonly fields?: ChatFields
  readonly step?: ResumedStep
}

/** @throws {SuspensionError} when the suspension is not to be resumed, or not with these answers. */
async function begin(
  { descriptor, target }: RunnableAgent,
  beginning: RunBeginning,
  { sessionId, signal }: RunMeta,
): Promise<Begun> {
  if (beginning.kind === 'input') {
    const { messages, ...rest } = runInput(beginning.input, descriptor.instructions)
    return { begin: atStart(messages), stops: [], ...rest }
  }
  const { suspension, answers } = beginning
  const { claims, suspensions } = target.context
  await untilSignal(signal, () => requireSigned(suspension, suspensions))
  if (suspension.sessionId !== sessionId) {
    throw new SuspensionError(
      'wrong_session',
      'The run was suspended in another session: resume it with the `sessionId` that it was started with.',
    )
  }
  const resumed = resumedRun({ descriptor, table: target.table }, suspension, answers)
  // What cannot go on is not claimed.
  const { id, suspendedAt } = suspension
  const facts = suspendedAt === undefined ? {} : { suspendedAt }
  const claimed: unknown = await untilSignal(signal, async () => claims.claim(id, facts))
  if (claimed === true) return resumed
  if (claimed === 'expired') {
    throw new SuspensionError(
      'expired',
      'This suspension is too old: the claims no longer know whether it was resumed before. Start the run again, or use claims that are kept longer.',
    )
  }
  if (claimed !== false) throw new TypeError("claims.claim(id) must return true, false or 'expired'")
  throw new SuspensionError('already_resumed', 'This suspension has been resumed before: a run goes on once.')
}

function parentOf(
  { descriptor, target }: RunnableAgent,
  { options, policy, events, items, beneath }: RunParts,
  tokens: TokenLedger,
): ParentRun {
  const { agents = [], maxDepth = DEFAULT_MAX_DEPTH, deepTracing = false } = beneath?.parent ?? {}
  return {
    runtime: target.context,
    config: options.config,
    agents: [...agents, descriptor],
    maxDepth: Math.min(maxDepth, policy.maxDepth ?? maxDepth),
    tokens,
    events,
    items,
    deepTracing: deepTracing || options.deepTracing === true,
  }
}

/** @throws what is wrong with the options, or all server-owned fields that nobody can fill. */
function requireBegin({ table }: CallTarget, { error }: ResolvedOptions, meta: RunMeta): void {
  if (error !== undefined) throw error
  const missing = missingRunOptions(table, meta)
  if (missing.length === 0) return
  throw new ToolFailure(`The caller of this run must give ${missing.join(', ')}.`, {
    reason: 'internal',
    action: 'finish',
  })
}

function requireRun(run: unknown): AgentRun {
  if (isRun(run)) return run
  throw new TypeError('a layer around the run answered with no run: return what next(request) gave')
}

function isRun(value: unknown): value is AgentRun {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['runId', 'status', 'stop', 'stops', 'messages', 'outcomes', 'usage'].every((name) => name in value)
  )
}

/** What the services of a run share. */
interface RunService {
  readonly calls: RunCalls
  readonly loop: LoopRun
  /** State that the run begins with. */
  readonly begin: RunState
  /** What runs beneath the calls of this run take over. */
  readonly parent: ParentRun
  /** The step that waited, where the run goes on with one. */
  readonly resumed: ResumedStep | undefined
}

/** The loop over the steps of a run, with the layers of the agent's and of the run's scope around both. */
function runService(
  { target: ofAgent, planner }: RunnableAgent,
  { options, meta, policy, events, items }: RunParts,
  { calls: ofRun, loop, begin, parent, resumed }: RunService,
): Service<RunRequest, AgentRun> {
  const { config, session } = options
  const target = config === undefined ? ofAgent : ofAgent.under(config)
  const { toolTimeoutMs } = policy
  const { runId, sessionId, turnId, parentToolCallId, labels } = meta
  const used = [...begin.outcomes, ...(resumed?.outcomes ?? [])].map(({ call }) => call.toolCallId)
  let waiting = resumed
  const step = stepService({
    planner,
    policy,
    nameCalls: callNames(target.table, () => target.context.effects.newId('toolCall'), used),
    beginner: ({ env, tools }, group, waitingEnds) => {
      ofRun.requireOpen()
      const offered = target.offering(tools)
      const options = { runId, sessionId, turnId, parentToolCallId, labels, env: env ?? NO_ENV, config: undefined }
      const startCall = beginnerIn(session)
      const frame = {
        events,
        calls: group,
        suspended: waitingEnds,
        open: ofRun,
        toolTimeoutMs,
        parent,
        resumption: undefined,
      }
      return (call, resumption) =>
        resumption === undefined
          ? startCall(offered, call, options, frame)
          : // What was asked for when it was offered goes on.
            startCall(target, call, options, { ...frame, resumption })
    },
    refuse: (call, message) => rejectCall(target, call, new ToolFailure(message, { reason: 'cancelled' })),
    progress: loop.progress,
    items,
    takeResumed: () => {
      const taken = waiting
      waiting = undefined
      return taken
    },
  })
  const whileOpen =
    <Request, Response>(service: Service<Request, Response>): Service<Request, Response> =>
    async (request) => {
      ofRun.requireOpen()
      return service(request)
    }
  const scopes = config === undefined ? [ofAgent.scope] : [ofAgent.scope, config.parts.scope]
  const wrappedStep = scopes.reduce((service, scope) => scope.wrapStep(service), whileOpen(step))
  const once = goingOnOnce(resumed !== undefined)
  const whole = agentLoop(wrappedStep)
  // A layer may have made its request anew: the run stays the same.
  const base = (request: RunRequest): Promise<AgentRun> => whole(inRun(request, loop))
  return scopes.reduce((service, scope) => scope.wrapRun(service), whileOpen(once(base)))
}

/** What begins the calls of a run: those of streaming tools are its session's, where it has one. */
function beginnerIn(session: RunSession | undefined): typeof startCall {
  if (session === undefined) return startCall
  return (target, call, options, run) => {
    const isStreaming = target.table.find(call.tool)?.tool.updates !== undefined
    return isStreaming && run !== undefined
      ? session.start(target, call, options, run)
      : startCall(target, call, options, run)
  }
}

/** A run that goes on after a wait does so once, whatever layers try. */
function goingOnOnce(isResumed: boolean): (service: Service<RunRequest, AgentRun>) => Service<RunRequest, AgentRun> {
  if (!isResumed) return (service) => service
  let begun = false
  return (service) => async (request) => {
    if (begun) throw new TypeError('a layer around the run called next twice: a suspended run goes on once')
    begun = true
    return service(request)
  }
}
