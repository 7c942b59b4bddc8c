import type { DurableResult } from '@toolgen/runtime/durable'
import type { SessionEntry } from '@toolgen/runtime/sessions'
import { type CrashPoint, memoryEngine } from '@toolgen/runtime/testing'
import { describe, expect, it } from 'vitest'
import { Random } from '../codec/differential/random.js'
import { observe, timeless } from './crash-rounds.js'
import { startWorld, suspended } from './engine-suite.js'
import { callOf, idle } from './session-suite.js'

/** Everything that users see of a session. */
interface SeenSession {
  readonly outcomes: readonly unknown[]
  readonly results: readonly DurableResult[]
  /** Entries as a subscriber reads them. */
  readonly entries: readonly SessionEntry[]
  readonly consumed: unknown
  readonly messages: unknown
  readonly effects: readonly string[]
}

/** Uses a session in an engine in memory that crashes. */
async function useSession(crash: (point: CrashPoint) => boolean): Promise<SeenSession> {
  const { engine, effects } = await startWorld((agents) => memoryEngine(agents, { crash, maxAttempts: 1_000 }), {
    sessions: { conversation: true },
  })
  const session = await engine.openSession('s', { userId: 'u', namespaces: ['support'] })
  const outcomes: unknown[] = []
  for (const [name = '', id = ''] of [
    ...[
      ['cancel', 'A'],
      ['report', 'B'],
      ['print', 'C'],
    ],
  ]) {
    outcomes.push(await session.execute(callOf(name, id), { callId: id }))
    await idle(session)
  }
  const results: DurableResult[] = []
  for (const script of ['new: get D | cancel E | refund F', 'new: pay G']) {
    const { runId } = await session.run('support', script, { runId: `r-${results.length + 1}` })
    results.push((await observe(engine, runId)).result)
  }
  const consumed = await session.consumeCompleted()
  const entries: SessionEntry[] = []
  const subscribed = (async () => {
    for await (const entry of session.subscribe({ after: 0 })) entries.push(entry)
  })()
  await session.close()
  await subscribed
  const messages = await session.messages()
  return { outcomes, results, entries, consumed, messages, effects }
}

/** True if a crash at this point leaves it unknown whether the call had its effect. */
function leavesUnknown({ step, when }: CrashPoint): boolean {
  if (/^start orders\.(cancel|refund|print)/.test(step)) return when === 'after'
  return /^orders\.(cancel|refund|print)/.test(step) && when !== 'after'
}

/** Returns the effects that must not happen twice. */
const onceOf = ({ effects }: SeenSession): readonly string[] =>
  effects.filter((effect) => /^(cancel|refund|print) /.test(effect)).sort()

const isUnknown = (seen: SeenSession): boolean => JSON.stringify(seen).includes('"reason":"unknown_outcome"')

describe('a session whose processes crash', () => {
  it('has the same results, entries and messages, wherever they crash', async () => {
    const points: CrashPoint[] = []
    const undisturbed = await useSession((point) => {
      points.push(point)
      return false
    })
    expect(undisturbed.entries).toHaveLength(6)
    const distinct = [...new Map(points.map((point) => [JSON.stringify(point), point])).values()]
    expect(distinct.filter(({ step }) => step.startsWith('session ')).length).toBeGreaterThan(15)
    for (const point of distinct) {
      let crashed = false
      const seen = await useSession((now) => {
        const isPoint = now.runId === point.runId && now.step === point.step && now.when === point.when
        if (crashed || !isPoint) return false
        crashed = true
        return true
      })
      const at = `${point.runId} ${point.step} ${point.when}`
      expect(crashed, at).toBe(true)
      expect(isUnknown(seen), at).toBe(leavesUnknown(point))
      const once = onceOf(seen)
      expect(new Set(once).size, at).toBe(once.length)
      if (leavesUnknown(point)) continue
      expect(once, at).toEqual(onceOf(undisturbed))
      const { effects: _, ...visible } = seen
      const { effects: _expected, ...expected } = undisturbed
      expect(timeless(visible), at).toEqual(timeless(expected))
    }
  })

  it('loses nothing, whatever crashes', async () => {
    const random = new Random(20261129)
    const undisturbed = await useSession(() => false)
    let unknown = 0
    for (let round = 0; round < 20; round += 1) {
      const seen = await useSession(() => random.below(20) === 0)
      const once = onceOf(seen)
      expect(new Set(once).size).toBe(once.length)
      const sequences = seen.entries.map(({ sequence }) => sequence)
      expect(sequences).toEqual([...new Set(sequences)].sort((one, other) => one - other))
      expect(seen.entries.filter(({ kind }) => kind === 'completed').map(({ callId }) => callId)).toEqual(['B', 'C'])
      if (isUnknown(seen)) unknown += 1
      else {
        const { effects: _, ...visible } = seen
        const { effects: _expected, ...expected } = undisturbed
        expect(timeless(visible)).toEqual(timeless(expected))
      }
    }
    expect(unknown).toBeGreaterThan(0)
    expect(unknown).toBeLessThan(20)
  })

  it('publishes the updates of a running call once, although the call starts again', async () => {
    const started = { count: 0 }
    let release: () => void = () => undefined
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    let crashes = 1
    const { engine } = await startWorld(
      (agents) =>
        memoryEngine(agents, {
          crash: ({ step, when }) => {
            if (!step.startsWith('orders.watch') || when !== 'after' || crashes === 0) return false
            crashes -= 1
            return true
          },
        }),
      {
        afterEffect: () => {
          started.count += 1
          return started.count === 1 ? undefined : gate
        },
      },
    )
    const session = await engine.openSession('s', { userId: 'u', namespaces: ['support'] })
    await session.execute(callOf('watch', 'A'), { callId: 'A' })
    await expect.poll(async () => (await session.poll()).length).toBe(1)
    await expect.poll(() => started.count).toBe(2)
    release()
    await expect.poll(() => session.cancel('A')).toBe(true)
    await idle(session)
    expect(await session.consume()).toMatchObject([
      { kind: 'update', index: 1, update: '"sees A"' },
      { kind: 'completed', outcome: { hint: { reason: 'cancelled' } } },
    ])
  })

  it('reports a command that always crashes', async () => {
    const { engine } = await startWorld((agents) =>
      memoryEngine(agents, { crash: ({ step }) => step === 'session execute', maxAttempts: 3 }),
    )
    const session = await engine.openSession('s', { userId: 'u', namespaces: ['support'] })
    await expect(session.execute(callOf('get', 'A'))).rejects.toMatchObject({
      ...{ name: 'DurableError', code: 'engine_unreachable' },
      message: "The session 's' does not respond: its process crashed 3 times in the command 'execute'.",
    })
  })
})

it('a session that receives the messages of a run late has its approvals when the run has ended', async () => {
  const { engine } = await startWorld((agents) => memoryEngine(agents))
  const session = await engine.openSession('s', { userId: 'u', namespaces: ['support'] })
  // No public option delays messages, so the test changes the object that passes them to the session.
  interface Sessions {
    tell(id: string, message: { readonly kind: string }): void
    read(...request: unknown[]): Promise<unknown>
  }
  const { sessions } = engine as unknown as { readonly sessions: Sessions }
  const tell = sessions.tell.bind(sessions)
  const read = sessions.read.bind(sessions)
  let late: Parameters<typeof tell>[] | undefined = []
  sessions.tell = (...message) => {
    if (late === undefined) tell(...message)
    else late.push(message)
  }
  sessions.read = async (...request) => {
    const reply = await read(...request)
    const messages = late ?? []
    late = undefined
    for (const message of messages) tell(...message)
    return reply
  }
  const { runId } = await session.run('support', 'refund A')
  const { id } = await suspended(engine, runId)
  await engine.answer(runId, id, { call_1_1: { decision: 'approve', by: 'ann', remember: 'tool' } })
  await engine.result(runId)
  expect(late.map(([, { kind }]) => kind)).toEqual(['approvals', 'run ended'])
  expect(await session.approvals()).toMatchObject([{ tool: 'orders.refund', by: 'ann' }])
})
