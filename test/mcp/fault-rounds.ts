import fc from 'fast-check'
import type { ToolOutcome } from '../../packages/runtime/src/index.js'
import { boundOver, faultCaller, faultImport, isAlive } from './served.fixture.js'

/** Counts and faults of {@link faultRounds}. */
export interface FaultReport {
  readonly rounds: number
  readonly calls: number
  readonly processes: number
  /** Number of calls, by outcome. */
  readonly ends: ReadonlyMap<string, number>
  /** Descriptions of unexpected results. */
  readonly faults: readonly string[]
}

interface PlannedCall {
  readonly tool: string
  readonly args: object
  /** Allowed outcome if the server is alive. */
  readonly meant: string
}

/** Timeout of calls that the server never answers, in milliseconds. Other calls have no timeout, because the machine can be slow. */
const TIMEOUT_MS = 300
const LONGEST_MESSAGE = 1_000_000

/** Maximum duration of a call: its timeout, and the restart of the server. */
const LONGEST_MS = 120_000

const planned: fc.Arbitrary<PlannedCall> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({ text: fc.string(), afterMs: fc.nat(20) })
      .map((args) => ({ tool: 'echo', args, meant: 'completed' })),
  },
  fc.constant({ tool: 'silent', args: {}, meant: 'timeout' }),
  fc.constant({ tool: 'garbage', args: {}, meant: 'completed' }),
  fc.constant({ tool: 'progress', args: {}, meant: 'completed' }),
  fc.constant({ tool: 'breaks', args: {}, meant: 'malformed_result' }),
  fc.constant({ tool: 'change', args: {}, meant: 'completed' }),
  fc
    .constantFrom([-32602, 'invalid_arguments'], [-32603, 'internal'], [-32001, 'timeout'])
    .map(([code, meant]) => ({ tool: 'error', args: { code }, meant: String(meant) })),
  fc.integer({ min: 1, max: 900_000 }).map((bytes) => ({ tool: 'big', args: { bytes }, meant: 'completed' })),
  fc
    .integer({ min: LONGEST_MESSAGE, max: 4_000_000 })
    .map((bytes) => ({ tool: 'big', args: { bytes }, meant: 'malformed_result' })),
  fc.constant({ tool: 'die', args: {}, meant: 'unavailable' }),
)

const round = fc.record({
  calls: fc.array(planned, { minLength: 1, maxLength: 12 }),
  isStubborn: fc.nat(9).map((n) => n === 0),
})

/** Plays rounds of parallel calls, each with a new server, until `goOn` returns false. */
export async function faultRounds(seed: number, goOn: () => boolean): Promise<FaultReport> {
  const ends = new Map<string, number>()
  const faults: string[] = []
  const pids = new Set<number>()
  let processes = 0
  let [rounds, calls] = [0, 0]
  for (const { calls: together, isStubborn } of roundsOf(seed)) {
    if (!goOn()) break
    rounds += 1
    const caller = faultCaller({
      timeoutMs: Infinity,
      maxMessageBytes: LONGEST_MESSAGE,
      ...(isStubborn && { env: { STUBBORN: '1' } }),
    })
    const bound = boundOver(caller, faultImport)
    const brief = boundOver(caller, faultImport, { timeoutMs: TIMEOUT_MS })
    const run = async (tool: string, args: object): Promise<ToolOutcome> => {
      const outcome = await inTime(
        (tool === 'silent' ? brief : bound).execute({ tool: `fault.${tool}`, arguments: JSON.stringify(args) }),
      )
      const end = outcome.status === 'failed' ? outcome.hint.reason : outcome.status
      ends.set(end, (ends.get(end) ?? 0) + 1)
      calls += 1
      return outcome
    }
    const mayBreakOff = together.some(({ tool }) => tool === 'die')
    const check = async ({ tool, args, meant }: PlannedCall): Promise<void> => {
      const outcome = await run(tool, args)
      const end = outcome.status === 'failed' ? outcome.hint.reason : outcome.status
      if (end !== meant && !(mayBreakOff && end === 'unavailable')) {
        faults.push(
          `seed ${seed}, round ${rounds}: ${tool} ${JSON.stringify(args).slice(0, 200)} ended as ${end}, not as ${meant}`,
        )
      }
    }
    try {
      remember(pids, await run('process', {}))
      await Promise.all(together.map(check))
      // The next call must succeed after any fault.
      const after = await run('process', {})
      remember(pids, after)
      if (after.status !== 'completed') faults.push(`seed ${seed}, round ${rounds}: the call after it was not served`)
    } catch (error) {
      faults.push(`seed ${seed}, round ${rounds}: ${String(error)}`)
    }
    await caller.close()
    for (const pid of pids) if (isAlive(pid)) faults.push(`seed ${seed}, round ${rounds}: process ${pid} is left`)
    processes += pids.size
    pids.clear()
  }
  return { rounds, calls, processes, ends, faults }
}

function* roundsOf(seed: number): Generator<{ readonly calls: readonly PlannedCall[]; readonly isStubborn: boolean }> {
  for (let at = seed; ; at += 1) yield* fc.sample(round, { seed: at, numRuns: 20 })
}

function remember(pids: Set<number>, outcome: ToolOutcome): void {
  if (outcome.status === 'completed') pids.add(Number(outcome.result.data))
}

async function inTime(outcome: Promise<ToolOutcome>): Promise<ToolOutcome> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`a call has not ended after ${LONGEST_MS} ms`)), LONGEST_MS)
  })
  try {
    return await Promise.race([outcome, late])
  } finally {
    clearTimeout(timer)
  }
}
