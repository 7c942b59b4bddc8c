import type { AgentRun, RunRequest } from '../contract/agent-run.js'
import type { Mutable } from '../contract/mutable.js'
import type { RunMeta } from '../contract/planner.js'
import type { LoopState } from '../contract/stop-condition.js'
import { traced } from '../event/traced.js'
import type { CallTarget } from '../execute/call/call-target.js'
import type { GivenOptions } from '../execute/call/given-call.js'
import { ToolFailure } from '../execute/failure/tool-failure.js'
import { missingMeta } from '../execute/tool/meta-value.js'
import { endedRun } from './ended-run.js'
import { atStart } from './loop.js'
import { RunCalls } from './run-calls.js'
import { runFailure } from './run-failure.js'
import { runInput } from './run-input.js'
import type { RunnableAgent, RunParts } from './run-parts.js'
import { runService } from './run-service.js'
import { TokenLedger } from './token-ledger.js'
import { untilGrace } from './until-grace.js'

/** Runs the loop with the layers of all scopes around it. Never rejects. */
export async function conductRun(agent: RunnableAgent, input: unknown, parts: RunParts): Promise<AgentRun> {
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
      const { messages, fields } = runInput(input, agent.descriptor.instructions)
      progress = atStart(messages)
      const reached = (state: LoopState): void => {
        progress = state
      }
      const tokens = new TokenLedger(policy.maxTokens, undefined)
      const loop = { elapsedMs, ended, reached, tokens, begin: progress, askAgain: () => undefined }
      const service = runService(agent, parts, { calls, loop })
      const request: Mutable<RunRequest> = { env: options.env, meta, messages, policy }
      if (fields !== undefined) request.fields = fields
      const run = service(request)
      return requireRun(await untilGrace(signal.signal, run))
    } catch (error) {
      return ended(error)
    } finally {
      await calls.end()
    }
  }
  return tracer === undefined ? work() : traced((inSpan) => tracer.run(meta, inSpan), work)
}

/** @throws what is wrong with the options, or all server-owned fields that nobody can fill. */
function requireBegin({ table }: CallTarget, { fault }: GivenOptions, meta: RunMeta): void {
  if (fault !== undefined) throw fault
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
