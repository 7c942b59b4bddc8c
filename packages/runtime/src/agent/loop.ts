import type { AgentRun, RunRequest } from '../contract/agent-run.js'
import type { Mutable } from '../contract/mutable.js'
import type { ToolOutcome } from '../contract/outcome.js'
import type { Service } from '../contract/service.js'
import type { AgentToolSpec } from '../contract/spec.js'
import type { StepRequest, StepResult } from '../contract/step.js'
import type { StopSignal } from '../contract/stop-signal.js'
import type { EventScope } from '../event/event-scope.js'
import { endedRun } from './ended-run.js'
import { type LoopState, policyConditions } from './stop-conditions.js'
import { untilSignal } from './until-signal.js'

/** What the loop needs of its run. */
export interface LoopContext {
  readonly tools: readonly AgentToolSpec[]
  readonly events: EventScope
  /** Since the run began, in milliseconds. */
  readonly elapsedMs: () => number
  /** Told how far the run has come. */
  readonly reached: (progress: Progress) => void
  /** The run that an error of a step ends, as far as it has come. */
  readonly ended: (error: unknown) => AgentRun
}

/** After so many milliseconds without a wait a run lets others have their turn. */
const TURN_MS = 20

const NO_OUTCOMES: readonly ToolOutcome[] = Object.freeze([])

const NO_STOPS: readonly StopSignal[] = Object.freeze([])

/** What the loop has come to. */
export interface Progress extends LoopState {
  readonly messages: RunRequest['messages']
}

/** Limits that cut something off, so that they count beside a final value too. */
const CUTS: ReadonlySet<StopSignal['reason']> = new Set<StopSignal['reason']>(['max_tool_calls', 'time_budget'])

/**
 * The agent loop, a layer over the step service: step after step until one is done or a condition of the policy holds.
 * Never rejects: a step that throws ends the run, which keeps what was reached.
 */
export function agentLoop(
  step: Service<StepRequest<any>, StepResult>, // `any`: the env passes through to the layers that asked for it by type
  { tools, events, elapsedMs, reached: report, ended }: LoopContext,
): Service<RunRequest, AgentRun> {
  return async (request) => {
    const { meta, policy } = request
    const conditions = policyConditions(policy)
    const reached = (): readonly StopSignal[] =>
      conditions.length === 0 ? NO_STOPS : conditions.flatMap((condition) => condition(state) ?? [])
    const run = async (last: boolean): Promise<StepResult> => {
      const turn = state.turns + 1
      events.publish({ type: 'step_started', turn })
      const result = await step(stepRequest(request, state, last ? { turn, tools: [], callsLeft: 0 } : { turn, tools }))
      state = after(state, result, elapsedMs())
      report(state)
      events.publish({ type: 'step_ended', turn, account: result.account })
      const room = events.room()
      if (room !== undefined) await untilSignal(meta.signal, () => room)
      // Steps that never wait would keep timers and signals from being heard.
      if (state.elapsedMs - rested >= TURN_MS) {
        await new Promise((resolve) => setTimeout(resolve, 0))
        rested = elapsedMs()
      }
      return result
    }
    let state = atStart(request.messages)
    let rested = 0
    try {
      // A policy may allow no turn at all.
      for (let stops = reached(); stops.length === 0; stops = reached()) {
        const result = await run(false)
        if (result.kind === 'done') return endedRun(meta, state, stopsOf(result, reached()), result)
        meta.signal.throwIfAborted()
        if (policy.onMissingFields === 'finalize' && lacksFields(result) && reached().length === 0) {
          const last = await run(true)
          return endedRun(meta, state, [{ reason: 'missing_fields' }], last.kind === 'done' ? last : undefined)
        }
      }
      return endedRun(meta, state, reached())
    } catch (error) {
      return ended(error)
    }
  }
}

/** A run before its first step. */
export function atStart(messages: RunRequest['messages']): Progress {
  return {
    turns: 0,
    toolCalls: 0,
    refused: 0,
    promptTokens: 0,
    completionTokens: 0,
    elapsedMs: 0,
    outcomes: NO_OUTCOMES,
    messages,
  }
}

function stepRequest(
  { env, meta, policy: { maxToolCalls } }: RunRequest,
  { messages, outcomes, toolCalls }: Progress,
  { turn, tools, callsLeft }: Pick<StepRequest, 'turn' | 'tools' | 'callsLeft'>,
): StepRequest {
  const request: Mutable<StepRequest> = { env, meta, turn, messages, tools, outcomes }
  if (callsLeft !== undefined) request.callsLeft = callsLeft
  else if (maxToolCalls !== undefined) request.callsLeft = Math.max(0, maxToolCalls - toolCalls)
  return request
}

function after(state: Progress, { messages, outcomes, account, refused }: StepResult, elapsedMs: number): Progress {
  return {
    turns: state.turns + 1,
    toolCalls: state.toolCalls + account.toolCalls,
    refused: state.refused + refused,
    promptTokens: state.promptTokens + account.promptTokens,
    completionTokens: state.completionTokens + account.completionTokens,
    elapsedMs,
    outcomes: Object.freeze([...state.outcomes, ...outcomes]),
    messages,
  }
}

function stopsOf(
  { stop }: Extract<StepResult, { kind: 'done' }>,
  reached: readonly StopSignal[],
): readonly StopSignal[] {
  return stop.reason === 'answered' ? [stop] : [stop, ...reached.filter(({ reason }) => CUTS.has(reason))]
}

function lacksFields({ outcomes }: StepResult): boolean {
  return outcomes.some((outcome) => outcome.status === 'failed' && outcome.hint.reason === 'missing_fields')
}
