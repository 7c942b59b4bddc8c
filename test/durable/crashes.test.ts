import { type DurableAgents, type DurableClient, DurableError } from '@toolgen/runtime/durable'
import { type CrashPoint, memoryEngine } from '@toolgen/runtime/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { crashRounds, faultsOf, play, timeless } from './crash-rounds.js'
import { eventsOf, startWorld, suspended } from './engine-suite.js'
import { scriptedAgents } from './scripted-agents.mjs'

/** True if a crash at this point leaves it unknown whether the call had its effect. */
function leavesUnknown({ step, when }: CrashPoint): boolean {
  if (/^start orders\.(cancel|refund)/.test(step)) return when === 'after'
  return /^orders\.(cancel|refund)/.test(step) && when !== 'after'
}

describe('a run whose process crashes', () => {
  it('has the same result, events and effects, wherever it crashes', async () => {
    const script = 'get A | cancel B | report C | investigate cancel D, pay F | refund H | cancel I'
    const points: CrashPoint[] = []
    const undisturbed = await play(script, (point) => {
      points.push(point)
      return false
    })
    expect(points.length).toBeGreaterThan(50)
    for (const point of points) {
      let crashed = false
      const seen = await play(script, (now) => {
        const isPoint = now.runId === point.runId && now.step === point.step && now.when === point.when
        if (crashed || !isPoint) return false
        crashed = true
        return true
      })
      const { result, events } = seen
      const at = `${point.step} ${point.when}`
      expect(crashed, at).toBe(true)
      expect(faultsOf(seen, undisturbed), at).toEqual([])
      expect(JSON.stringify(events).includes('"reason":"unknown_outcome"'), at).toBe(leavesUnknown(point))
      if (leavesUnknown(point)) continue
      expect(timeless(result), at).toEqual(timeless(undisturbed.result))
      expect(timeless(events), at).toEqual(timeless(undisturbed.events))
    }
  })

  it('never runs a tool twice that must not run twice, and loses nothing, whatever crashes', async () => {
    const { faults, crashes, unknown } = await crashRounds(20261128, (runs) => runs < 40)
    expect(faults).toEqual([])
    expect(crashes).toBeGreaterThan(100)
    expect(unknown).toBeGreaterThan(5)
  })

  it('asks a person before it repeats a call with an unknown outcome, or repeats it', async () => {
    const during = (): ((point: CrashPoint) => boolean) => {
      let crashed = false
      return ({ step, when }) => {
        if (crashed || when !== 'during' || !step.startsWith('orders.cancel')) return false
        crashed = true
        return true
      }
    }
    const asked = await startWorld((agents) => memoryEngine(agents, { crash: during() }), { unknownOutcome: 'ask' })
    const { runId } = await asked.engine.start('support', 'cancel A | get B')
    const suspension = await suspended(asked.engine, runId)
    expect(suspension.pending).toMatchObject([
      { kind: 'approval', prompt: expect.stringContaining('orders.cancel') as unknown },
    ])
    await asked.engine.answer(runId, suspension.id, { call_1_1: { result: 'cancelled by hand' } })
    expect(await asked.engine.result(runId)).toMatchObject({ result: { text: 'cancelled by hand, get B' } })
    expect(asked.effects).toEqual(['cancel A', 'get B'])
    const approved = await play('cancel A', during(), 'ask')
    expect([approved.effects, approved.result.result]).toEqual([['cancel A', 'cancel A'], { text: 'cancel A' }])
    const repeated = await play('cancel A', during(), 'repeat')
    expect([repeated.effects, repeated.result.result]).toEqual([['cancel A', 'cancel A'], { text: 'cancel A' }])
  })

  it('names the arguments that an approver changed, before it repeats the call', async () => {
    let effects: readonly string[] = []
    let crashed = false
    const world = await startWorld(
      (agents) =>
        memoryEngine(agents, {
          crash: ({ when }) => {
            if (crashed || when !== 'during' || effects.length === 0) return false
            crashed = true
            return true
          },
        }),
      { unknownOutcome: 'ask' },
    )
    effects = world.effects
    const { engine } = world
    const { runId } = await engine.start('support', 'refund A')
    const edit = { decision: 'approve', arguments: { id: 'B' } } as const
    const first = await suspended(engine, runId)
    await engine.answer(runId, first.id, { call_1_1: edit })
    await expect.poll(async () => (await suspended(engine, runId)).id).not.toBe(first.id)
    const second = await suspended(engine, runId)
    expect(second.pending).toMatchObject([{ prompt: expect.stringContaining('to {"id":"B"}. To run it') as unknown }])
    await engine.answer(runId, second.id, { call_1_1: edit })
    await engine.result(runId)
    expect(effects).toEqual(['refund B', 'refund B'])
  })

  it.each(['before', 'after'] as const)(
    'continues the long wait of a layer, if it crashes %s the wait',
    async (when) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
      onTestFinished(() => {
        vi.useRealTimers()
      })
      const crashAt = when === 'before' ? 'orders.later (call_1_1)' : 'decision 2'
      let crashed = false
      const { engine, effects } = await startWorld((agents) =>
        memoryEngine(agents, {
          crash: ({ step, when: now }) => {
            if (crashed || step !== crashAt || now !== 'after') return false
            crashed = true
            return true
          },
        }),
      )
      const { runId } = await engine.start('support', 'later A | get B')
      await expect.poll(() => [effects.length, vi.getTimerCount()]).toEqual([1, 1])
      await vi.advanceTimersByTimeAsync(3_599_000)
      expect(effects).toEqual(['later A'])
      expect((await engine.status(runId)).status).toBe('running')
      await vi.advanceTimersByTimeAsync(2_000)
      expect(await engine.result(runId)).toMatchObject({
        result: { text: 'later A, get B' },
        usage: { durationMs: expect.toSatisfy((ms: number) => ms >= 3_600_000) as unknown },
      })
      expect(crashed).toBe(true)
      expect(effects).toEqual(['later A', 'later A', 'get B'])
    },
  )

  it('is parked after too many attempts, with the last failure', async () => {
    const { engine } = await startWorld((agents) =>
      memoryEngine(agents, { crash: ({ step }) => step === 'decision 2', maxAttempts: 3 }),
    )
    const { runId } = await engine.start('support', 'get A')
    await expect(engine.result(runId)).rejects.toMatchObject({ code: 'run_parked', report: { attempts: 3 } })
    expect(await engine.status(runId)).toMatchObject({ status: 'parked', report: { attempts: 3 } })
    await expect(eventsOf(engine, runId)).rejects.toMatchObject({ code: 'run_parked' })
  })
})

describe('a parked run', () => {
  it('ends as cancelled, with its nested run', async () => {
    let isBroken = true
    const { engine } = await startWorld((agents) =>
      memoryEngine(agents, { crash: ({ step }) => isBroken && step.startsWith('orders.get'), maxAttempts: 2 }),
    )
    const { runId } = await engine.start('support', 'investigate get A | get B', { runId: 'outer' })
    await expect(engine.result(runId)).rejects.toMatchObject({ code: 'run_parked' })
    isBroken = false
    await engine.cancel(runId)
    expect(await engine.result(runId)).toMatchObject({ status: 'cancelled' })
    expect(await engine.result('outer/call_1_1')).toMatchObject({ status: 'cancelled' })
    await expect(engine.cancel(runId)).rejects.toMatchObject({ code: 'run_ended' })
  })
})

it('cancels a nested run that starts during the cancellation', async () => {
  const { engine, effects } = await startWorld((agents) =>
    memoryEngine(agents, {
      crash: ({ runId, step, when }) => {
        if (runId === 'outer' && step.startsWith('investigation') && when === 'after') void engine.cancel('outer')
        return false
      },
    }),
  )
  await engine.start('support', 'investigate cancel A, cancel B', { runId: 'outer' })
  expect(await engine.result('outer')).toMatchObject({ status: 'cancelled' })
  expect(await engine.result('outer/call_1_1')).toMatchObject({ status: 'cancelled' })
  expect(effects).toEqual([])
})

it('rejects an unknown reaction to calls with an unknown outcome', () => {
  const unknownOutcome = 'again' as 'ask'
  expect(() => scriptedAgents({ effect: () => undefined, unknownOutcome })).toThrow(
    "durableAgents: unknownOutcome is 'again'. Expected 'fail', 'ask', 'repeat' or a function.",
  )
})

describe('a run whose env fails', () => {
  const message = 'The function `env` of durableAgents did not settle within 60 seconds.'
  const endless = (): Promise<never> => new Promise(() => undefined)
  const throws = (): never => {
    throw new Error('No database.')
  }

  function fakeTimers(): void {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
  }

  /** Starts a run that crashes before its second decision. From then on, `env` fails. */
  async function startFailing(env: () => unknown): Promise<{ engine: DurableClient; effects: readonly string[] }> {
    const effects: string[] = []
    const agents = scriptedAgents({ effect: (effect) => effects.push(effect) })
    let isFailing = false
    const engine = memoryEngine(
      { ...agents, env: (facts) => (isFailing ? env() : agents.env?.(facts)) },
      {
        crash: ({ step, when }) => {
          if (isFailing || step !== 'decision 2' || when !== 'before') return false
          isFailing = true
          return true
        },
        maxAttempts: 3,
      },
    )
    await engine.start('support', 'cancel A | cancel B', { runId: 'r' })
    await expect.poll(() => isFailing).toBe(true)
    return { engine, effects }
  }

  it('ends as cancelled at once if env does not settle', async () => {
    const engine = memoryEngine({ ...scriptedAgents({ effect: () => undefined }), env: endless })
    await engine.start('support', 'get A', { runId: 'r' })
    await engine.cancel('r')
    expect(await engine.result('r')).toMatchObject({ status: 'cancelled', outcomes: [] })
  })

  it('is parked with the error of env, and a cancellation keeps its outcomes', async () => {
    const { engine, effects } = await startFailing(throws)
    const report = { attempts: 3, message: 'No database.' }
    await expect(engine.result('r')).rejects.toMatchObject({ code: 'run_parked', report })
    await engine.cancel('r')
    expect(await engine.result('r')).toMatchObject({ status: 'cancelled', outcomes: [{ status: 'completed' }] })
    expect(effects).toEqual(['cancel A'])
    expect((await eventsOf(engine, 'r')).at(-1)).toMatchObject({ type: 'run_ended', status: 'cancelled' })
  })

  it('is parked if env does not settle within its time', async () => {
    fakeTimers()
    const { engine } = await startFailing(endless)
    const isEnded = engine.result('r').catch((error: unknown) => error)
    for (let attempt = 2; attempt <= 3; attempt += 1) {
      await expect.poll(() => vi.getTimerCount()).toBe(1)
      await vi.advanceTimersByTimeAsync(60_000)
    }
    expect(await isEnded).toMatchObject({ code: 'run_parked', report: { attempts: 3, message } })
  })

  it('ends as cancelled after the time of env if env does not settle in a later attempt', async () => {
    fakeTimers()
    const { engine, effects } = await startFailing(endless)
    await expect.poll(() => vi.getTimerCount()).toBe(1)
    await engine.cancel('r')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await engine.result('r')).toMatchObject({ status: 'cancelled', outcomes: [{ status: 'completed' }] })
    expect(effects).toEqual(['cancel A'])
  })
})

describe('a nested run that is parked', () => {
  it('parks the run that waits for it', async () => {
    const { engine } = await startWorld((agents) =>
      memoryEngine(agents, { crash: ({ step }) => step.startsWith('orders.get'), maxAttempts: 2 }),
    )
    const { runId } = await engine.start('support', 'investigate get A', { runId: 'outer' })
    await expect(engine.result(runId)).rejects.toMatchObject({
      code: 'run_parked',
      report: { attempts: 2, message: "Nested run 'outer/call_1_1': The process crashed." },
    })
  })
})

describe('a run that continues with other code', () => {
  /** Crashes a run before its second decision, and continues it with other agents. */
  async function deployed(script: string, before: DurableAgents, after: DurableAgents): Promise<unknown> {
    let crashed = false
    const agents = {
      ...before,
      get agents() {
        return crashed ? after.agents : before.agents
      },
    }
    const engine = memoryEngine(agents, {
      crash: ({ step, when }) => {
        if (crashed || step !== 'decision 2' || when !== 'before') return false
        crashed = true
        return true
      },
    })
    const { runId } = await engine.start('support', script, { runId: 'run' })
    return engine.result(runId).catch((error: unknown) => error)
  }
  const effect = (): void => undefined

  it('continues if the journal fits', async () => {
    const after = scriptedAgents({ effect, deployed: () => 'get X | pay C' })
    expect(await deployed('get A | get B', scriptedAgents({ effect }), after)).toMatchObject({
      result: { text: 'get A, pay C' },
    })
  })

  it('is parked if the journal does not fit, with the first difference', async () => {
    const after = scriptedAgents({ effect, only: ['pay', 'refund', 'flaky'] })
    const error = await deployed('get A | get B', scriptedAgents({ effect }), after)
    expect(error).toBeInstanceOf(DurableError)
    expect(error).toMatchObject({ code: 'run_parked', report: { attempts: 2, code: 'journal_mismatch' } })
    expect(String(error)).toContain(
      "The journal of run 'run' does not fit the code: it has the call 'call_1_1' of orders.get, but the code now makes decision 2 after 3 messages.",
    )
  })
})
