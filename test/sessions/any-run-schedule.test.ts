import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AgentRun, answer, callTools, type Planner } from '../../packages/runtime/src/agents.js'
import type { BoundAgent } from '../../packages/runtime/src/index.js'
import { memoryStore, type Session, type SessionRegistry } from '../../packages/runtime/src/sessions.js'
import { analysts, build, look, ours, told } from './runs.fixture.js'
import { settled, TestStore, Works } from './sessions.fixture.js'

interface Step {
  readonly kind: string
  /** Of the runs or the calls so far, by their number. */
  readonly number: number
}

const steps: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('run', 'run', 'wait') },
    { weight: 6, arbitrary: fc.constantFrom('emit', 'complete', 'complete', 'fail', 'cancel run') },
    { weight: 4, arbitrary: fc.constantFrom('store fails', 'store works', 'store waits', 'close', 'open elsewhere') },
  ),
  number: fc.nat({ max: 12 }),
})

/** One user with one session, of which runs are begun and cancelled at any time. */
class World {
  readonly runs: AgentRun[] = []
  readonly #works = new Works()
  readonly #inner = memoryStore()
  readonly #underWay: PromiseLike<unknown>[] = []
  readonly #callers: AbortController[] = []
  #letGo = (): void => undefined
  #store = new TestStore({ inner: this.#inner })
  #open: { readonly agent: BoundAgent; readonly sessions: SessionRegistry<{ analyst: BoundAgent }> } = this.#opened()
  #session: Session | undefined = undefined

  async play(played: readonly Step[]): Promise<void> {
    for (const step of played) await this.#play(step)
    this.#store.failure = undefined
    this.#letGo()
    await Promise.all(this.#underWay)
    await this.#open.sessions.closeAll({ drainMs: 0 })
    this.#restart()
    await this.#run()
    await Promise.all(this.#underWay)
  }

  async #play({ kind, number }: Step): Promise<unknown> {
    const work = this.#works.begun[number]
    switch (kind) {
      case 'run':
        return this.#run()
      case 'cancel run':
        return this.#callers[number]?.abort()
      case 'emit':
        return void work?.emit('some').catch(() => undefined)
      case 'complete':
        return work?.complete('all')
      case 'fail':
        return work?.fail(new Error('x'))
      case 'store fails':
        this.#store.failure = new Error('down')
        return undefined
      case 'store works':
        this.#store.failure = undefined
        return this.#letGo()
      case 'store waits':
        this.#letGo()
        this.#letGo = this.#store.hold()
        return undefined
      case 'close':
        this.#underWay.push(this.#open.sessions.close('s-1', { drainMs: 0, storeMs: 2 }).catch(() => undefined))
        return undefined
      case 'open elsewhere':
        this.#letGo()
        return this.#restart()
      default:
        return settled()
    }
  }

  async #run(): Promise<void> {
    if (this.#store.failure === undefined && this.#store.gate === undefined) {
      this.#session = await this.#open.sessions.open('s-1', { ...ours, takeOver: true }).catch(() => undefined)
    }
    const caller = new AbortController()
    this.#callers.push(caller)
    const run = this.#session?.run(this.#open.agent, 'Build it.', { signal: caller.signal })
    if (run !== undefined) this.#underWay.push(run.then((ended) => this.runs.push(ended)))
  }

  #restart(): void {
    this.#session = undefined
    this.#store = new TestStore({ inner: this.#inner })
    this.#open = this.#opened()
  }

  #opened(): { readonly agent: BoundAgent; readonly sessions: SessionRegistry<{ analyst: BoundAgent }> } {
    let calls = 0
    const planner: Planner = async ({ turn }) => {
      await settled()
      calls += 1
      if (turn > 3) return answer('!')
      return turn === 1 ? callTools(build(`${calls}`), build(`${calls} too`)) : callTools(look('it'))
    }
    return analysts(this.#works, planner, { store: this.#store })
  }
}

describe('whatever happens to runs and their calls in whatever order', () => {
  it('every acknowledged call is reported in exactly one run', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 50 }), async (played) => {
        const world = new World()
        await world.play(played)
        const heard = world.runs.flatMap(told).map((message) => message.split("'")[1])
        expect(new Set(heard).size).toBe(heard.length)
        const acknowledged = world.runs
          .flatMap(({ outcomes }) => outcomes)
          .flatMap((outcome) => (outcome.status === 'completed' ? [outcome.acknowledgement?.callId] : []))
          .filter((callId) => callId !== undefined)
        const last = new Set(
          world.runs
            .at(-1)
            ?.outcomes.flatMap((outcome) => (outcome.status === 'completed' ? [outcome.acknowledgement?.callId] : [])),
        )
        expect(heard).toEqual(expect.arrayContaining(acknowledged.filter((callId) => !last.has(callId))))
      }),
      { numRuns: 120 },
    )
  })
})
