import type { AgentRun, RunRequest } from '../contract/agent-run.js'
import type { Service } from '../contract/service.js'
import type { LoopState } from '../contract/stop-condition.js'
import { beginCall, refuseCall } from '../execute/call/execute-call.js'
import { NO_ENV } from '../execute/call/given-call.js'
import type { RunSession } from '../execute/call/run-session.js'
import { ToolFailure } from '../execute/failure/tool-failure.js'
import type { RunAbove } from '../execute/nest/run-above.js'
import { callNames } from './call-names.js'
import { agentLoop, inRun, type LoopRun } from './loop.js'
import type { RunCalls } from './run-calls.js'
import type { RunnableAgent, RunParts } from './run-parts.js'
import { stepService } from './step-service.js'
import type { ResumedStep } from './suspension/resumed-run.js'

/** What the services of a run share. */
export interface RunService {
  readonly calls: RunCalls
  readonly loop: LoopRun
  /** State that the run begins with. */
  readonly begin: LoopState
  /** What runs beneath the calls of this run take over. */
  readonly above: RunAbove
  /** The step that waited, where the run goes on with one. */
  readonly resumed: ResumedStep | undefined
}

/** The loop over the steps of a run, with the layers of the agent's and of the run's scope around both. */
export function runService(
  { target: ofAgent, planner }: RunnableAgent,
  { options, meta, policy, events, items }: RunParts,
  { calls: ofRun, loop, begin, above, resumed }: RunService,
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
      const offered = target.offering(tools)
      const options = { runId, sessionId, turnId, parentToolCallId, labels, env: env ?? NO_ENV, config: undefined }
      const beginCall = beginnerIn(session)
      const frame = {
        events,
        calls: group,
        waiting: waitingEnds,
        open: ofRun,
        toolTimeoutMs,
        above,
        resumption: undefined,
      }
      return (call, resumption, listener) => {
        if (resumption === undefined) beginCall(offered, call, options, frame, listener)
        // What was asked for when it was offered goes on.
        else beginCall(target, call, options, { ...frame, resumption }, listener)
      }
    },
    refuse: (call, message) => refuseCall(target, call, new ToolFailure(message, { reason: 'cancelled' })),
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
function beginnerIn(session: RunSession | undefined): typeof beginCall {
  if (session === undefined) return beginCall
  return (target, call, options, run, listener) => {
    const isStreaming = target.table.find(call.tool)?.tool.updates !== undefined
    if (isStreaming && run !== undefined) session.begin(target, call, options, run, listener)
    else beginCall(target, call, options, run, listener)
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
