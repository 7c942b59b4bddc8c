import type { AgentRun, ResumeClaims, RunSuspension } from '../../packages/runtime/src/agents.js'
import { type BoundAgent, type HasApproval, Runtime, type RuntimeOptions } from '../../packages/runtime/src/index.js'
import type { IdKind } from '../../packages/runtime/src/types/call-options.js'
import type { Random } from '../codec/differential/random.js'
import { someAnswers } from './given-out.js'
import { options, requireRefused, resume, resumedOnce } from './resume-once.js'
import type { Scenario } from './scenario.js'
import { scriptedAgents } from './scripted-agents.js'
import { scriptedPlanner } from './scripted-planner.js'
import { World } from './world.js'

/** Result of a scenario. */
export interface Played {
  readonly world: World
  /** The first run, and its resumptions. */
  readonly runs: readonly AgentRun[]
  readonly last: AgentRun
  /** Number of attempts to resume, including those that came too late. */
  readonly resumes: number
  /** The resumed suspensions, as JSON. */
  readonly suspensions: readonly string[]
}

/** Plays a scenario without suspensions: all approvals and questions are answered immediately. */
export async function playAtOnce(scenario: Scenario): Promise<Played> {
  const world = new World(scenario, true)
  const run = await runOf(agentIn(world, {}), world)
  return { world, runs: [run], last: run, resumes: 0, suspensions: [] }
}

/** Plays a scenario to its end. Each suspension is serialized to JSON and resumed in a new runtime that shares only the claims. */
export async function playSuspended(scenario: Scenario, random: Random): Promise<Played> {
  const world = new World(scenario, false)
  let ids = 0
  const newId = (kind: IdKind): string => {
    ids += 1
    return `${kind}-${ids}`
  }
  const options: RuntimeOptions = {
    claims: sharedClaims(random),
    // Fixed clock: the result depends only on the seed.
    effects: { now: () => 1_000, newId },
  }
  let agent = agentIn(world, options)
  const runs = [await runOf(agent, world)]
  const suspensions: string[] = []
  let resumes = 0
  for (let last = runs[0]; last?.suspension !== undefined; last = runs.at(-1)) {
    const json = JSON.stringify(last.suspension)
    suspensions.push(json)
    if (random.chance(0.5)) agent = agentIn(world, options)
    const given = someAnswers(random, world, last.suspension)
    const rivals = random.chance(0.2)
      ? random.list(1, 2, () => (random.chance(0.5) && last ? someAnswers(random, world, suspensionOf(last)) : given))
      : []
    const tried = [given, ...rivals]
    const next = await resumedOnce(agent, world, { json, tried })
    resumes += tried.length
    runs.push(next)
    if (random.chance(0.2)) {
      resumes += 1
      await requireRefused(world, resume(agent, world, random.pick(suspensions), given), 'a suspension resumed before')
    }
    if (suspensions.length > 500) {
      world.faults.push('the run is suspended without end')
      break
    }
  }
  const last = runs.at(-1)
  if (last === undefined) throw new Error('nothing was run')
  return { world, runs, last, resumes, suspensions }
}

async function runOf(agent: BoundAgent<HasApproval>, world: World): Promise<AgentRun> {
  return agent.run('root', options(world))
}

function agentIn(world: World, options: RuntimeOptions): BoundAgent<HasApproval> {
  return scriptedAgents(new Runtime(options), world, scriptedPlanner(world))
}

function suspensionOf({ suspension }: AgentRun): RunSuspension {
  if (suspension === undefined) throw new Error('the run is not suspended')
  return suspension
}

/** Claims that several processes share, with random delays. */
function sharedClaims(random: Random): ResumeClaims {
  const claimed = new Set<string>()
  return {
    claim: async (id) => {
      for (let turns = random.below(3); turns > 0; turns -= 1) await undefined
      if (claimed.has(id)) return false
      claimed.add(id)
      return true
    },
  }
}
