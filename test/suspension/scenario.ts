import type { PendingAnswer, RunPolicy } from '../../packages/runtime/src/agents.js'
import type { Random } from '../codec/differential/random.js'

/** Kind of suspension before the tool of a call runs. */
export type Gate = 'none' | 'approval' | 'external'

/** Behaviour of the tool of a call: `nested` calls the nested agent, and `lacking` lacks a required field. */
export type Work = 'plain' | 'fails' | 'final' | 'lacking' | 'nested'

/** A call of a planner, and the answer to it if it is suspended. */
export interface PlannedCall {
  /** Unique in the scenario. `toolCallId` can repeat. */
  readonly id: string
  readonly toolCallId?: string
  readonly gate: Gate
  readonly work: Work
  readonly answer: PendingAnswer
}

export type PlannedStep =
  | { readonly kind: 'ask'; readonly question: string }
  | { readonly kind: 'calls'; readonly calls: readonly PlannedCall[] }

/** Steps of the planner of one run, and the form of its final answer. */
export interface Script {
  readonly steps: readonly PlannedStep[]
  readonly ends: 'value' | 'calls' | 'prose'
}

/** Scripts of nested agents. */
export interface Scenario {
  readonly depth: number
  /** Scripts by the id of the call that a run serves. The script of the outermost run has the id `root`. */
  readonly scripts: ReadonlyMap<string, Script>
  readonly calls: ReadonlyMap<string, PlannedCall>
  readonly policy: RunPolicy
}

const HOSTILE_IDS = ['a', 'b', 'a/b', 'a~b', '~1', '/', '__proto__', 'constructor', 'x'.repeat(300)]

/** Returns a scenario with one to three nested agents. */
export function randomScenario(random: Random): Scenario {
  const depth = 1 + random.below(3)
  const scripts = new Map<string, Script>()
  const calls = new Map<string, PlannedCall>()
  const addCall = (id: string, level: number): PlannedCall => {
    const work = randomWork(random, level + 1 < depth)
    const gate = work === 'lacking' ? 'none' : random.pick<Gate>(['none', 'none', 'approval', 'approval', 'external'])
    const own = random.chance(0.7) ? { toolCallId: randomId(random, id) } : {}
    const call = { id, ...own, gate, work, answer: randomAnswer(random, id, gate) }
    calls.set(id, call)
    if (work === 'nested') addScript(id, level + 1)
    return call
  }
  const addScript = (id: string, level: number): void => {
    const steps = random.list(1, 3, (step): PlannedStep => {
      if (random.chance(0.15)) return { kind: 'ask', question: `ask ${id}.${step}` }
      const calls = random.list(1, 3, (index) => addCall(`${id}.${step}${'abc'[index]}`, level))
      return { kind: 'calls', calls: withoutRepeats(calls) }
    })
    scripts.set(id, { steps, ends: random.pick(['value', 'value', 'calls', 'prose']) })
  }
  addScript('root', 0)
  return { depth, scripts, calls, policy: randomPolicy(random) }
}

/** Returns an id of a call. Some ids repeat in later steps and in nested runs. */
function randomId(random: Random, id: string): string {
  if (random.chance(0.25)) return 'again'
  return random.chance(0.15) ? random.pick(HOSTILE_IDS) : `call-${id}`
}

/** Removes calls with repeated ids: models repeat ids in later steps, but not in one message. */
function withoutRepeats(calls: readonly PlannedCall[]): readonly PlannedCall[] {
  const ids = new Set<string>()
  return calls.map(({ toolCallId, ...call }) => {
    if (toolCallId === undefined || ids.has(toolCallId)) return call
    ids.add(toolCallId)
    return { ...call, toolCallId }
  })
}

function randomWork(random: Random, canNest: boolean): Work {
  if (canNest && random.chance(0.45)) return 'nested'
  if (random.chance(0.12)) return 'fails'
  if (random.chance(0.08)) return 'lacking'
  return random.chance(0.02) ? 'final' : 'plain'
}

function randomAnswer(random: Random, id: string, gate: Gate): PendingAnswer {
  if (gate === 'approval' && random.chance(0.55)) return 'approve'
  return random.pick<PendingAnswer>([
    'deny',
    { decision: 'deny', reason: `no ${id}` },
    { result: { id: `given ${id}` } },
    { result: { no: 'id' } },
    { failure: { message: `broken ${id}` } },
    { failure: { message: `late ${id}`, reason: 'unavailable' } },
  ])
}

function randomPolicy(random: Random): RunPolicy {
  return {
    ...(random.chance(0.5) && { onMissingFields: random.pick(['resume', 'finalize', 'await_clarification'] as const) }),
    ...(random.chance(0.15) && { maxTurns: 1 + random.below(4) }),
    ...(random.chance(0.15) && { maxToolCalls: 1 + random.below(5) }),
    ...(random.chance(0.1) && { maxTokens: 20 + random.below(150) }),
    ...(random.chance(0.15) && { maxConsecutiveFailures: 1 + random.below(4) }),
    ...(random.chance(0.3) && { parallelism: 1 + random.below(3) }),
    ...(random.chance(0.1) && { onFailure: 'fail_fast' as const }),
  }
}
