import { EventEmitter, on } from 'node:events'
import { Readable } from 'node:stream'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import {
  provenanced,
  Runtime,
  sinkExecutor,
  type ToolExecutor,
  tool,
  toolset,
} from '../../packages/runtime/src/index.js'
import { later } from '../runs/agents.fixture.js'
import { answering, heard, wordOf } from './streaming.fixture.js'

async function* counting(): AsyncGenerator<number, string> {
  yield 1
  await later(1, undefined)
  yield 2
  return 'done'
}

async function* second(): AsyncGenerator<number, string> {
  yield 2
  return 'done'
}

/** An iterator by hand that ends with `last`. */
function iterator(last: unknown): AsyncIterableIterator<unknown> {
  const steps = [
    { done: false, value: 1 },
    { done: false, value: 2 },
    { done: true, value: last },
  ]
  return {
    next: async () => steps.shift() ?? { done: true, value: undefined },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

class Numbers implements AsyncIterable<number> {
  async *[Symbol.asyncIterator](): AsyncGenerator<number, string> {
    yield 1
    yield 2
    return 'not the result of an iterable'
  }
}

const told: readonly (readonly [string, ToolExecutor])[] = [
  [
    'is an async generator itself',
    {
      async *execute(request) {
        const payload = await request.payload()
        yield 1
        yield 2
        return JSON.stringify(payload) === '{"to":3}' ? 'done' : 'wrong'
      },
    },
  ],
  ['answers with a generator', answering(counting)],
  ['answers with a promise of a generator', answering(async () => counting())],
  [
    'answers with a generator that hands over to another',
    answering(async function* () {
      yield 1
      return second()
    }),
  ],
  ['answers with an iterator that tells its result', answering(() => iterator('done'))],
  [
    'answers with a generator of another realm',
    answering(() => runInNewContext('(async function* () { yield 1; yield 2; return "done" })()')),
  ],
  [
    'yields and emits',
    answering(async function* ({ emit }) {
      await emit(1)
      yield 2
      return 'done'
    }),
  ],
  [
    'emits',
    answering(async ({ emit }) => {
      await emit(1)
      await emit(2)
      return 'done'
    }),
  ],
  [
    'has a sink',
    sinkExecutor((_, sink) => {
      setTimeout(() => {
        sink.emit(1)
        sink.emit(2)
        sink.complete('done')
      })
    }),
  ],
]

const listed: readonly (readonly [string, () => unknown])[] = [
  ['an iterable', () => new Numbers()],
  ['an iterator that tells no result', () => iterator(undefined)],
  ['a readable stream', () => ReadableStream.from([1, 2])],
  ['a readable of Node', () => Readable.from([1, 2])],
]

describe('an executor that', () => {
  it.each(told)('%s reports updates and then its result', async (_, executor) => {
    const { outcome, updates, events } = await heard(executor)
    expect(wordOf(outcome)).toBe('"done"')
    expect(updates).toEqual(['1', '2'])
    expect(events.map(({ type }) => type)).toEqual(['call_started', 'call_updated', 'call_updated', 'call_ended'])
    expect(events.flatMap((event) => (event.type === 'call_updated' ? [[event.index, event.update]] : []))).toEqual([
      [1, '1'],
      [2, '2'],
    ])
  })

  it.each(listed)('a result of %s reports its items and then their array', async (_, answer) => {
    const { outcome, updates } = await heard(answering(answer))
    expect(wordOf(outcome)).toBe('[1,2]')
    expect(updates).toEqual(['1', '2'])
  })

  it('answers at once need be no promise', async () => {
    expect(wordOf((await heard(answering(() => 'done'))).outcome)).toBe('"done"')
  })

  it('streams says of its result where it comes from', async () => {
    const { outcome } = await heard(
      answering(async function* () {
        yield 1
        return provenanced('done', { service: 'numbers-v2' })
      }),
    )
    expect(outcome).toMatchObject({ json: '"done"', provenance: { service: 'numbers-v2', attempts: 1 } })
  })

  it('streams nothing, or forgets its result, answers with what that is', async () => {
    expect(wordOf((await heard(answering(() => ReadableStream.from([])))).outcome)).toBe('[]')
    const forgetful = answering(async function* () {
      yield 1
    })
    expect(wordOf((await heard(forgetful)).outcome)).toBe('malformed_result')
  })
})

describe('a hand-written tool', () => {
  /** The answer of a tool, and its updates. */
  async function called(run: (args: any) => unknown): Promise<readonly unknown[]> {
    const updates: string[] = []
    const own = tool({ name: 'count', description: 'Counts.', parameters: {}, updates: {}, run })
    const outcome = await new Runtime()
      .registerToolset(toolset('local', own))
      .execute({ tool: 'count', arguments: '{"to":2}' }, { onUpdate: (update) => updates.push(update) })
    return [wordOf(outcome), updates]
  }

  it('may be a generator', async () => {
    const run = async function* ({ to }: { to: number }) {
      for (let at = 1; at <= to; at += 1) yield { at }
      return { counted: to }
    }
    expect(await called(run)).toEqual(['{"counted":2}', ['{"at":1}', '{"at":2}']])
  })

  it('that is a generator and returns nothing answers null', async () => {
    const run = async function* () {
      yield 'once'
    }
    expect(await called(run)).toEqual(['null', ['"once"']])
  })

  it('may answer with the events of an emitter', async () => {
    const emitter = new EventEmitter()
    const run = (): unknown => {
      setTimeout(() => {
        emitter.emit('number', 1)
        emitter.emit('number', 2)
        emitter.emit('end')
      })
      return on(emitter, 'number', { close: ['end'] })
    }
    expect(await called(run)).toEqual(['[[1],[2]]', ['[1]', '[2]']])
  })
})
