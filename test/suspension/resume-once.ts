import { isToolgenError } from '@toolgen/runtime'
import type { AgentRun } from '../../packages/runtime/src/agents.js'
import { type BoundAgent, type HasApproval, runConfig } from '../../packages/runtime/src/index.js'
import { type GivenOut, plannedId } from './given-out.js'
import { approver } from './scripted-agents.js'
import type { World } from './world.js'

/** Resumes a suspension once for each set of answers, in parallel. Returns the only run that continued. */
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

/** Checks that a run was not resumed: no tool ran, and the run reports the reason. */
export async function requireRefused(world: World, resumed: Promise<AgentRun>, what: string): Promise<void> {
  const before = [world.ran.length, world.decisions.length]
  const run = await resumed
  const after = [world.ran.length, world.decisions.length]
  const fault = faultOf(run)
  // If the older suspension has more pending calls, the answers are invalid instead.
  if (fault !== 'already_resumed' && fault !== 'wrong_answers')
    world.faults.push(`${what} came to ${run.status} (${fault})`)
  if (before.join() !== after.join()) world.faults.push(`${what} made something run`)
}

/** Resumes a stored suspension. */
export function resume(
  agent: BoundAgent<HasApproval>,
  world: World,
  json: string,
  { answers }: GivenOut,
): Promise<AgentRun> {
  return agent.resume(JSON.parse(json), answers, options(world)).then((run) => run)
}

/** Returns the options of all runs and resumptions of a scenario. */
export function options(world: World) {
  const { onMissingFields, ...policy } = world.scenario.policy
  // Without suspensions, missing fields must not suspend the run either.
  const mode = world.atOnce && onMissingFields === 'await_clarification' ? 'resume' : onMissingFields
  const config = runConfig().policy({ ...policy, ...(mode !== undefined && { onMissingFields: mode }) })
  return { env: approver(world), config }
}

/** Returns the code of the error that prevented a resumption. */
export function faultOf({ error }: AgentRun): string | undefined {
  return isToolgenError(error?.cause, 'SuspensionError') ? error.cause.code : undefined
}
