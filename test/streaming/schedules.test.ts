import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type ExecutorRequest, sinkExecutor, type ToolExecutor } from '../../packages/runtime/src/index.js'
import { later, never, unhandledDuring, within } from '../runs/agents.fixture.js'
import { heard, wordOf } from './streaming.fixture.js'

/** What a tool does, one thing after the other, and how it comes to its end. */
interface Schedule {
  readonly acts: readonly ('emit' | 'break' | 'turn' | 'wait' | 'cancel')[]
  readonly end: 'result' | 'throw' | 'close' | 'hang' | 'deaf'
  /** Another end right after the first, where the tool can have two. */
  readonly again: 'result' | 'throw' | 'close'
  /** Whether emits are awaited, where the tool does so itself. */
  readonly awaits: boolean
  /** Milliseconds until the time-out; absent: none. */
  readonly timeoutMs: number | undefined
}

const schedule: fc.Arbitrary<Schedule> = fc
  .record({
    acts: fc.array(
      fc.oneof(
        { weight: 8, arbitrary: fc.constant('emit' as const) },
        { weight: 4, arbitrary: fc.constantFrom('turn' as const, 'wait' as const) },
        { weight: 1, arbitrary: fc.constantFrom('break' as const, 'cancel' as const) },
      ),
      { maxLength: 12 },
    ),
    end: fc.constantFrom('result' as const, 'throw' as const, 'close' as const, 'hang' as const, 'deaf' as const),
    again: fc.constantFrom('result' as const, 'throw' as const, 'close' as const),
    awaits: fc.boolean(),
    timeoutMs: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined, freq: 3 }),
  })
  .map((given) => ({
    ...given,
    // What hangs is ended by somebody else.
    timeoutMs: given.end === 'hang' || given.end === 'deaf' ? (given.timeoutMs ?? 2) : given.timeoutMs,
  }))

/** One call that goes by a schedule. */
class Play {
  readonly controller = new AbortController()
  emitted = 0
  begun = false
  /** Resolves when the tool has nothing left to do. */
  readonly finished: Promise<void>
  finish: () => void = () => undefined
  readonly #schedule: Schedule

  constructor(schedule: Schedule) {
    this.#schedule = schedule
    this.finished = new Promise((resolve) => {
      this.finish = resolve
    })
  }

  /** Acts, and says what is to be emitted. */
  async *acts(): AsyncGenerator<unknown, void> {
    this.begun = true
    for (const act of this.#schedule.acts) {
      if (act === 'turn') await undefined
      if (act === 'wait') await later(1, undefined)
      if (act === 'cancel') this.controller.abort()
      if (act === 'break') yield 'broken'
      if (act === 'emit') {
        this.emitted += 1
        yield this.emitted
      }
    }
  }

  async end({ meta }: ExecutorRequest): Promise<string> {
    const { end } = this.#schedule
    if (end === 'result') return 'done'
    if (end === 'deaf') return never()
    if (end === 'hang' && !meta.signal.aborted)
      await new Promise((resolve) => meta.signal.addEventListener('abort', resolve))
    throw new Error('an end')
  }
}

const styles: Readonly<Record<string, (play: Play, schedule: Schedule) => ToolExecutor>> = {
  'a generator': (play) => ({
    async *execute(request) {
      try {
        yield* play.acts()
        return await play.end(request)
      } finally {
        play.finish()
      }
    },
  }),
  'an executor that emits': (play, { awaits }) => ({
    async execute(request) {
      try {
        for await (const update of play.acts()) {
          const told = request.emit(update)
          if (awaits) await told
        }
        return await play.end(request)
      } finally {
        play.finish()
      }
    },
  }),
  'a sink': (play, { awaits, end, again }) =>
    sinkExecutor((_request, sink) => {
      const ends = {
        result: () => sink.complete('done'),
        throw: () => sink.fail(new Error('an end')),
        close: sink.close,
      }
      const work = async (): Promise<void> => {
        for await (const update of play.acts()) {
          const told = sink.emit(update)
          if (awaits) await told
        }
        if (end === 'hang' || end === 'deaf') return
        ends[end]()
        ends[again]()
        sink.emit(0)
      }
      work().then(play.finish, play.finish)
    }),
}

/** How a call may end. */
function words({ acts, end, awaits, timeoutMs }: Schedule): readonly string[] {
  const isBroken = acts.includes('break')
  const isCancelled = acts.includes('cancel')
  if (isCancelled && !isBroken && timeoutMs === undefined) return ['cancelled']
  const ends = { result: ['"done"'], throw: ['internal'], close: ['internal'], hang: [], deaf: [] }
  // A tool that does not wait for what becomes of an update may fail by itself before.
  const own = isBroken ? ['malformed_result', ...(awaits || end === 'result' ? [] : ends[end])] : ends[end]
  return [...own, ...(isCancelled ? ['cancelled'] : []), ...(timeoutMs === undefined ? [] : ['timeout'])]
}

it.each(Object.entries(styles))(
  'whatever %s does, its call has one outcome, its updates in order, and nothing after it',
  async (_, style) => {
    const unhandled = await unhandledDuring(() =>
      fc.assert(
        fc.asyncProperty(schedule, async (given) => {
          const play = new Play(given)
          const { signal } = play.controller
          const deadline = given.timeoutMs === undefined ? undefined : Date.now() + given.timeoutMs
          const call = await within(heard(style(play, given), { signal, deadline }))
          if (call === 'hangs') throw new Error('the call has no outcome')
          const { outcome, updates, events } = call
          const word = wordOf(outcome)
          expect(words(given)).toContain(word)
          const told = updates.length
          await later(2, undefined)
          expect(updates).toHaveLength(told)
          expect(updates).toEqual(Array.from({ length: told }, (_update, at) => `${at + 1}`))
          expect(told).toBeLessThanOrEqual(play.emitted)
          if (word === '"done"') expect(told).toBe(play.emitted)
          const types = events.map(({ type }) => type)
          expect(types).toEqual(['call_started', ...Array(told).fill('call_updated'), 'call_ended'])
          if (play.begun && given.end !== 'deaf') expect(await within(play.finished)).not.toBe('hangs')
        }),
        { numRuns: 250 },
      ),
    )
    expect(unhandled).toEqual([])
  },
)
