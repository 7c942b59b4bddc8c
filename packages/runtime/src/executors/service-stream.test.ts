import { describe, expect, it, vi } from 'vitest'
import { toolOf, useOf } from '../agents/orders.fixture.js'
import { reasonOf } from '../agents/outcome.fixture.js'
import { type JsonText, provenanced, Runtime, type ToolOutcome } from '../index.js'
import { toolsetRegistration } from '../layers/registration.js'
import type { CallOptions } from '../types/call-options.js'
import { type ServiceTool, serviceExecutor } from './service-executor.js'
import { serviceStream } from './service-stream.js'

interface Line {
  readonly text: string
  readonly secret: string
}

/** A client whose log may be followed. */
class Client {
  readonly #lines: readonly string[]
  closed = 0
  /** Keeps whoever follows waiting. */
  hangs = false

  constructor(...lines: readonly string[]) {
    this.#lines = lines
  }

  async *tail(path: string): AsyncGenerator<Line, string> {
    try {
      for (const text of this.#lines) yield { text: `${path}: ${text}`, secret: 'hunter2' }
      if (this.#lines.includes('breaks')) throw Object.assign(new Error('SELECT failed'), { status: 404 })
      return 'no item'
    } finally {
      this.closed += 1
    }
  }

  follow(path: string): AsyncIterableIterator<Line> {
    const lines = this.tail(path)
    return {
      next: () => (this.hangs ? new Promise(() => undefined) : lines.next()),
      return: () => {
        this.closed += 1
        return lines.return('')
      },
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }
}

interface Payload {
  readonly path: string
}
interface Shown {
  readonly text: string
}
const shown = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const
const tail = toolOf<Payload, unknown>('logs.tail', {
  arguments: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  result: { anyOf: [shown, { type: 'array', items: shown }] },
  spec: { updates: shown },
})

interface Tailed {
  readonly outcome: ToolOutcome
  readonly updates: readonly JsonText[]
}

async function tailed(tool: ServiceTool, options: CallOptions = {}, called = tail): Promise<Tailed> {
  const updates: JsonText[] = []
  const executor = serviceExecutor('logs', { tail: tool })
  const toolset = new Runtime().registerToolset(toolsetRegistration(useOf([called]), executor))
  const outcome = await toolset.execute(called.call({ path: 'a' }), {
    onUpdate: (update) => updates.push(update),
    ...options,
  })
  return { outcome, updates }
}

const payload = ({ path }: Payload): [string] => [path]
const update = ({ text }: Line): Shown => ({ text })
const list = (lines: readonly Line[]): readonly Shown[] => lines.map(update)

/** A tool over a client, with the list of its lines as its result. */
const listing = (client: Client): ServiceTool =>
  serviceStream({ payload, call: (args) => client.tail(...args), update, collect: 'list', result: list })

/** A tool over a client, with its last line as its result. */
const ending = (client: Client): ServiceTool =>
  serviceStream({ payload, call: (args) => client.follow(...args), update, collect: 'last', result: update })

describe('a service tool whose method streams', () => {
  it('reports each item as an update, and returns all items', async () => {
    const { outcome, updates } = await tailed(listing(new Client('x', 'y')))
    expect(updates).toEqual(['{"text":"a: x"}', '{"text":"a: y"}'])
    expect(outcome).toMatchObject({ status: 'completed', json: '[{"text":"a: x"},{"text":"a: y"}]' })
  })

  it('answers with the last item where that is what it collects', async () => {
    const { outcome, updates } = await tailed(ending(new Client('x', 'y')))
    expect(updates).toHaveLength(2)
    expect(outcome).toMatchObject({ status: 'completed', json: '{"text":"a: y"}' })
  })

  it('answers without items with an empty list, and has no last one', async () => {
    expect((await tailed(listing(new Client()))).outcome).toMatchObject({ json: '[]' })
    expect((await tailed(ending(new Client()))).outcome).toMatchObject({
      hint: { reason: 'malformed_result', message: 'The service returned a stream without items.' },
    })
  })

  it('lets mappers wrap or replace its steps', async () => {
    const client = new Client('x')
    const tool = serviceStream({
      payload,
      call: (args) => client.tail(...args),
      collect: 'last',
      result: update,
      mappers: {
        payload: (sent: Payload, _meta, next) => next({ path: sent.path.toUpperCase() }),
        update: async (line: Line, meta): Promise<Shown> => ({ text: `${meta.sessionId} ${line.text}` }),
        result: (line: Line, _meta, next): Shown => ({ text: `${next(line).text}!` }),
      },
    })
    const { outcome, updates } = await tailed(tool, { sessionId: 's-1' })
    expect(updates).toEqual(['{"text":"s-1 A: x"}'])
    expect(outcome).toMatchObject({ json: '{"text":"A: x!"}' })
    const wrapped = serviceStream({
      payload,
      call: (args) => client.tail(...args),
      update,
      collect: 'list',
      result: list,
      mappers: { update: (line: Line, _meta, next): Shown => ({ text: next(line).text.slice(3) }) },
    })
    expect((await tailed(wrapped)).updates).toEqual(['{"text":"x"}'])
  })

  it('makes no update of an item for which the mapper gives none, and counts it for the result', async () => {
    const client = new Client('1', '2', '3', '4', '5')
    const tool = serviceStream({
      payload,
      call: (args) => client.tail(...args),
      update,
      collect: 'last',
      result: update,
      mappers: { update: (line, _meta, next) => (/[24]$/.test(line.text) ? next(line) : undefined) },
    })
    const { outcome, updates } = await tailed(tool)
    expect(updates).toEqual(['{"text":"a: 2"}', '{"text":"a: 4"}'])
    expect(outcome).toMatchObject({ json: '{"text":"a: 5"}' })
  })

  it('keeps what the method says about its stream', async () => {
    const client = new Client('x')
    const tool = serviceStream({
      payload,
      call: async (args) => provenanced(client.tail(...args), { service: 'logs-v2' }),
      update,
      collect: 'list',
      result: list,
    })
    const { outcome } = await tailed(tool)
    expect(outcome).toMatchObject({ json: '[{"text":"a: x"}]', provenance: { service: 'logs-v2' } })
  })

  it('fails as its stream does', async () => {
    const { outcome, updates } = await tailed(listing(new Client('x', 'breaks')))
    expect([reasonOf(outcome), updates.length]).toEqual(['domain_rejection', 2])
    expect(JSON.stringify(outcome)).not.toMatch(/SELECT|hunter2/)
  })

  it('fails where the method streams nothing of the kind', async () => {
    const lying = { tail: (_path: string): AsyncIterable<Line> => JSON.parse('[{"text":"x"}]') }
    const tool = serviceStream({ payload, call: (args) => lying.tail(...args), update, collect: 'list', result: list })
    expect(reasonOf((await tailed(tool)).outcome)).toBe('malformed_result')
  })

  it('closes the stream when an item cannot be mapped, and when an update breaks its schema', async () => {
    const client = new Client('x', 'y')
    const steps = { payload, call: (args: [string]) => client.tail(...args), collect: 'list', result: list } as const
    const fails = (): Shown => {
      throw new TypeError("reading 'secret'")
    }
    const broken = (): Shown => JSON.parse('{"text":1}')
    expect(reasonOf((await tailed(serviceStream({ ...steps, update: fails }))).outcome)).toBe('internal')
    expect(reasonOf((await tailed(serviceStream({ ...steps, update: broken }))).outcome)).toBe('malformed_result')
    expect(client.closed).toBe(2)
  })

  it('closes a stream that is waited for at once when the call is aborted', async () => {
    const client = new Client('x')
    client.hangs = true
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const ended = tailed(ending(client), { deadline: Date.now() + 5 })
    await vi.advanceTimersByTimeAsync(5)
    vi.useRealTimers()
    const { outcome } = await ended
    expect([reasonOf(outcome), client.closed]).toEqual(['timeout', 1])
  })

  it('closes the stream unread where the tool does not stream', async () => {
    const client = new Client('x')
    const once = toolOf<Payload, unknown>('logs.tail', { arguments: tail.spec.arguments, result: shown })
    const { outcome, updates } = await tailed(ending(client), {}, once)
    expect([reasonOf(outcome), updates, client.closed]).toEqual(['internal', [], 1])
  })
})
