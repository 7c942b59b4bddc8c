import { afterEach, describe, expect, it } from 'vitest'
import { answer, callTools } from '../../packages/runtime/src/agents.js'
import { Runtime, sinkExecutor, type ToolExecutor } from '../../packages/runtime/src/index.js'
import { inMemoryCaller, type SdkCaller, serveMcp } from '../../packages/runtime/src/mcp.js'
import type { McpProgress } from '../../packages/runtime/src/types/mcp.js'
import { later, script } from '../runs/agents.fixture.js'
import { answering, count, registered } from './streaming.fixture.js'

const callers: SdkCaller[] = []
afterEach(async () => {
  for (const caller of callers.splice(0)) await caller.close()
})

const styles: readonly (readonly [string, ToolExecutor])[] = [
  [
    'a generator',
    answering(async function* () {
      yield 1
      yield 2
      return 'done'
    }),
  ],
  ['a stream', answering(() => ReadableStream.from([1, 2]))],
  [
    'a sink',
    sinkExecutor((_, sink) => {
      sink.emit(1)
      sink.emit(2)
      sink.complete('done')
    }),
  ],
  [
    'an executor that emits',
    answering(async ({ emit }) => {
      await emit(1)
      await emit(2)
      return 'done'
    }),
  ],
]

const counter = (executor: ToolExecutor) =>
  new Runtime().registerAgent({ name: 'counter', description: 'Counts.' }, [registered(executor)], {
    planner: script(callTools(count.call({ to: 2 })), answer('done')),
  })

describe('the updates of', () => {
  it.each(styles)('%s are events of the run whose call it is', async (_, executor) => {
    const run = await counter(executor).run('count')
    const ofCall = run.events.filter(({ type }) => type.startsWith('call_'))
    expect(ofCall).toMatchObject([
      { type: 'call_started', agent: 'counter' },
      { type: 'call_updated', index: 1, update: '1', call: { tool: 'numbers.count' } },
      { type: 'call_updated', index: 2, update: '2', call: { tool: 'numbers.count' } },
      { type: 'call_ended', outcome: { status: 'completed' } },
    ])
  })

  it.each(styles)('%s are the progress of whoever calls over MCP', async (_, executor) => {
    const caller = inMemoryCaller({
      connect: (transport) => serveMcp(new Runtime(), { toolsets: [registered(executor)], transport }),
    })
    callers.push(caller)
    const told: McpProgress[] = []
    const { signal } = new AbortController()
    const call = { name: 'numbers_count', arguments: {} }
    await caller.callTool(call, { signal, onProgress: (progress) => told.push(progress) })
    expect(told).toEqual([
      { progress: 1, message: '1' },
      { progress: 2, message: '2' },
    ])
  })
})

/** Resolves when a number that grows has stayed the same for a while. */
async function steady(count: () => number): Promise<void> {
  for (let same = 0, last = -1; same < 5; ) {
    await later(5, undefined)
    same = count() > 0 && count() === last ? same + 1 : 0
    last = count()
  }
}

it('a generator is not asked for more than whoever follows its run has read', async () => {
  let yielded = 0
  const executor = answering(async function* () {
    for (yielded = 0; yielded < 500; yielded += 1) yield yielded
    return 'done'
  })
  const run = counter(executor).run('count')
  const events = run[Symbol.asyncIterator]()
  await events.next()
  await steady(() => yielded)
  expect(yielded).toBeGreaterThan(50)
  expect(yielded).toBeLessThan(150)
  for (let read = 0; read < 200; read += 1) await events.next()
  await steady(() => yielded)
  expect(yielded).toBeGreaterThan(200)
  expect(yielded).toBeLessThan(350)
  expect((await run).status).toBe('completed')
  expect(yielded).toBe(500)
})
