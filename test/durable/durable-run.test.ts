import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type RunEvent, Runtime, type ToolLayer, tool, toolset } from '@toolgen/runtime'
import { answer, callTools, type Decision, eventStreamResponse, type Planner } from '@toolgen/runtime/agents'
import {
  payloadCodec,
  resultCodec,
  specsOf,
  toolDescriptors,
  toolSpec,
  toolsetRegistration,
  toolsOf,
} from '@toolgen/runtime/codegen/v1'
import {
  type DurableAgents,
  type DurableInput,
  type DurableInvocation,
  type DurableResult,
  durableAgents,
  durableInput,
  runInvocation,
} from '@toolgen/runtime/durable'
import { restateClient } from '@toolgen/runtime/restate'
import { memoryEngine } from '@toolgen/runtime/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { eventsOf, suspended } from './engine-suite.js'
import { type ScriptedAgentsSetting, scriptedAgents } from './scripted-agents.mjs'

/** Operations that an {@link OnlyAttempt} executes differently. */
type Changes = Partial<Pick<DurableInvocation, 'step' | 'sleep' | 'answer' | 'invoke'>>

/** The only attempt of an invocation. Ends waits at once, and executes nested runs in the same way. */
class OnlyAttempt implements DurableInvocation {
  readonly attempt = 'attempt 1'
  readonly controller = new AbortController()
  readonly signal = this.controller.signal
  readonly events: RunEvent[] = []
  readonly records: Record<string, any>[] = []
  readonly waits: number[] = []
  /** Ids of the nested invocations. */
  readonly nested: string[] = []

  readonly id: string
  readonly #agents: DurableAgents
  readonly #changes: Changes

  constructor(agents: DurableAgents, changes: Changes = {}, id = 'r') {
    this.#agents = agents
    this.#changes = changes
    this.id = id
  }

  async run(input: DurableInput): Promise<DurableResult> {
    return (await runInvocation(this, this.#agents, input)) as DurableResult
  }

  async step(name: string, work: () => Promise<any>): Promise<any> {
    const record = await (this.#changes.step?.(name, work) ?? work())
    this.records.push(record)
    return record
  }

  async sleep(milliseconds: number): Promise<void> {
    this.waits.push(milliseconds)
    await this.#changes.sleep?.(milliseconds)
  }

  async answer(suspension: Parameters<DurableInvocation['answer']>[0]): ReturnType<DurableInvocation['answer']> {
    return this.#changes.answer?.(suspension)
  }

  async invoke(agent: string, id: string, input: DurableInput): Promise<DurableResult> {
    this.nested.push(id)
    return this.#changes.invoke?.(agent, id, input) ?? new OnlyAttempt(this.#agents, {}, id).run(input)
  }

  cancel(): void {}

  tell(): void {}

  publish(_position: number, events: readonly RunEvent[]): void {
    this.events.push(...events)
  }
}

function agentsOf(setting: Partial<ScriptedAgentsSetting> = {}): DurableAgents {
  return scriptedAgents({ effect: () => undefined, ...setting })
}

function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
}

/** Returns agents with one agent `desk` and one tool `act`, which the agent calls once. */
function deskAgents({
  layer = (next) => next,
  run = () => 'done',
}: {
  layer?: ToolLayer
  run?: () => unknown
}): DurableAgents {
  const act = tool({ name: 'act', description: 'Acts.', parameters: {}, run })
  const planner: Planner = ({ turn }) =>
    turn === 1 ? callTools({ tool: 'act', arguments: '{}', toolCallId: 'a' }) : answer('Done.')
  const registration = toolset('things', act).layer(layer)
  const desk = new Runtime().registerAgent({ name: 'desk', description: 'Acts.' }, [registration], { planner })
  return durableAgents({ agents: { desk } })
}

describe('data of a newer version of the package', () => {
  const fix = 'Update the package in this process.'

  it('is reported for the input of a run', async () => {
    const input = { ...durableInput('support', 'get A'), version: 2 as 1 }
    await expect(new OnlyAttempt(agentsOf()).run(input)).rejects.toMatchObject({
      name: 'DurableError',
      code: 'newer_version',
      runId: 'r',
      message: `The run 'r' was started by a newer version of this package (format 2). ${fix}`,
    })
  })

  it.each(['start', 'decision 1', 'orders.get (call_1_1)'])(
    'is reported for the record of the step %s',
    async (step) => {
      const attempt = new OnlyAttempt(agentsOf(), {
        step: async (name, work) => {
          const record = (await work()) as object
          return name === step ? { ...record, version: 2 } : (record as any)
        },
      })
      await expect(attempt.run(durableInput('support', 'get A | get B'))).rejects.toMatchObject({
        code: 'newer_version',
        runId: 'r',
        message: `The journal of run 'r' has version 2, but this process supports version 1. ${fix}`,
      })
    },
  )

  it('is reported for the result of a nested run', async () => {
    const agents = agentsOf()
    const attempt = new OnlyAttempt(agents, {
      invoke: async (_agent, id, input) => ({ ...(await new OnlyAttempt(agents, {}, id).run(input)), version: 2 as 1 }),
    })
    await expect(attempt.run(durableInput('support', 'investigate get A | get B'))).rejects.toMatchObject({
      code: 'newer_version',
      runId: 'r',
      message: `The result of the nested run 'r/call_1_1' has version 2, but this process supports version 1. ${fix}`,
    })
  })
})

describe('a client of Restate reports data of a newer version of the package', () => {
  /** Serves the responses of a Restate server: the result of the run, and its state in the tables of the server. */
  async function serve(output: { readonly status: number; readonly body: unknown }, state: unknown): Promise<string> {
    const server = createServer(({ url }, response) => {
      const isQuery = url === '/query'
      response.writeHead(isQuery ? 200 : output.status)
      response.end(JSON.stringify(isQuery ? { rows: [{ value_utf8: JSON.stringify(state) }] } : output.body))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  it.each<[string, { readonly status: number; readonly body: unknown }, unknown]>([
    ['result', { status: 200, body: { value: { version: 2 } } }, undefined],
    ['state', { status: 470, body: {} }, { version: 2, invocation: 'inv_1' }],
  ])('as the %s of a run', async (part, output, state) => {
    const url = await serve(output, state)
    const runs = restateClient({ url, adminUrl: url })
    const message = `The ${part} of the run 'r' has version 2, but this process supports version 1. Update the package in this process.`
    const expected = { name: 'DurableError', code: 'newer_version', runId: 'r', message }
    await expect(runs.status('r')).rejects.toMatchObject(expected)
    await expect(runs.result('r')).rejects.toMatchObject(expected)
  })
})

describe('a Restate server of which only the admin API works', () => {
  /** Serves the admin API of a Restate server with a running run. Other requests receive this status. */
  async function serve(status: (path: string) => number): Promise<{ readonly url: string; readonly paths: string[] }> {
    const paths: string[] = []
    const server = createServer(({ url = '' }, response) => {
      paths.push(url)
      if (url === '/query') response.end(JSON.stringify({ rows: [] }))
      else response.writeHead(status(url), { 'x-restate-error-source': 'ingress' }).end('{}')
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths }
  }

  it('is unreachable for clients that wait for a result', async () => {
    const { url } = await serve(() => 503)
    const gone = createServer()
    await once(gone.listen(0, '127.0.0.1'), 'listening')
    const { port } = gone.address() as AddressInfo
    await once(gone.close(), 'close')
    for (const ingress of [url, `http://127.0.0.1:${port}`]) {
      const runs = restateClient({ url: ingress, adminUrl: url, timeoutMs: 500 })
      await expect(runs.result('r')).rejects.toMatchObject({ name: 'DurableError', code: 'engine_unreachable' })
    }
  })

  it('is requested only with pauses for the events of a run', async () => {
    const { url, paths } = await serve((path) => (path.endsWith('/events') ? 409 : 470))
    const events = restateClient({ url, adminUrl: url }).subscribe('r')[Symbol.asyncIterator]()
    void events.next().catch(() => undefined)
    let ticks = 0
    const timer = setInterval(() => {
      ticks += 1
    }, 50)
    onTestFinished(() => clearInterval(timer))
    await expect.poll(() => ticks).toBeGreaterThanOrEqual(12)
    expect(paths.filter((path) => path.endsWith('/events')).length).toBeLessThan(12)
  })
})

it('restateClient: sends no more requests for events after a browser has closed the stream', async () => {
  const held: ServerResponse[] = []
  let count = 0
  const server = createServer(({ url = '' }, response) => {
    count += 1
    if (url.endsWith('/events')) held.push(response)
    else if (url === '/query') response.end('{"rows":[]}')
    else response.writeHead(470).end('{}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const runs = restateClient({ url, adminUrl: url })
  const reader = eventStreamResponse((from) => runs.subscribe('r', { from })).body?.getReader()
  await expect.poll(() => held.length).toBe(1)
  let isCancelled = false
  reader?.cancel().then(() => {
    isCancelled = true
  })
  const requests = 20
  const meanwhile = async () => {
    const before = count
    for (let sent = 0; sent < requests; sent += 1) await fetch(`${url}/query`)
    return count - before
  }
  expect(await meanwhile()).toBe(requests)
  expect(isCancelled).toBe(true)
  held[0]?.end('{"entries":[]}')
  expect(await meanwhile()).toBe(requests)
})

it('reports the result of another nested run as a mismatch', async () => {
  const agents = agentsOf()
  const attempt = new OnlyAttempt(agents, {
    invoke: async (_agent, id, input) => ({ ...(await new OnlyAttempt(agents, {}, id).run(input)), runId: 'other' }),
  })
  await expect(attempt.run(durableInput('support', 'investigate get A | get B'))).rejects.toMatchObject({
    code: 'journal_mismatch',
    message: expect.stringContaining("the result of the nested run 'other', but the code now runs 'r/call_1_1'"),
  })
})

describe('nested runs', () => {
  it('have different ids for calls with unusual ids', async () => {
    const ids = ['a/b', 'a%2Fb', 'a', 'a:2', '%', '1', '2', '\uD800', '\uDFFF', '%ud800', 'é😀', 'x'.repeat(5_000)]
    const script = ids.map((_, index) => `investigate get ${index}`).join('; ')
    const decide =
      (planner: Planner): Planner =>
      async (request) => {
        const decision = (await planner(request)) as Decision
        if (decision.kind !== 'calls' || decision.calls.length < ids.length) return decision
        const calls = decision.calls.map((each, index) => ({ ...each, toolCallId: ids[index] ?? '' }))
        return { ...decision, calls }
      }
    // The call `a` makes a second attempt, whose id has a suffix.
    const aroundResearch: ToolLayer = (next) => async (request) => {
      const outcome = await next(request)
      return request.call.toolCallId === 'a' ? next(request.again()) : outcome
    }
    const attempt = new OnlyAttempt(agentsOf({ decide, aroundResearch }))
    const { result } = await attempt.run(durableInput('support', script))
    expect(result?.text).toBe(ids.map((_, index) => `get ${index}`).join(', '))
    expect(new Set(attempt.nested).size).toBe(ids.length + 1)
    for (const id of attempt.nested) expect(id).toMatch(/^r\/[\w%:.-]+$/)
    expect(attempt.nested).toEqual(expect.arrayContaining(['r/a%2Fb', 'r/a%252Fb', 'r/a', 'r/a:2', 'r/a%3A2', 'r/1']))
  })

  it('that continue count their tokens once, and continue the numbers of their events', async () => {
    const decide =
      (planner: Planner): Planner =>
      async (request) => ({
        ...((await planner(request)) as Decision),
        usage: { promptTokens: 10, completionTokens: 1 },
      })
    const engine = memoryEngine(agentsOf({ decide, policy: { maxTokens: 1_000 } }))
    const { runId } = await engine.start('support', 'investigate get A, refund B, get C | get D')
    const { id } = await suspended(engine, runId)
    await engine.answer(runId, id, { 'call_1_1/call_2_1': 'approve' })
    // Three decisions of `support`, four of `research`.
    expect(await engine.result(runId)).toMatchObject({ usage: { promptTokens: 70, completionTokens: 7 } })
    // As in other runs, the end of the suspended part has the number of the first event after it.
    const nested = (await eventsOf(engine, runId)).filter(
      (event) => event.runId === `${runId}/call_1_1` && !(event.type === 'run_ended' && event.status === 'suspended'),
    )
    expect(nested.length).toBeGreaterThan(10)
    expect(nested.map(({ sequence }) => sequence)).toEqual(nested.map((_, index) => index + 1))
  })
})

describe('an error of the engine ends the attempt', () => {
  const thrown = new Error('The connection was lost.')
  const endless = (): Promise<never> => new Promise(() => undefined)
  const fails = async (): Promise<never> => {
    throw thrown
  }
  it.each<[string, string, Changes]>([
    ['a step', 'get A', { step: fails }],
    ['the record of a call', 'get A', { step: (name, work) => (name.startsWith('orders') ? fails() : work()) }],
    ['the time limit of the run', 'get A', { sleep: fails }],
    ['the wait of a layer', 'later A', { sleep: (milliseconds) => (milliseconds === 3_600_000 ? fails() : endless()) }],
    ['the wait for an answer', 'refund A', { answer: fails }],
    ['a nested run', 'investigate get A', { invoke: fails }],
  ])('%s', async (_name, script, changes) => {
    const attempt = new OnlyAttempt(agentsOf({ policy: { timeBudgetMs: 60_000_000 } }), { sleep: endless, ...changes })
    await expect(attempt.run(durableInput('support', `${script} | get B`))).rejects.toBe(thrown)
  })
})

it('ignores an answer that arrives after the cancellation', async () => {
  const effects: string[] = []
  const attempt = new OnlyAttempt(agentsOf({ effect: (effect) => effects.push(effect) }), {
    answer: async () => {
      attempt.controller.abort()
      return { call_1_2: 'approve' }
    },
  })
  expect(await attempt.run(durableInput('support', 'get A; refund B'))).toMatchObject({
    status: 'cancelled',
    outcomes: [{ status: 'completed' }, { status: 'failed' }],
  })
  expect(effects).toEqual(['get A'])
  expect(attempt.events.at(-1)).toMatchObject({ type: 'run_ended', status: 'cancelled' })
})

describe('a long wait of a layer', () => {
  it('is not recorded while the tool runs', async () => {
    fakeTimers()
    let started = (): void => undefined
    const isStarted = new Promise<void>((resolve) => {
      started = resolve
    })
    let end = (): void => undefined
    const isOver = new Promise<void>((resolve) => {
      end = resolve
    })
    let isWaiting = false
    const layer: ToolLayer = (next) => async (request) => {
      const ended = next(request)
      await isStarted
      void request.sleep(60_000)
      isWaiting = true
      return ended
    }
    const run = async (): Promise<string> => {
      started()
      await isOver
      return 'done'
    }
    const attempt = new OnlyAttempt(deskAgents({ layer, run }))
    const isEnded = attempt.run(durableInput('desk', 'Act.'))
    await expect.poll(() => isWaiting).toBe(true)
    end()
    expect(await isEnded).toMatchObject({ status: 'completed', outcomes: [{ status: 'completed' }] })
    expect(attempt.waits).toEqual([])
    expect(attempt.records.filter(({ waitMs }) => waitMs !== undefined)).toEqual([])
  })

  it('is recorded only once at a time', async () => {
    fakeTimers()
    const layer: ToolLayer = (next) => async (request) => {
      await Promise.race([request.sleep(20_000), request.sleep(30_000)])
      return next(request)
    }
    const attempt = new OnlyAttempt(deskAgents({ layer }))
    expect(await attempt.run(durableInput('desk', 'Act.'))).toMatchObject({ status: 'completed' })
    expect(attempt.waits).toEqual([20_000])
    await vi.advanceTimersByTimeAsync(30_000)
    expect(attempt.waits).toEqual([20_000])
  })

  it('without an end is not recorded', async () => {
    const layer: ToolLayer = (next) => async (request) => {
      void request.sleep(Number.POSITIVE_INFINITY)
      return next(request)
    }
    const attempt = new OnlyAttempt(deskAgents({ layer }))
    expect(await attempt.run(durableInput('desk', 'Act.'))).toMatchObject({ status: 'completed' })
    expect(attempt.waits).toEqual([])
  })

  it('is recorded around a call of another agent, before and after the nested run', async () => {
    const aroundResearch: ToolLayer = (next) => async (request) => {
      await request.sleep(20_000)
      const outcome = await next(request)
      await request.sleep(30_000)
      return outcome
    }
    const attempt = new OnlyAttempt(agentsOf({ aroundResearch }))
    expect(await attempt.run(durableInput('support', 'investigate get A'))).toMatchObject({ result: { text: 'get A' } })
    expect(attempt.waits).toEqual([20_000, 30_000])
  })

  it('of more than 25 days, the limit of timers, does not end early in memory', async () => {
    fakeTimers()
    const day = 24 * 60 * 60 * 1_000
    const layer: ToolLayer = (next) => async (request) => {
      await request.sleep(40 * day)
      return next(request)
    }
    const engine = memoryEngine(deskAgents({ layer }))
    const { runId } = await engine.start('desk', 'Act.')
    await expect.poll(() => vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(39 * day)
    // If the wait had ended, the run would end in a few turns of the event loop.
    for (let turns = 0; turns < 100; turns += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(await engine.status(runId)).toEqual({ status: 'running' })
    await vi.advanceTimersByTimeAsync(2 * day)
    expect(await engine.result(runId)).toMatchObject({ status: 'completed' })
  })
})

describe('a value that JSON cannot represent', () => {
  it('in a decision fails the run', async () => {
    const message = { role: 'assistant', content: 'Done.', seed: 1n } as const
    const decide = (): Planner => () => ({ kind: 'answer', text: 'Done.', message })
    const result = await new OnlyAttempt(agentsOf({ decide })).run(durableInput('support', 'get A'))
    expect(result).toMatchObject({
      status: 'failed',
      error: { reason: 'internal', message: 'The planner returned a decision that JSON cannot represent.' },
    })
  })

  it('as the final value of a layer fails the call', async () => {
    const layer: ToolLayer = (next) => async (request) => ({
      ...(await next(request)),
      stop: { reason: 'final', value: 1n as unknown as number },
    })
    const attempt = new OnlyAttempt(deskAgents({ layer }))
    expect(await attempt.run(durableInput('desk', 'Act.'))).toMatchObject({
      status: 'completed',
      result: { text: 'Done.' },
      outcomes: [{ status: 'failed', hint: { reason: 'internal' } }],
    })
  })

  it('as a typed result is published as its codec encodes it', async () => {
    const payload = payloadCodec({ schema: { type: 'object' } })
    const result = resultCodec({ schema: { type: 'string', 'x-js': 'bigint' } })
    const parts = {
      id: 'things.count' as const,
      title: 'count',
      description: 'Counts.',
      examples: [],
      hash: 'count',
      annotations: {},
    }
    const descriptors = toolDescriptors({
      count: { spec: toolSpec(parts, payload, result), payload, result, call: () => undefined as any },
    })
    const things = {
      ...{ name: 'things', namespace: 'default', description: 'Things.' },
      ...{ tools: toolsOf(descriptors), specs: specsOf(descriptors) },
    }
    const registration = toolsetRegistration({ toolset: things, provider: 'service' }, { execute: async () => 12n })
    const planner: Planner = ({ turn }) =>
      turn === 1 ? callTools({ tool: 'things.count', arguments: '{}', toolCallId: 'a' }) : answer('Done.')
    const desk = new Runtime().registerAgent({ name: 'desk', description: 'Counts.' }, [registration], { planner })
    const attempt = new OnlyAttempt(durableAgents({ agents: { desk } }))
    expect(await attempt.run(durableInput('desk', 'Count.'))).toMatchObject({ outcomes: [{ json: '"12"' }] })
    expect(attempt.events.find(({ type }) => type === 'call_ended')).toMatchObject({
      outcome: { status: 'completed', result: { data: '12' } },
    })
  })
})
