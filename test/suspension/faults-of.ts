import type { AgentRun } from '../../packages/runtime/src/agents.js'
import { validateHistory } from '../../packages/runtime/src/chat.js'
import { plannedId } from './given-out.js'
import type { Played } from './play.js'
import { COST, digest } from './scripted-planner.js'

/** Returns the faults of a scenario that was suspended, compared with the same scenario without suspensions. */
export function faultsOf(played: Played, atOnce: Played): readonly string[] {
  return [
    ...played.world.faults,
    ...played.runs.flatMap(runFaults),
    ...chainFaults(played),
    ...callFaults(played),
    ...budgetFaults(played),
    ...(isComparable(played) ? differences(played, atOnce) : []),
  ]
}

function runFaults({ status, messages, outcomes, suspension, events, error }: AgentRun): readonly string[] {
  const faults: string[] = []
  const waiting = outcomes.filter((outcome) => outcome.status === 'suspended').map(({ call }) => call.toolCallId)
  if ((status === 'suspended') !== (suspension !== undefined))
    faults.push(`a ${status} run with a suspension or without`)
  if (status === 'failed') faults.push(`a run failed: ${error?.message} ${String(error?.cause)}`)
  const pending = suspension?.calls.filter((_, index) => isWaiting(suspension.progress.outcomes, index)) ?? []
  for (const { code, message } of validateHistory(messages, { pending: pending.map(({ chatId }) => chatId) })) {
    faults.push(`a ${status} run has a history with ${code}: ${message}`)
  }
  if (!answersFollowCalls(messages)) faults.push('answers stand in another order than their calls')
  if (suspension !== undefined && waiting.length !== pending.length) {
    faults.push(`${waiting.length} outcomes wait, and the suspension has ${pending.length}`)
  }
  const ids = outcomes.map(({ call }) => call.toolCallId)
  if (new Set(ids).size !== ids.length) faults.push(`several outcomes have one id: ${ids.join(', ')}`)
  const asked = suspension?.pending.map(({ id }) => id) ?? []
  if (new Set(asked).size !== asked.length) faults.push(`several pending calls have one id: ${asked.join(', ')}`)
  const [started, ended] = (['call_started', 'call_ended'] as const).map((type) =>
    events.flatMap((event) => (event.type === type ? [event.call.toolCallId] : [])).sort(),
  )
  if (started?.join() !== ended?.join()) faults.push(`calls began (${started}) and ended (${ended})`)
  return faults

  function isWaiting(stored: readonly { readonly status: string }[], index: number): boolean {
    return stored.slice(-(suspension?.calls.length ?? 0))[index]?.status === 'suspended'
  }
}

/** Checks that the tool messages after each message are in the order of its calls. */
function answersFollowCalls(messages: AgentRun['messages']): boolean {
  let open: readonly string[] = []
  return messages.every((message) => {
    if (message.role === 'assistant') open = message.tool_calls?.map(({ id }) => id) ?? []
    if (message.role !== 'tool') return true
    const index = open.indexOf(message.tool_call_id)
    open = open.slice(index + 1)
    return index >= 0
  })
}

/** Checks that a resumed run continues with the same id, events, outcomes and pending calls. */
function chainFaults({ runs, world }: Played): readonly string[] {
  const losesWaits = world.scenario.policy.onFailure === 'fail_fast' || world.hasFinal
  return runs.flatMap((run, index) => {
    const before = runs[index - 1]
    if (before === undefined) return []
    const faults: string[] = []
    if (run.runId !== before.runId) faults.push('a resumed run has another id')
    const first = run.events[0]
    if (first?.type !== 'run_resumed' || first.sequence !== (before.suspension?.progress.events ?? 0) + 1) {
      faults.push(`a resumed run begins with ${first?.type} ${first?.sequence}`)
    }
    for (const [position, { call, status }] of before.outcomes.entries()) {
      const now = run.outcomes[position]
      if (now?.call.toolCallId !== call.toolCallId) faults.push(`outcome ${position} is of ${now?.call.toolCallId}`)
      if (status !== 'suspended' && now?.status !== status) faults.push(`outcome ${position} became ${now?.status}`)
    }
    const left = new Set(run.suspension?.pending.map(({ id }) => id))
    const gone = (before.suspension?.pending ?? []).filter(({ id }) => !left.has(id))
    const unanswered = gone.filter((pending) => {
      const id = plannedId(pending)
      return id !== undefined && !world.settled.has(id)
    })
    if (!losesWaits && unanswered.length > 0)
      faults.push(`nobody answered ${unanswered.map(({ id }) => id)}, and it waits no more`)
    return faults
  })
}

/** Checks the calls that ran, and the order of the outcomes. */
function callFaults({ world, runs, last }: Played): readonly string[] {
  const began = runs.flatMap(({ events }) => events.flatMap((event) => (event.type === 'call_started' ? [event] : [])))
  const idOf = new Map(began.map(({ call, arguments: sent }) => [call.toolCallId, JSON.parse(sent)] as const))
  const order = last.outcomes.flatMap(({ call }) => {
    const sent = idOf.get(call.toolCallId)
    return sent === undefined ? [] : [String(sent.id ?? sent.note)]
  })
  const planned = world.scenario.scripts.get('root')?.steps ?? []
  const expected = planned.flatMap((step) => (step.kind === 'calls' ? step.calls.map(({ id }) => id) : []))
  const left = new Set(order)
  const faults: string[] = []
  if (order.join() !== expected.filter((id) => left.has(id)).join()) faults.push(`outcomes stand as ${order.join()}`)
  for (const id of world.allowed) {
    const { work } = world.call(id)
    const begun =
      work === 'nested' ? world.decisions.some((each) => each.startsWith(`${id}: `)) : world.ran.includes(id)
    if (!begun && !isCut(world.scenario.policy) && !world.hasFinal) faults.push(`${id} was approved and never ran`)
  }
  return faults
}

/** Checks that the usage of the outermost run includes all runs, after any suspensions. */
function budgetFaults({ world, runs, last }: Played): readonly string[] {
  const faults: string[] = []
  const { turns, toolCalls, promptTokens, completionTokens } = last.usage
  const all = world.decisions.length
  const own = world.decisions.filter((each) => each.startsWith('root: ')).length
  if (turns !== own) faults.push(`${own} turns are told as ${turns}`)
  // If a run is stopped, the usage of its last decision can be missing.
  const heard = world.hasFinal || isCut(world.scenario.policy) ? promptTokens / COST.promptTokens : all
  const isWhole = heard >= own && heard <= all
  if (!isWhole || promptTokens !== heard * COST.promptTokens || completionTokens !== heard * COST.completionTokens) {
    faults.push(`${all} decisions are told as ${promptTokens} and ${completionTokens} tokens`)
  }
  const { maxTurns = Infinity, maxToolCalls = Infinity } = world.scenario.policy
  if (turns > maxTurns + 1 || toolCalls > maxToolCalls) faults.push(`${turns} turns, ${toolCalls} calls: too many`)
  for (const [index, { usage }] of runs.entries()) {
    const before = runs[index - 1]?.usage
    if (
      before !== undefined &&
      (usage.turns < before.turns || usage.toolCalls < before.toolCalls || usage.promptTokens < before.promptTokens)
    ) {
      faults.push(`the account went down at resumption ${index}`)
    }
  }
  return faults
}

function differences({ world, last }: Played, atOnce: Played): readonly string[] {
  const [later, now] = [last, atOnce.last].map((run) =>
    JSON.stringify({ status: run.status, stop: run.stop, result: run.result, outcomes: run.outcomes.map(digest) }),
  )
  const [ranLater, ranNow] = [world.ran, atOnce.world.ran].map((ran) => [...ran].sort().join())
  const faults = [...atOnce.world.faults]
  if (later !== now) faults.push(`it came to ${later}\nand at once to ${now}`)
  if (ranLater !== ranNow) faults.push(`${ranLater} ran, and at once ${ranNow}`)
  return faults
}

/** Returns true if the result must not depend on the time of the answers. */
function isComparable({ world }: Played): boolean {
  const { policy, scripts } = world.scenario
  if (policy.onFailure === 'fail_fast' || policy.maxTokens !== undefined || world.hasFinal) return false
  const asks = [...scripts.values()].some(({ steps }) => steps.some(({ kind }) => kind === 'ask'))
  return !asks || policy.maxTurns === undefined
}

function isCut({ onFailure, maxTokens }: Played['world']['scenario']['policy']): boolean {
  return onFailure === 'fail_fast' || maxTokens !== undefined
}
