import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { callTools, type RunLayer, type StepLayer } from '../../packages/runtime/src/agents.js'
import { type BoundAgent, type RunEvent, Runtime } from '../../packages/runtime/src/index.js'
import { agentOf, callOf, later, never, order, unhandledDuring, within } from './agents.fixture.js'

type Wrap = (next: (request: never) => Promise<never>) => (request: never) => Promise<never>

const layers: Readonly<Record<string, Wrap>> = {
  passes: (next) => (request) => next(request),
  throws: () => async () => Promise.reject(new Error('layer')),
  throwsAfter: (next) => async (request) => {
    await next(request)
    throw new Error('layer')
  },
  throwsMeanwhile: (next) => async (request) => {
    void next(request).catch(() => undefined)
    await later(2, undefined)
    throw new Error('layer')
  },
  late: (next) => async (request) => {
    void later(4, undefined).then(() => next(request).catch(() => undefined))
    throw new Error('layer')
  },
  twice: (next) => async (request) => {
    await next(request)
    return next(request)
  },
  nothing: () => async () => undefined as never,
}

const scene = fc.record({
  step: fc.array(fc.constantFrom(...Object.keys(layers)), { maxLength: 2 }),
  run: fc.array(fc.constantFrom(...Object.keys(layers)), { maxLength: 2 }),
  calls: fc.array(fc.constantFrom('quick', 'slow', 'never', 'fails'), { minLength: 1, maxLength: 3 }),
  end: fc.constantFrom('abort', 'close', 'budget'),
  endMs: fc.integer({ min: 0, max: 8 }),
})
type Scene = typeof scene extends fc.Arbitrary<infer Value> ? Value : never

function agentFor({ step, run, calls, end, endMs }: Scene, runtime: Runtime): BoundAgent {
  const execute = async (request: { payload(): Promise<unknown> }): Promise<unknown> => {
    const how = JSON.stringify(await request.payload())
    if (how.includes('never')) return never()
    if (how.includes('fails')) throw new Error('broken')
    return how.includes('slow') ? later(3, order) : order
  }
  const bare = agentOf(execute, {
    runtime,
    policy: { maxTurns: 6, ...(end === 'budget' && { timeBudgetMs: endMs }) },
    planner: () => callTools(...calls.map((how) => callOf(how))),
  })
  const stepped = step.reduce((agent, name) => agent.stepLayer(layers[name] as unknown as StepLayer), bare)
  return run.reduce((agent, name) => agent.runLayer(layers[name] as unknown as RunLayer), stepped)
}

async function play(played: Scene): Promise<readonly RunEvent[]> {
  const runtime = new Runtime()
  const controller = new AbortController()
  const events: RunEvent[] = []
  const onEvent = (event: RunEvent): void => void events.push(event)
  const run = agentFor(played, runtime).run('?', { signal: controller.signal, onEvent })
  await later(played.endMs, undefined)
  if (played.end === 'abort') controller.abort()
  if (played.end === 'close') await runtime.close({ drainMs: 1 })
  const ended = await within(run)
  if (ended === 'hangs') throw new Error('the run hangs')
  const atEnd = events.length
  await later(6, undefined)
  expect(events.slice(atEnd)).toEqual([])
  return events
}

describe('whatever layers around steps and runs do, and however a run is ended', () => {
  it('it ends once, after each of its calls has ended once', async () => {
    const unhandled = await unhandledDuring(() =>
      fc.assert(
        fc.asyncProperty(scene, async (each) => {
          const events = await play(each)
          const ids = (type: 'call_started' | 'call_ended'): readonly string[] =>
            events.flatMap((event) => (event.type === type ? [event.call.toolCallId] : [])).sort()
          expect(ids('call_ended')).toEqual(ids('call_started'))
          expect(new Set(ids('call_started')).size).toBe(ids('call_started').length)
          expect(events.filter(({ type }) => type === 'run_ended')).toHaveLength(1)
          expect(events.at(-1)?.type).toBe('run_ended')
          expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
        }),
        { numRuns: 120 },
      ),
    )
    expect(unhandled).toEqual([])
  })
})
