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
import { ToolFailure } from '../execute/failure/tool-failure.js'
import { missingMeta } from '../execute/tool/meta-value.js'
import { callNames } from './call-names.js'
import { endedRun } from './ended-run.js'
import { agentLoop, atStart } from './loop.js'
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
  const startedAt = effects.now()
  const elapsedMs = (): number => Math.max(0, effects.now() - startedAt)
  const endOf = (error: unknown): ReturnType<typeof runFailure> =>
    runFailure(error, { signal, timeBudgetMs: policy.timeBudgetMs, now: effects.now(), classify })
  const work = async (): Promise<AgentRun> => {
    try {
      requireBegin(agent.target, options, meta)
      const messages = runMessages(input, agent.descriptor.instructions)
      const service = runService(agent, parts, { elapsedMs, endOf })
      return requireRun(await service({ env: options.env, meta, messages, policy }))
    } catch (error) {
      const { stop, ...end } = endOf(error)
      return endedRun(meta, { ...atStart([]), elapsedMs: elapsedMs() }, [stop], end)
    }
  }
  return tracer === undefined ? work() : traced((inSpan) => tracer.run(meta, inSpan), work)
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

function runService(
  { target: ofAgent, planner }: RunnableAgent,
  { options, meta, policy, events }: RunParts,
  loop: Pick<Parameters<typeof agentLoop>[1], 'elapsedMs' | 'endOf'>,
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
      executeCall(target, call, { ...callOptions, env }, { events, calls, toolTimeoutMs: policy.toolTimeoutMs }),
    refuse: (call) => {
      const message = `The run allows no more than ${policy.maxToolCalls} calls of tools.`
      return refuseCall(target, call, new ToolFailure(message, { reason: 'cancelled' }))
    },
  })
  const scopes = config === undefined ? [ofAgent.scope] : [ofAgent.scope, config.parts.scope]
  const wrappedStep = scopes.reduce((service, scope) => scope.wrapStep(service), step)
  const base = agentLoop(wrappedStep, { tools: target.table.specs, events, ...loop })
  return scopes.reduce((service, scope) => scope.wrapRun(service), base)
}

function requireRun(run: unknown): AgentRun {
  if (isRun(run)) return run
  throw new TypeError('a layer around the run answered with no run: return what next(request) gave')
}

function isRun(value: unknown): value is AgentRun {
  return typeof value === 'object' && value !== null && 'runId' in value && 'status' in value && 'stop' in value
}
