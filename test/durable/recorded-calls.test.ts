import { Runtime, ToolFailure, type ToolLayer, tool, toolset } from '@toolgen/runtime'
import { answer, base, callTools, type Planner, type RunPolicy, usePlanner, useTools } from '@toolgen/runtime/agents'
import { quickJsSandbox, typescriptChecker, useCodeMode } from '@toolgen/runtime/code-mode'
import { type DurableAgentsOptions, type DurableResult, durableAgents } from '@toolgen/runtime/durable'
import { type CrashPoint, memoryEngine } from '@toolgen/runtime/testing'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { eventsOf } from './engine-suite.js'
import { scriptedAgents } from './scripted-agents.mjs'

const checker = typescriptChecker()
const sandbox = quickJsSandbox()
afterAll(() => Promise.all([checker.close(), sandbox.close()]))

type Crash = (point: CrashPoint) => boolean

/** Crashes a run once, at the first point that matches. */
function once(matches: Crash): Crash {
  let hasCrashed = false
  return (point) => {
    if (hasCrashed || !matches(point)) return false
    hasCrashed = true
    return true
  }
}

interface ProgramSetting extends Pick<DurableAgentsOptions, 'unknownOutcome'> {
  readonly policy?: RunPolicy
  readonly layer?: ToolLayer
  readonly crash?: Crash
}

/** Executes a run that makes one program with three calls, then three calls of its own. */
async function runProgram(setting: ProgramSetting): Promise<DurableResult & { readonly keys: readonly string[] }> {
  const { policy = {}, layer = (next) => next, unknownOutcome = 'fail', crash = () => false } = setting
  const keys: string[] = []
  const count = tool({
    name: 'count',
    description: 'Counts.',
    parameters: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
    run: ({ number }, { meta }) => {
      keys.push(meta.idempotencyKey)
      return number
    },
  })
  const code = `return [await things.count({ number: 1 }), ...await Promise.all([2, 3].map((number) => things.count({ number })))]`
  const program = { tool: 'run_program', toolCallId: 'p', arguments: JSON.stringify({ code }) }
  const plain = (number: number) => ({ tool: 'count', toolCallId: `c${number}`, arguments: JSON.stringify({ number }) })
  const planner: Planner = ({ turn }) => {
    if (turn === 1) return { ...callTools(program), usage: { promptTokens: 10, completionTokens: 5 } }
    return turn === 2 ? callTools(plain(4), plain(5), plain(6)) : answer('Done.')
  }
  const agent = base()
    .with(usePlanner(planner))
    .with(useTools(toolset('things', count).layer(layer)))
    .with(useCodeMode({ checker, sandbox, keep: ['count'] }))
    .build()
  const bound = new Runtime().registerAgent({ name: 'desk', description: 'Counts.' }, [], { agent, policy })
  const engine = memoryEngine(durableAgents({ agents: { desk: bound }, unknownOutcome }), { crash })
  await engine.start('desk', 'Count.', { runId: 'r' })
  return { ...(await engine.result('r')), keys }
}

const afterProgram: Crash = ({ step, when }) => step === 'program.run_program (p)' && when === 'after'

function withoutTimes(value: unknown): unknown {
  const omitted = new Set(['at', 'durationMs', 'elapsedMs', 'endedAt'])
  return JSON.parse(JSON.stringify(value, (key, each) => (omitted.has(key) ? undefined : each)))
}

describe('the calls of a program in a durable run', () => {
  it('count against the limits of the run after a crash too', async () => {
    const policy = { maxToolCalls: 5 }
    const undisturbed = await runProgram({ policy })
    expect(undisturbed).toMatchObject({
      status: 'stopped',
      stop: { reason: 'max_tool_calls' },
      usage: { toolCalls: 5 },
    })
    const seen = await runProgram({ policy, crash: once(afterProgram) })
    expect(withoutTimes(seen)).toEqual(withoutTimes(undisturbed))
  })

  it('end the run with a final value after a crash too', async () => {
    const layer: ToolLayer = (next) => async (request) => {
      const outcome = await next(request)
      const isLast = outcome.status === 'completed' && outcome.json === '3'
      return isLast ? { ...outcome, stop: { reason: 'final', value: 'three' } } : outcome
    }
    const undisturbed = await runProgram({ layer })
    expect(undisturbed).toMatchObject({ status: 'completed', stop: { reason: 'final' }, result: { value: 'three' } })
    const seen = await runProgram({ layer, crash: once(afterProgram) })
    expect(withoutTimes(seen)).toEqual(withoutTimes(undisturbed))
  })

  it('have the same idempotency keys if the program is repeated', async () => {
    const crash = once(({ step, when }) => step === 'program.run_program (p)' && when === 'during')
    const { keys, status } = await runProgram({ crash, unknownOutcome: 'repeat' })
    expect(status).toBe('completed')
    const ofProgram = keys.slice(0, -3)
    expect(ofProgram).toHaveLength(6)
    expect(new Set(ofProgram)).toEqual(new Set(['r/p.1', 'r/p.2', 'r/p.3']))
  })
})

/** Runs a script undisturbed, and then once for each point at which its outermost run can crash. Compares the results and events. */
async function expectSameEverywhere(
  script: string,
  setting: () => Omit<Parameters<typeof scriptedAgents>[0], 'effect'>,
): Promise<void> {
  const seen = async (crash: Crash): Promise<unknown> => {
    const agents = scriptedAgents({ effect: () => undefined, ...setting() })
    const engine = memoryEngine(agents, { crash })
    const { runId } = await engine.start('support', script, { runId: 'r' })
    const result = await engine.result(runId)
    const events = await eventsOf(engine, runId)
    // Calls that run at the same time may end in any order.
    const sorted = events.map((event) => JSON.stringify(withoutTimes({ ...event, sequence: 0 }))).sort()
    return { result: withoutTimes(result), sorted }
  }
  const points: CrashPoint[] = []
  const undisturbed = await seen((point) => {
    points.push(point)
    return false
  })
  const own = points.filter(({ runId }) => runId === 'r')
  expect(own.length).toBeGreaterThan(15)
  for (const { step, when } of own) {
    const crash = once((point) => point.runId === 'r' && point.step === step && point.when === when)
    expect(await seen(crash), `${step} ${when}`).toEqual(undisturbed)
  }
}

describe('a call of another agent in a durable run', () => {
  it('has the same result and events wherever the run crashes, although layers around it wait', async () => {
    const aroundResearch: ToolLayer = (next) => async (request) => {
      await new Promise((resolve) => setTimeout(resolve, 3))
      const outcome = await next(request)
      await new Promise((resolve) => setTimeout(resolve, 3))
      return outcome
    }
    await expectSameEverywhere('investigate get A, cancel B; get C; pay D | get E', () => ({ aroundResearch }))
  })

  it('runs the other agent again if a layer makes another attempt, wherever the run crashes', async () => {
    const aroundResearch: ToolLayer = (next) => async (request) => {
      const first = await next(request)
      return first.status === 'failed' ? next(request.again()) : first
    }
    await expectSameEverywhere('investigate busy A; get B | pay C', () => {
      let isBusy = true
      const deployed = (script: string): string => {
        const fails = isBusy && script.startsWith('busy')
        if (fails) isBusy = false
        if (fails) throw new ToolFailure('Busy.', { reason: 'unavailable' })
        return script.replace('busy', 'get')
      }
      return { aroundResearch, deployed }
    })
  })

  it('tells how long to wait if the other agent failed because of a rate limit', async () => {
    const waits: number[] = []
    const aroundResearch: ToolLayer = (next) => async (request) => {
      const outcome = await next(request)
      if (outcome.status === 'failed' && 'retryAfterMs' in outcome.hint) waits.push(outcome.hint.retryAfterMs ?? 0)
      return outcome
    }
    const deployed = (script: string): string => {
      if (script.startsWith('busy')) throw new ToolFailure('Busy.', { reason: 'rate_limited', retryAfterMs: 1_500 })
      return script
    }
    const engine = memoryEngine(scriptedAgents({ effect: () => undefined, aroundResearch, deployed }))
    const { runId } = await engine.start('support', 'investigate busy A')
    expect(await engine.result(runId)).toMatchObject({ result: { text: 'rate_limited' } })
    expect(waits).toEqual([1_500])
  })
})

it('publishes the start of a call at the same position in each attempt, although its adapter waits', async () => {
  const parameters = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const
  const greet = tool({
    name: 'greet',
    description: 'Greets.',
    parameters,
    callHint: 'Greets {{name}}.',
    run: ({ name }) => `Hello, ${name}`,
  })
  let adapted: () => void = () => undefined
  const isAdapted = new Promise<void>((resolve) => {
    adapted = resolve
  })
  const wait = tool({ name: 'wait', description: 'Waits.', parameters: {}, run: () => isAdapted })
  const adapter = async (json: string): Promise<string> => {
    await new Promise((resolve) => setImmediate(resolve))
    adapted()
    return json
  }
  const adaptedTools = { ...toolset('people', greet), payloadAdapter: adapter }
  const planner: Planner = ({ turn }) =>
    turn === 1
      ? callTools(
          { tool: 'greet', toolCallId: 'a', arguments: '{"name":"Ada"}' },
          { tool: 'wait', toolCallId: 'b', arguments: '{}' },
        )
      : answer('Done.')
  const tools = [adaptedTools, toolset('clock', wait)]
  const desk = new Runtime().registerAgent({ name: 'desk', description: 'Greets.' }, tools, { planner })
  const crash = once(({ step, when }) => step === 'decision 2' && when === 'before')
  const engine = memoryEngine(durableAgents({ agents: { desk } }), { crash })
  const { runId } = await engine.start('desk', 'Greet.')
  await engine.result(runId)
  const events = await eventsOf(engine, runId)
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
  expect(events.flatMap((event) => (event.type === 'call_started' ? [event.call.toolCallId] : []))).toEqual(['a', 'b'])
})

it('repeats a call with an unknown outcome once, although a layer waits for a long time', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const effects: string[] = []
  const act = tool({
    name: 'act',
    description: 'Acts.',
    parameters: {},
    run: () => {
      effects.push('act')
      return 'done'
    },
  })
  const waiting: ToolLayer = (next) => async (request) => {
    await request.sleep(60_000)
    return next(request)
  }
  const planner: Planner = ({ turn }) =>
    turn === 1 ? callTools({ tool: 'act', arguments: '{}', toolCallId: 'a' }) : answer('Done.')
  const registration = toolset('things', act).layer(waiting)
  const desk = new Runtime().registerAgent({ name: 'desk', description: 'Acts.' }, [registration], { planner })
  const crash = once(({ step, when }) => step === 'things.act (a)' && when === 'before')
  const engine = memoryEngine(durableAgents({ agents: { desk }, unknownOutcome: 'repeat' }), { crash })
  const { runId } = await engine.start('desk', 'Act.')
  await expect.poll(() => vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await engine.result(runId)).toMatchObject({ status: 'completed' })
  await vi.advanceTimersByTimeAsync(600_000)
  expect(effects).toEqual(['act'])
})

it('reads the kept result of its own call, although another run of the session used the same id', async () => {
  const list = tool({
    name: 'list',
    description: 'Lists.',
    parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    run: ({ name }) => Array.from({ length: 50 }, (_, index) => `${name} ${index}`),
  })
  const planner: Planner = ({ turn, outcomes, messages }) => {
    const name = String(messages[0]?.content)
    const arguments_ = JSON.stringify({ name })
    if (turn === 1) return callTools({ tool: 'list', arguments: arguments_, toolCallId: 'same' })
    const [first, second] = outcomes
    if (first?.status !== 'completed') return answer('failed')
    const [more] = (JSON.parse(first.json) as { more: readonly { arguments: object }[] }).more
    if (turn === 2) {
      return callTools({ tool: 'read_result', arguments: JSON.stringify({ ...more?.arguments, limit: 1 }) })
    }
    return answer(second?.status === 'completed' ? second.json : 'failed')
  }
  const desk = new Runtime().registerAgent(
    { name: 'desk', description: 'Lists.', maxResult: { items: 2 } },
    [toolset('things', list)],
    { planner },
  )
  const crash = once(({ runId, step, when }) => runId === 'two' && step === 'decision 2' && when === 'after')
  const engine = memoryEngine(durableAgents({ agents: { desk } }), { crash })
  for (const runId of ['one', 'two']) {
    await engine.start('desk', runId, { runId, sessionId: 's' })
    const { result, outcomes } = await engine.result(runId)
    expect(result?.text).toContain(`"${runId} 2"`)
    expect(outcomes[0]?.provenance.cut?.id).toBe(`${runId}/same`)
  }
})
