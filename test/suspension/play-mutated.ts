import {
  type AgentRun,
  type Answers,
  answer,
  type PendingCall,
  type ResumeClaims,
  type RunSuspension,
} from '../../packages/runtime/src/agents.js'
import { Runtime, runConfig } from '../../packages/runtime/src/index.js'
import type { Random } from '../codec/differential/random.js'
import { hostileValues } from './hostile-values.js'
import { mutatedJson } from './mutated-json.js'
import { faultOf } from './resume-once.js'
import type { Scenario } from './scenario.js'
import { approver, scriptedAgents } from './scripted-agents.js'
import { World } from './world.js'

/** Maximum duration of a resumption, in milliseconds. */
const LIMIT_MS = 120_000

/** Counts of mutated suspensions. */
export interface MutatedCounts {
  tried: number
  /** Number of mutated suspensions that were accepted. */
  resumed: number
}

/** Resumes a mutated suspension and denies or approves all pending calls. Returns the faults. */
export async function playMutated(
  scenario: Scenario,
  random: Random,
  json: string,
  counts: MutatedCounts,
): Promise<readonly string[]> {
  const original: RunSuspension = JSON.parse(json)
  const given: any = random.chance(0.03) ? random.pick(hostileValues)(original) : mutatedJson(random, json)
  const answers = answersTo(random, given, original, random.chance(0.4) ? 'approve' : 'deny')
  const world = new World(scenario, false)
  const claimed: string[] = []
  const claims: ResumeClaims = { claim: (id) => !claimed.includes(id) && claimed.push(id) > 0 }
  // Planners make no further calls, so only the calls of the suspension can run.
  const agent = scriptedAgents(new Runtime({ claims }), world, () => answer({ id: 'done' }))
  for (const { id } of scenario.calls.values()) world.allowed.add(id)
  const config = runConfig().policy({ ...scenario.policy, timeBudgetMs: 60_000 })
  counts.tried += 1
  const run = await within(LIMIT_MS, () => agent.resume(given, answers as Answers, { env: approver(world), config }))
  const faults: string[] = []
  if (typeof run === 'string') faults.push(run)
  else {
    if (run.status !== 'failed') counts.resumed += 1
    else if (faultOf(run) === undefined) faults.push(`it failed by ${String(run.error?.cause)}`)
    else if (claimed.length > 0) faults.push('it failed, and was claimed')
  }
  const most = Object.values(answers ?? {}).filter((each) => each === 'approve').length
  const ran = world.ran.length
  if (ran > most) faults.push(`${world.ran.join()} ran, and ${most} were approved`)
  if ('id' in {} || Object.keys(Object.prototype).length > 0) faults.push('Object.prototype was changed')
  return faults.map((fault) => `${fault}\n${shown(given)}\n${shown(answers)}`)
}

/** Returns one answer for each pending call that can be read. */
function answersTo(random: Random, given: any, original: RunSuspension, decision: 'approve' | 'deny'): unknown {
  if (random.chance(0.05)) return random.pick<unknown>([null, [], 7, {}, JSON.parse('{"__proto__":"approve"}')])
  const pending: unknown = random.chance(0.8) ? pendingOf(given) : original.pending
  const asked = Array.isArray(pending) && pending.length > 0 ? pending : original.pending
  if (asked.length === 0) return 'a text'
  return Object.fromEntries(
    Array.from(asked, (each: Partial<PendingCall> | null) => [
      String(each?.id),
      each?.kind === 'clarification' ? { text: 'a text' } : each?.kind === 'external' ? 'deny' : decision,
    ]),
  )
}

function pendingOf(given: any): unknown {
  try {
    return given.pending
  } catch {
    return undefined
  }
}

async function within(milliseconds: number, resume: () => PromiseLike<AgentRun>): Promise<AgentRun | string> {
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`it hangs for ${milliseconds} ms`), milliseconds)
  })
  try {
    return await Promise.race([resume(), tooLong])
  } catch (error) {
    return `it threw ${String(error)}`
  } finally {
    clearTimeout(timer)
  }
}

function shown(value: unknown): string {
  try {
    return JSON.stringify(value)?.slice(0, 6_000) ?? String(value)
  } catch {
    return typeof value
  }
}
