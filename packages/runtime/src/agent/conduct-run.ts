import type { AgentRun, RunInput, RunRequest } from '../contract/agent-run.js'
import type { RunMeta } from '../contract/planner.js'
import type { RunPolicy } from '../contract/run-policy.js'
import type { Service } from '../contract/service.js'
import type { StepRequest } from '../contract/step.js'
import type { EventScope } from '../event/event-scope.js'
import { traced } from '../event/traced.js'
import type { CallTarget } from '../execute/call/call-target.js'
import { executeCall, refuseCall } from '../execute/call/execute-call.js'
import type { GivenOptions } from '../execute/call/given-call.js'
import { GRACE_MS } from '../execute/call/settled-call.js'
import { ToolFailure } from '../execute/failure/tool-failure.js'
import { missingMeta } from '../execute/tool/meta-value.js'
import { callNames } from './call-names.js'
import { endedRun } from './ended-run.js'
import { agentLoop, atStart, type LoopContext, type Progress } from './loop.js'
import { RunCalls } from './run-calls.js'
import { runFailure } from './run-failure.js'
import { runMessages } from './run-messages.js'
import type { RunSignal } from './run-signal.js'
import type { RunnableAgent } from './start-run.js'
import { stepService } from './step-service.js'

/** One run: what its caller said, and what it made of that. */
export interface RunParts {
  readonly options: GivenOptions
  readonly meta: RunMeta
  readonly policy: RunPolicy
  readonly signal: RunSignal
  readonly events: EventScope
}

/** Runs the loop with the layers of all scopes around it. Never rejects. */
export async function conductRun(agent: RunnableAgent, input: RunInput, parts: RunParts): Promise<AgentRun> {
  const { options, meta, policy, signal } = parts
  const { effects, classify, tracer } = agent.target.context
  let startedAt = 0
  const elapsedMs = (): number => Math.max(0, effects.now() - startedAt)
  let progress = atStart([])
  const ended = (error: unknown): AgentRun => {
    const { stop, ...end } = runFailure(error, { signal, timeBudgetMs: policy.timeBudgetMs, classify })
    return endedRun(meta, progress, [stop], end)
  }
  const work = async (): Promise<AgentRun> => {
    const calls = new RunCalls(signal)
    try {
      startedAt = effects.now()
      requireBegin(agent.target, options, meta)
      const messages = runMessages(input, agent.descriptor.instructions)
      progress = atStart(messages)
      const reached = (state: Progress): void => {
        progress = state
      }
      const service = runService(agent, parts, { calls, loop: { elapsedMs, ended, reached } })
      const run = service({ env: options.env, meta, messages, policy })
      return requireRun(await untilGrace(signal.signal, run))
    } catch (error) {
      return ended(error)
    } finally {
      await calls.end()
    }
  }
  return tracer === undefined ? work() : traced((inSpan) => tracer.run(meta, inSpan), work)
}

/** What layers around steps and runs come to, unless they do not come to an end after an abort. */
function untilGrace<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const endSoon = (): void => {
      // Calls that end by their own grace come first.
      timer = setTimeout(() => reject(signal.reason), 2 * GRACE_MS)
    }
    if (signal.aborted) endSoon()
    else signal.addEventListener('abort', endSoon)
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', endSoon)
    })
  })
}

/** @throws what is wrong with the options; that the runtime is closed; all server-owned fields that nobody can fill. */
function requireBegin({ context, table }: CallTarget, { fault }: GivenOptions, meta: RunMeta): void {
  if (fault !== undefined) throw fault
  if (context.calls.closed) throw context.calls.refusal()
  const known = { ...meta, toolCallId: '', attempt: 1 }
  const missing = table.served.flatMap(({ tool }) =>
    missingMeta(tool.spec.serverOwned, known).map((field) => `options.${field} (for ${tool.id})`),
  )
  if (missing.length === 0) return
  throw new ToolFailure(`The caller of this run must give ${missing.join(', ')}.`, {
    reason: 'internal',
    action: 'finish',
  })
}

/** What the services of a run share. */
interface RunService {
  readonly calls: RunCalls
  readonly loop: Pick<LoopContext, 'elapsedMs' | 'ended' | 'reached'>
}

function runService(
  { target: ofAgent, planner }: RunnableAgent,
  { options, meta, policy, events }: RunParts,
  { calls: ofRun, loop }: RunService,
): Service<RunRequest, AgentRun> {
  const { config } = options
  const target = config === undefined ? ofAgent : ofAgent.under(config)
  const { runId, sessionId, turnId, parentToolCallId, labels } = meta
  const callOptions = { runId, sessionId, turnId, parentToolCallId, labels }
  const step = stepService({
    planner,
    policy,
    nameCall: callNames(target.table, () => target.context.effects.newId('toolCall')),
    execute: (call, { env }: StepRequest, calls) =>
      ofRun.add(
        executeCall(target, call, { ...callOptions, env }, { events, calls, toolTimeoutMs: policy.toolTimeoutMs }),
      ),
    refuse: (call) => {
      return refuseCall(target, call, new ToolFailure('The run takes no more calls.', { reason: 'cancelled' }))
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
  const base = agentLoop(wrappedStep, { tools: target.table.specs, events, ...loop })
  return scopes.reduce((service, scope) => scope.wrapRun(service), whileOpen(base))
}

function requireRun(run: unknown): AgentRun {
  if (isRun(run)) return run
  throw new TypeError('a layer around the run answered with no run: return what next(request) gave')
}

function isRun(value: unknown): value is AgentRun {
  return typeof value === 'object' && value !== null && 'runId' in value && 'status' in value && 'stop' in value
}
