import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  memoryStore,
  type Session,
  type SessionEntry,
  type SessionRegistry,
} from '../../packages/runtime/src/sessions.js'
import { build, registryOf, settled, TestStore, takenOver, Works } from './sessions.fixture.js'

interface Step {
  readonly kind: string
  /** Of the calls so far, by their number. */
  readonly call?: number
}

const common = [
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constantFrom('begin', 'begin', 'consume', 'consumeCompleted', 'wait') }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constantFrom('emit', 'complete', 'fail', 'cancel'), call: fc.nat({ max: 30 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('cancel and close', 'close') }) },
]

const crashes: fc.Arbitrary<Step> = fc.oneof(...common, {
  weight: 4,
  arbitrary: fc.record({ kind: fc.constantFrom('store fails', 'store works', 'crash', 'open elsewhere') }),
})

const unclearAnswers: fc.Arbitrary<Step> = fc.oneof(...common, {
  weight: 4,
  arbitrary: fc.record({ kind: fc.constantFrom('store fails', 'store works', 'store saves and fails') }),
})

/** One user with one session in a process that may end at any time, and what the user has been given. */
class World {
  readonly acknowledged = new Set<string>()
  readonly given: SessionEntry[] = []
  readonly #works = new Works()
  readonly #inner = memoryStore()
  #store = new TestStore({ inner: this.#inner })
  #registry: SessionRegistry<any> = registryOf(this.#works, { store: this.#store })
  #underWay: Promise<void>[] = []
  #session: Session | undefined = undefined
  #calls = 0

  async play(steps: readonly Step[]): Promise<void> {
    for (const step of steps) await this.#play(step)
    this.#store.failure = undefined
    await Promise.all(this.#underWay)
    await this.#registry.closeAll({ drainMs: 0 })
    this.#restart()
    const session = await this.#registry.open('s-1', takenOver)
    this.given.push(...(await session.consume()))
  }

  async #play({ kind, call = 0 }: Step): Promise<void> {
    switch (kind) {
      case 'wait':
        return settled()
      case 'store fails':
      case 'store saves and fails':
        this.#store.failure = new Error('down')
        this.#store.savesAndFails = kind === 'store saves and fails'
        return
      case 'store works':
        this.#store.failure = undefined
        return
      case 'open elsewhere':
        return this.#restart()
      case 'crash':
        // What the store was asked before, it may still do.
        this.#store.save = () => new Promise(() => undefined)
        await settled()
        this.#underWay = []
        return this.#restart()
      case 'emit':
      case 'complete':
      case 'fail':
        return this.#lead(kind, call)
      case 'close':
      case 'cancel and close':
        return this.#later(this.#registry.close('s-1', { drainMs: 0, storeMs: 2, cancel: kind !== 'close' }))
      default:
        return this.#ask(kind, call)
    }
  }

  #lead(kind: 'emit' | 'complete' | 'fail', call: number): void {
    const work = this.#works.begun[call]
    if (work === undefined) return
    if (kind === 'emit') void work.emit(work.name).catch(() => undefined)
    else if (kind === 'complete') work.complete(work.name)
    else work.fail(new Error('x'))
  }

  async #ask(kind: string, call: number): Promise<void> {
    const session = await this.#open()
    if (session === undefined) return
    if (kind === 'cancel') session.cancel([...this.acknowledged][call] ?? '')
    if (kind === 'begin') this.#begin(session)
    if (kind === 'consume') this.#later(session.consume().then((entries) => this.given.push(...entries)))
    if (kind === 'consumeCompleted') {
      this.#later(
        session.consumeCompleted().then((calls) => {
          for (const { completion, updates } of calls) this.given.push(...updates, completion)
        }),
      )
    }
  }

  async #open(): Promise<Session | undefined> {
    if (this.#store.failure !== undefined) return this.#session
    this.#session = await this.#registry.open('s-1', takenOver).catch(() => undefined)
    return this.#session
  }

  #begin(session: Session): void {
    this.#calls += 1
    const answer = session.execute(build(`call ${this.#calls}`))
    this.#later(answer.then((given) => given.status === 'streaming' && this.acknowledged.add(given.callId)))
  }

  #restart(): void {
    this.#session = undefined
    this.#store = new TestStore({ inner: this.#inner })
    this.#registry = registryOf(this.#works, { store: this.#store })
  }

  #later(work: Promise<unknown>): void {
    this.#underWay.push(
      work.then(
        () => undefined,
        () => undefined,
      ),
    )
  }
}

describe('whatever happens in whatever order', () => {
  it.each([
    ['with crashes, and processes that take the session over', crashes],
    ['with a store that does what it says it could not do', unclearAnswers],
  ])('every acknowledged call has exactly one end, and nothing is given twice, %s', async (_, steps) => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 60 }), async (played) => {
        const world = new World()
        await world.play(played)
        const entries = world.given.map(({ callId, sequence }) => `${callId} ${sequence}`)
        expect(new Set(entries).size).toBe(entries.length)
        const ends = world.given.filter(({ kind }) => kind === 'completed').map(({ callId }) => callId)
        expect(ends.sort()).toEqual([...world.acknowledged].sort())
        for (const callId of world.acknowledged) {
          const indices = world.given.filter((entry) => entry.kind === 'update' && entry.callId === callId)
          const sequences = indices.map(({ sequence }) => sequence)
          expect(sequences).toEqual([...sequences].sort((one, other) => one - other))
        }
      }),
      { numRuns: 150 },
    )
  })
})
