import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { registrationOf, toolOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { type AgentRun, answer, callTools } from '../../packages/runtime/src/agents.js'
import { validateHistory } from '../../packages/runtime/src/chat.js'
import {
  type ExecutorRequest,
  type RunEvent,
  Runtime,
  retry,
  ToolFailure,
  type ToolLayer,
  type ToolOutcome,
  timeout,
} from '../../packages/runtime/src/index.js'
import { later, never, order, unhandledDuring, within } from './agents.fixture.js'

const executors: Readonly<Record<string, (request: ExecutorRequest) => unknown>> = {
  answers: () => order,
  answersLate: () => later(3, order),
  answersNothing: () => undefined,
  answersWrong: () => ({ id: 1 }),
  throws: () => {
    throw new Error('broken')
  },
  busy: () => {
    throw new ToolFailure('busy', { reason: 'unavailable', action: 'wait', retryAfterMs: 1 })
  },
  neverSettles: never,
  emits: async ({ emit }) => {
    await emit(1)
    return order
  },
  emitsWrong: async ({ emit }) => {
    await emit('wrong').catch(() => undefined)
    return order
  },
}

const layers: Readonly<Record<string, ToolLayer>> = {
  passes: (next) => (request) => next(request),
  timesOut: timeout(4),
  retries: retry({ delayMs: () => 1 }),
  throws: () => async () => Promise.reject(new Error('layer')),
  throwsAfter: (next) => async (request) => {
    await next(request)
    throw new Error('layer')
  },
  twice: (next) => async (request) => {
    await next(request)
    return next(request)
  },
  both: (next) => async (request) => (await Promise.all([next(request), next(request)]))[1],
  nothing: (() => async () => undefined) as never,
  half: (() => async () => ({ status: 'completed' })) as never,
  completes: () => (request) => request.complete(order),
  completesWrong: () => (request) => request.complete(1),
  suspends: () => async (request) => request.suspend('external'),
  stops: (next) => async (request) => ({ ...(await next(request)), stop: { reason: 'final', value: 1 } }),
  otherArguments: (next) => (request) => next(request.withArguments('{}')),
  lets: (next) => async (request) => {
    void later(2, undefined).then(() => next(request))
    return request.fail(new Error('early'))
  },
}

const scene = fc.record({
  calls: fc.array(fc.constantFrom(...Object.keys(executors), 'unknown', 'malformed'), { minLength: 1, maxLength: 5 }),
  tool: fc.array(fc.constantFrom(...Object.keys(layers)), { maxLength: 2 }),
  agent: fc.array(fc.constantFrom(...Object.keys(layers)), { maxLength: 2 }),
  onFailure: fc.constantFrom('join_all' as const, 'fail_fast' as const),
  parallelism: fc.integer({ min: 1, max: 5 }),
  abortMs: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined }),
  oneByOne: fc.boolean(),
  inRun: fc.boolean(),
})
type Scene = typeof scene extends fc.Arbitrary<infer Value> ? Value : never

function layerNamed(name: string): ToolLayer {
  const layer = layers[name]
  if (layer === undefined) throw new Error(`there is no layer ${name}`)
  return layer
}

/** Every tool is named after its executor. */
function agentFor({ tool: ofTool, agent: ofAgent, calls, oneByOne, onFailure, parallelism }: Scene) {
  const registrations = Object.entries(executors).map(([name, execute]) => {
    const streams = name.startsWith('emits') ? { updates: { type: 'integer' } } : {}
    const registration = registrationOf(toolOf(`${name}.run`, { spec: streams }), execute)
    return ofTool.reduce((wrapped, layer) => wrapped.layer(layerNamed(layer)), registration)
  })
  const asked = callsOf(calls)
  const agent = new Runtime().registerAgent({ name: 'support', description: '' }, registrations, {
    policy: { onFailure, parallelism, toolTimeoutMs: 15 },
    planner: ({ turn }) => {
      const now = oneByOne ? asked.slice(turn - 1, turn) : turn === 1 ? asked : []
      return now.length === 0 ? answer('done') : callTools(...now)
    },
  })
  return ofAgent.reduce((wrapped, layer) => wrapped.layer(layerNamed(layer)), agent)
}

function callsOf(names: readonly string[]) {
  return names.map((name, index) => ({
    tool: name === 'malformed' ? 'answers.run' : `${name}.run`,
    arguments: name === 'malformed' ? '{"orderId":' : '{"orderId":"A"}',
    toolCallId: `call-${index}`,
  }))
}

async function play(
  played: Scene,
): Promise<{ outcomes: readonly ToolOutcome[]; events: readonly RunEvent[]; run?: AgentRun }> {
  const agent = agentFor(played)
  const events: RunEvent[] = []
  const signal = played.abortMs === undefined ? undefined : AbortSignal.timeout(played.abortMs)
  const options = { signal, onEvent: (event: RunEvent) => void events.push(event) }
  if (played.inRun) {
    const run = await within(agent.run('?', options))
    if (run === 'hangs') throw new Error('the run hangs')
    return { outcomes: run.outcomes, events, run }
  }
  const deadline = Date.now() + 15
  const calls = callsOf(played.calls).map((call) => agent.execute(call, { ...options, deadline }))
  const outcomes = await within(Promise.all(calls))
  if (outcomes === 'hangs') throw new Error('a call hangs')
  return { outcomes, events }
}

function idsOf(events: readonly RunEvent[], type: 'call_started' | 'call_ended'): readonly string[] {
  return events.flatMap((event) => (event.type === type ? [event.call.toolCallId] : []))
}

describe('whatever layers, executors and callers do', () => {
  it('every call that began has one outcome and one pair of events', async () => {
    let plays = 0
    const unhandled = await unhandledDuring(() =>
      fc.assert(
        fc.asyncProperty(scene, async (each) => {
          plays += 1
          const { outcomes, events, run } = await play(each)
          const started = idsOf(events, 'call_started')
          const ended = idsOf(events, 'call_ended')
          expect(new Set(started).size).toBe(started.length)
          expect([...ended].sort()).toEqual([...started].sort())
          const ids = outcomes.map(({ call }) => call.toolCallId)
          expect(ids).toEqual(
            callsOf(each.calls)
              .map(({ toolCallId }) => toolCallId)
              .slice(0, ids.length),
          )
          expect(new Set(started)).toEqual(new Set(ids))
          for (const event of events) {
            if (event.type !== 'call_ended') continue
            expect(event.outcome).toBe(outcomes.find(({ call }) => call.toolCallId === event.call.toolCallId))
          }
          if (run === undefined) return
          const answered = run.messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []))
          const suspended = run.status === 'suspended' ? outcomes.filter(({ status }) => status === 'suspended') : []
          const waiting = suspended.map(({ call }) => call.toolCallId)
          expect([...answered, ...waiting].sort()).toEqual([...ids].sort())
          expect(validateHistory(run.messages, { pending: waiting })).toEqual([])
          expect(events.at(-1)?.type).toBe('run_ended')
          expect(events).toEqual(run.events)
        }),
        { numRuns: 400 },
      ),
    )
    expect(unhandled).toEqual([])
    expect(plays).toBeGreaterThanOrEqual(400)
  })
})
