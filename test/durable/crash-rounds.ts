import type { RunEvent } from '@toolgen/runtime'
import { validateHistory } from '@toolgen/runtime/chat'
import type { DurableClient, DurableResult, UnknownOutcome } from '@toolgen/runtime/durable'
import { type CrashPoint, memoryEngine } from '@toolgen/runtime/testing'
import { Random } from '../codec/differential/random.js'
import { scriptedAgents } from './scripted-agents.mjs'

/** Data of a run that a user sees. Each pending call was approved. */
export interface Seen {
  readonly result: DurableResult
  readonly events: readonly RunEvent[]
  /** Effects of the tools in the order in which they happened. */
  readonly effects: readonly string[]
}

/** Options of {@link observe}. */
export interface FollowOptions {
  /** Returns true if the subscriber loses its stream after an event. It then subscribes again from the next position. Default: never. */
  readonly disconnects?: () => boolean
  /** Time in milliseconds between two reads of the status. Default: 5. */
  readonly pollMs?: number
}

/** Runs a script to its end on any engine. Approves calls and answers questions. */
export async function follow(
  engine: DurableClient,
  script: string,
  runId: string,
  options: FollowOptions = {},
): Promise<Omit<Seen, 'effects'>> {
  await engine.start('support', script, { runId })
  return observe(engine, runId, options)
}

/** Observes a started run to its end, as {@link follow} does. */
export async function observe(
  engine: DurableClient,
  runId: string,
  { disconnects = () => false, pollMs = 5 }: FollowOptions = {},
): Promise<Omit<Seen, 'effects'>> {
  const events = collected(engine, runId, disconnects)
  let answered = ''
  let result: DurableResult | undefined
  const ended = engine.result(runId).then((value) => {
    result = value
  })
  while (result === undefined) {
    const status = await engine.status(runId)
    if (status.status === 'suspended' && status.suspension.id !== answered) {
      const { id, pending, calls } = status.suspension
      answered = id
      const answers = Object.fromEntries(pending.map((each) => [each.id, 'approve' as const]))
      await engine.answer(runId, id, calls.length === 0 ? 'yes' : answers)
    }
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, pollMs))])
  }
  return { result, events: await events }
}

/** Runs a script on an engine in memory that crashes. */
export async function play(
  script: string,
  crash: (point: CrashPoint) => boolean,
  unknownOutcome: UnknownOutcome = 'fail',
  options: FollowOptions = {},
): Promise<Seen> {
  const effects: string[] = []
  const agents = scriptedAgents({ effect: (name) => effects.push(name), unknownOutcome })
  const seen = await follow(memoryEngine(agents, { crash, maxAttempts: 1_000 }), script, 'run', options)
  return { ...seen, effects }
}

/** Reads the events of a run to its end. After a lost stream, subscribes again from the position after the last event. */
async function collected(
  engine: DurableClient,
  runId: string,
  disconnects: () => boolean,
): Promise<readonly RunEvent[]> {
  const all: RunEvent[] = []
  for (let isLost = true; isLost; ) {
    isLost = false
    for await (const event of engine.subscribe(runId, { from: all.length + 1 })) {
      all.push(event)
      isLost = disconnects()
      if (isLost) break
    }
  }
  return all
}

/** Number of calls of a run, and of those whose outcome is unknown. */
export function callsOf(events: readonly RunEvent[]): { readonly calls: number; readonly unknown: number } {
  const isUnknown = (event: RunEvent): boolean => JSON.stringify(event).includes('"reason":"unknown_outcome"')
  return {
    calls: events.filter(({ type }) => type === 'call_started').length,
    unknown: events.filter((event) => event.type === 'call_ended' && isUnknown(event)).length,
  }
}

/** Effects that must not happen twice. */
const ONCE = /^(cancel|refund) /

/** Returns the faults of a run. `undisturbed` is the same run without a crash. */
export function faultsOf({ result, events, effects }: Seen, undisturbed: Seen): readonly string[] {
  const faults: string[] = []
  const once = effects.filter((effect) => ONCE.test(effect))
  if (new Set(once).size < once.length) faults.push(`an effect happened twice: ${once.join(', ')}`)
  if (result.status !== 'completed') faults.push(`the run ended as ${result.status}: ${JSON.stringify(result.error)}`)
  const violations = validateHistory(result.messages)
  if (violations.length > 0) faults.push(`the messages are invalid: ${JSON.stringify(violations)}`)
  const { runId } = result
  const own = events
    .map((event, index) => ({ event, position: index + 1 }))
    .filter(({ event }) => event.runId === runId)
  if (own.some(({ event, position }) => event.sequence !== position)) faults.push('an event is missing or repeated')
  if (callsOf(events).unknown > 0) return faults
  if (result.result?.text !== undisturbed.result.result?.text) {
    faults.push(`the result is ${result.result?.text} instead of ${undisturbed.result.result?.text}`)
  }
  const missing = undisturbed.effects.filter((effect) => !effects.includes(effect))
  if (missing.length > 0) faults.push(`an effect is missing: ${missing.join(', ')}`)
  const types = (all: Seen) => all.events.map(({ type }) => type).sort()
  if (types({ result, events, effects }).join() !== types(undisturbed).join()) faults.push('the events differ')
  return faults
}

/** Removes durations and times, which differ between runs. */
export function timeless(value: unknown): unknown {
  const omitted = new Set(['at', 'durationMs', 'elapsedMs', 'endedAt', 'suspendedAt'])
  return JSON.parse(JSON.stringify(value, (key, each) => (omitted.has(key) ? undefined : each)))
}

/** Result of {@link crashRounds}. */
export interface CrashRounds {
  readonly runs: number
  readonly calls: number
  readonly crashes: number
  /** Number of calls whose outcome was unknown. */
  readonly unknown: number
  /** Number of times that a subscriber lost its stream and subscribed again. */
  readonly reconnects: number
  readonly faults: readonly string[]
}

/** Runs random scripts and crashes them at random points, until `goesOn` returns false. */
export async function crashRounds(seed: number, goesOn: (runs: number) => boolean): Promise<CrashRounds> {
  const random = new Random(seed)
  const counts = { runs: 0, calls: 0, crashes: 0, unknown: 0, reconnects: 0 }
  const faults: string[] = []
  while (goesOn(counts.runs)) {
    const script = randomScript(random)
    const undisturbed = await play(script, () => false)
    let left = 40
    const crashes = (): boolean => {
      if (left === 0 || random.below(6) > 0) return false
      left -= 1
      return true
    }
    const disconnects = (): boolean => {
      if (random.below(6) > 0) return false
      counts.reconnects += 1
      return true
    }
    const seen = await play(script, crashes, 'fail', { disconnects })
    const { calls, unknown } = callsOf(seen.events)
    counts.runs += 1
    counts.crashes += 40 - left
    counts.calls += calls
    counts.unknown += unknown
    for (const fault of faultsOf(seen, undisturbed)) faults.push(`seed ${seed}, '${script}': ${fault}`)
  }
  return { ...counts, faults }
}

const TOOLS = ['get', 'cancel', 'pay', 'refund', 'flaky', 'report'] as const

/** Returns a random script for the agents; see `scripted-agents.mjs`. Each call has its own argument. */
export function randomScript(random: Random): string {
  let count = 0
  const call = (): string => {
    count += 1
    return `${TOOLS[random.below(TOOLS.length)]} ${count}`
  }
  const several = (limit: number, separator: string, item: () => string): string =>
    Array.from({ length: 1 + random.below(limit) }, item).join(separator)
  const nested = (): string => `investigate ${several(2, ', ', () => several(2, '+', call))}`
  const step = (): string =>
    random.below(8) === 0 ? '? Really?' : several(3, '; ', () => (random.below(4) === 0 ? nested() : call()))
  return several(4, ' | ', step)
}
