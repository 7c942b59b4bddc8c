import { describe, expect, it } from 'vitest'
import { sinkExecutor, ToolFailure, type UpdateSink } from '../../packages/runtime/src/index.js'
import { abortedIn, later, unhandledDuring, within } from '../runs/agents.fixture.js'
import { type Heard, heard, silent, wordOf } from './streaming.fixture.js'

/** A call whose sink is used like this. */
const using = (use: (sink: UpdateSink) => void | Promise<void>, signal?: AbortSignal): Promise<Heard> =>
  heard(
    sinkExecutor((_, sink) => use(sink)),
    { signal },
  )

const ends: readonly (readonly [string, (sink: UpdateSink) => void | Promise<void>, string])[] = [
  ['completed', (sink) => void sink.complete('done'), '"done"'],
  ['completed with a promise', (sink) => void sink.complete(later(1, 'done')), '"done"'],
  ['completed with what breaks the result', (sink) => void sink.complete(1), 'malformed_result'],
  ['failed', (sink) => void sink.fail(new ToolFailure('No.', { reason: 'denied' })), 'denied'],
  ['failed with nothing', (sink) => void sink.fail(undefined), 'internal'],
  ['closed', (sink) => sink.close(), 'internal'],
  [
    'failed by what its function throws',
    () => {
      throw Object.assign(new Error('secret'), { status: 503 })
    },
    'unavailable',
  ],
  ['failed by what its function rejects with', () => Promise.reject(new Error('secret')), 'internal'],
  ['left open by a function that is done', async () => undefined, 'internal'],
  ['told an update that breaks its schema', (sink) => void sink.emit('one'), 'malformed_result'],
]

describe('a sink', () => {
  it.each(ends)('that is %s ends its call', async (_, use, word) => {
    const { outcome, events } = await using(use)
    expect(wordOf(outcome)).toBe(word)
    expect(JSON.stringify(outcome)).not.toContain('secret')
    expect(events.map(({ type }) => type)).toEqual(['call_started', 'call_ended'])
  })

  it('counts the first end, and says of the others that they do not count', async () => {
    const counted: unknown[] = []
    const { outcome, updates } = await using((sink) => {
      sink.emit(1)
      counted.push(sink.complete('first'), sink.complete('second'), sink.fail(new Error('third')), sink.close())
      sink.emit(2)
      throw new Error('fourth')
    })
    expect(wordOf(outcome)).toBe('"first"')
    expect(counted).toEqual([true, false, false, undefined])
    expect(updates).toEqual(['1'])
  })

  it('counts one of two ends that race', async () => {
    for (let round = 0; round < 50; round += 1) {
      const counted: boolean[] = []
      const { outcome } = await using((sink) => {
        Promise.resolve().then(() => counted.push(sink.complete('done')))
        queueMicrotask(() => counted.push(sink.fail(new ToolFailure('No.'))))
      })
      expect(counted).toEqual([true, false])
      expect(wordOf(outcome)).toBe('"done"')
    }
  })

  it('says why it had no end', async () => {
    const { outcome } = await using((sink) => sink.close())
    expect(outcome).toMatchObject({
      hint: { message: expect.stringContaining("'numbers.count' ended without a result") },
    })
  })

  it('is open until its call is aborted, then rejects updates and is notified', async () => {
    const after: unknown[] = []
    let heardOf = 0
    const call = using((sink) => {
      sink.emit(1)
      sink.signal.addEventListener('abort', () => {
        heardOf += 1
        after.push(sink.complete('late'), sink.fail(new Error('late')))
        after.push(sink.emit(2).catch((error: ToolFailure) => error.reason))
      })
    }, abortedIn(5))
    const { outcome, updates } = await call
    expect([wordOf(outcome), updates, heardOf]).toEqual(['cancelled', ['1'], 1])
    expect(await Promise.all(after)).toEqual([false, false, 'cancelled'])
  })

  it('can be used long after the end: nothing is reported, and no rejection is unhandled', async () => {
    const sinks: UpdateSink[] = []
    const call = await using((sink) => {
      sinks.push(sink)
      sink.complete('done')
    })
    const unhandled = await unhandledDuring(async () => {
      for (const { emit, complete, fail, close } of sinks) {
        expect([complete('again'), fail(new Error('again'))]).toEqual([false, false])
        close()
        emit(1)
        emit('broken')
      }
      await later(1, undefined)
    })
    expect(unhandled).toEqual([])
    expect(call.updates).toEqual([])
    expect(call.events).toHaveLength(2)
  })

  it('of a tool that does not stream takes no updates', async () => {
    const executor = sinkExecutor((_, sink) => {
      sink.emit(1)
    })
    const call = await within(heard(executor, {}, silent))
    expect(call).toMatchObject({ outcome: { hint: { reason: 'internal' } }, updates: [] })
  })
})
