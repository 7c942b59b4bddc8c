import { isToolgenError } from '@toolgen/runtime'
import type { AgentRun } from '../../packages/runtime/src/agents.js'
import { type BoundAgent, type HasApproval, runConfig } from '../../packages/runtime/src/index.js'
import { type GivenOut, plannedId } from './given-out.js'
import { approver } from './scripted-agents.js'
import type { World } from './world.js'

/** Resumes a suspension as often as there are answers, at once; gives back the one run that went on. */
export async function resumedOnce(
  agent: BoundAgent<HasApproval>,
  world: World,
  { json, tried }: { readonly json: string; readonly tried: readonly GivenOut[] },
): Promise<AgentRun> {
  for (const { answered } of tried) allow(world, answered)
  const ran = world.ran.length
  const runs = await Promise.all(tried.map((given) => resume(agent, world, json, given)))
  const winner = runs.findIndex((run) => faultOf(run) === undefined)
  const [run, given] = [runs[winner], tried[winner]]
  if (run === undefined || given === undefined) {
    world.faults.push(`nobody could resume: ${runs.map((each) => each.error?.message).join('; ')}`)
    throw new Error(world.faults.join('\n'))
  }
  for (const { pending } of given.answered) world.settled.add(plannedId(pending) ?? '')
  for (const [index, other] of runs.entries()) {
    if (index === winner) continue
    if (faultOf(other) !== 'already_resumed') world.faults.push(`a rival came to ${other.status} ${faultOf(other)}`)
    for (const { pending } of tried[index]?.answered ?? []) {
      const id = plannedId(pending)
      if (id === undefined || given.answered.some((each) => each.pending.id === pending.id)) continue
      world.allowed.delete(id)
      if (world.ran.slice(ran).includes(id)) world.faults.push(`${id} ran by the answer of a rival`)
    }
  }
  return run
}

function allow(world: World, answered: GivenOut['answered']): void {
  for (const { pending, answer } of answered) {
    const id = plannedId(pending)
    if (id !== undefined && answer === 'approve') world.allowed.add(id)
  }
}

/** Something that must not go on: nothing runs, and the run says why. */
export async function requireRefused(world: World, resumed: Promise<AgentRun>, what: string): Promise<void> {
  const before = [world.ran.length, world.decisions.length]
  const run = await resumed
  const after = [world.ran.length, world.decisions.length]
  const fault = faultOf(run)
  // The scenario's answers may be about less than the older suspension asks; then the answers are told to be wrong.
  if (fault !== 'already_resumed' && fault !== 'wrong_answers')
    world.faults.push(`${what} came to ${run.status} (${fault})`)
  if (before.join() !== after.join()) world.faults.push(`${what} made something run`)
}

/** Resumes a suspension that was stored. */
export function resume(
  agent: BoundAgent<HasApproval>,
  world: World,
  json: string,
  { answers }: GivenOut,
): Promise<AgentRun> {
  return agent.resume(JSON.parse(json), answers, options(world)).then((run) => run)
}

/** What all runs of a scenario are started and resumed with. */
export function options(world: World) {
  const { onMissingFields, ...policy } = world.scenario.policy
  // Who answers at once is not asked by a suspension either.
  const mode = world.atOnce && onMissingFields === 'await_clarification' ? 'resume' : onMissingFields
  const config = runConfig().policy({ ...policy, ...(mode !== undefined && { onMissingFields: mode }) })
  return { env: approver(world), config }
}

/** Why a run was not resumed. */
export function faultOf({ error }: AgentRun): string | undefined {
  return isToolgenError(error?.cause, 'SuspensionError') ? error.cause.code : undefined
}
