import type { ChatMessage } from '../../contract/chat-message.js'
import type { ChatFields } from '../../contract/chat-request.js'
import type { Mutable } from '../../contract/mutable.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import type { LoopState } from '../../contract/stop-condition.js'
import type { StopSignal } from '../../contract/stop-signal.js'
import type { RunSuspension, SuspendedCall } from '../../contract/suspension.js'
import { type AgentBeneath, agentBeneath } from '../../execute/call/agent-beneath.js'
import type { ToolTable } from '../../execute/call/tool-table.js'
import type { CallResumption } from '../../execute/nest/call-resumption.js'
import { callResumptions, givenAnswers, givenText } from './given-answers.js'
import { pendingCalls } from './pending-calls.js'
import { requireAgent } from './read-suspension.js'
import { restoredOutcome } from './stored-outcome.js'
import { SuspensionError } from './suspension-error.js'

/** The step that waited, ready to go on. */
export interface ResumedStep {
  readonly calls: readonly SuspendedCall[]
  /** Of all calls of the step, as they stood. */
  readonly outcomes: readonly ToolOutcome[]
  /** What waiting calls go on with, by their ids; a call without an answer is left out. */
  readonly resumptions: ReadonlyMap<string, CallResumption>
}

/** A suspended run, ready to go on. */
export interface ResumedRun {
  readonly begin: LoopState
  readonly stops: readonly StopSignal[]
  readonly fields?: ChatFields
  /** Absent where the run itself asked: the planner goes on then. */
  readonly step?: ResumedStep
}

/**
 * Where a suspended run goes on with these answers. Nothing is run yet.
 *
 * @throws {SuspensionError} when an answer fits nothing, or a result its tool no more.
 */
export function resumedRun(of: AgentBeneath, suspension: RunSuspension, answers: unknown): ResumedRun {
  const { progress, calls, messages, agent } = suspension
  const { descriptor, table } = of
  requireAgent(suspension, descriptor.name)
  const outcomes = progress.outcomes.map((outcome) => restoredOutcome(table, outcome))
  if (calls.length === 0) {
    const reply: ChatMessage = { role: 'user', content: givenText(answers) }
    return resumed(suspension, outcomes, [...messages, reply])
  }
  const ofStep = outcomes.splice(-calls.length)
  const waiting = ofStep.flatMap((outcome) => (outcome.status === 'suspended' ? [outcome.suspension] : []))
  const given = givenAnswers(pendingCalls(ofStep, agent), answers)
  const step = { calls, outcomes: ofStep, resumptions: callResumptions(waiting, given) }
  requireSameTools(table, calls, ofStep)
  for (const { call } of waiting) requireBeneath(table, call.tool, step.resumptions.get(call.toolCallId))
  const run = resumed(suspension, outcomes, messages)
  // The step that waited is gone through once more: it counts when it has ended.
  return { ...run, begin: { ...run.begin, turns: Math.max(0, progress.turns - 1) }, step }
}

/** Requires that each stored call runs the tool that is shown to the approver. */
function requireSameTools(table: ToolTable, calls: readonly SuspendedCall[], outcomes: readonly ToolOutcome[]): void {
  for (const [index, { tool }] of calls.entries()) {
    const outcome = outcomes[index]
    const found = table.find(tool)?.tool.id
    // A tool that is no longer there makes the call fail.
    if (outcome?.status !== 'suspended' || found === undefined || found === outcome.call.tool) continue
    throw new SuspensionError(
      'invalid_form',
      `The suspension was changed: /calls/${index}/tool runs '${found}', and the pending call is one of '${outcome.call.tool}'. Resume the suspension as \`run.suspension\` returned it.`,
    )
  }
}

/** What is wrong with a run beneath is told before anything goes on. */
function requireBeneath(table: ToolTable, tool: string, resumption: CallResumption | undefined): void {
  if (resumption?.kind !== 'nested') return
  const executor = table.find(tool)?.tool.executor
  const beneath = executor && agentBeneath(executor)
  if (beneath !== undefined) {
    resumedRun(beneath, resumption.suspension, resumption.answers)
    return
  }
  const { agent } = resumption.suspension
  throw new SuspensionError(
    'wrong_agent',
    `A run of the agent '${agent}' waits, and it does not serve '${tool}' any more.`,
  )
}

function resumed(
  { progress }: RunSuspension,
  outcomes: readonly ToolOutcome[],
  messages: readonly ChatMessage[],
): ResumedRun {
  const { turns, toolCalls, refused, promptTokens, completionTokens, elapsedMs, runStart, stops, fields } = progress
  const begin: LoopState = {
    turns,
    toolCalls,
    refused,
    promptTokens,
    completionTokens,
    elapsedMs,
    outcomes: Object.freeze(outcomes),
    messages: Object.freeze(messages.map((message) => Object.freeze({ ...message }))),
    runStart,
  }
  const run: Mutable<ResumedRun> = { begin, stops }
  if (fields !== undefined) run.fields = fields
  return run
}
