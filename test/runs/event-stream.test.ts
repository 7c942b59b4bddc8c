import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { approval, type RunEvent, Runtime, ToolFailure, tool, toolset, toolsetRegistration } from '@toolgen/runtime'
import { base, callTools, eventStreamResponse, type RunHandle, useTools } from '@toolgen/runtime/agents'
import { calls, type ScriptStep, says, scriptedModel } from '@toolgen/runtime/testing'
import { describe, expect, it } from 'vitest'
import { executorOf, toolOf, useOf } from '../../packages/runtime/src/agents/orders.fixture.js'

const look = toolset(
  'local',
  tool({
    name: 'look',
    description: 'Looks.',
    parameters: { type: 'object', properties: { fails: { type: 'boolean' } } },
    run: ({ fails }) => {
      if (fails === true) throw new ToolFailure('It is dark.', { reason: 'unavailable', cause: new Error('secret') })
      return { total: 3 }
    },
  }),
)

function helperOf(steps: readonly ScriptStep[]) {
  const agent = base(scriptedModel(steps)).with(useTools(look)).build()
  return new Runtime().registerAgent({ name: 'helper', description: 'Helps.' }, [], { agent })
}

const looks = calls({ tool: 'look', arguments: {}, toolCallId: 'c-1' })
const types = ['run_started', 'step_started', 'call_started', 'call_ended', 'step_ended', 'step_started', 'step_ended']

interface Message {
  readonly id: string
  readonly event: string
  readonly data: any
}

function parsed(text: string): readonly Message[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('id:'))
    .map((block) => {
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2)))
      return { id: String(fields.id), event: String(fields.event), data: JSON.parse(String(fields.data)) }
    })
}

describe('the events of a run as server-sent events', () => {
  it('have their position as id, and results as JSON text', async () => {
    const response = eventStreamResponse(helperOf([looks, says('Three.')]).run('How many?'))
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const messages = parsed(await response.text())
    expect(messages.map(({ event }) => event)).toEqual([...types, 'run_ended'])
    expect(messages.map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8'])
    const { outcome } = messages[3]?.data ?? {}
    expect(outcome).toMatchObject({ status: 'completed', json: '{"total":3}' })
    expect(outcome).not.toHaveProperty('result')
    expect(messages.at(-1)?.data).toMatchObject({ status: 'completed', result: { text: 'Three.' } })
  })

  it('contain no causes of errors', async () => {
    const run = helperOf([calls({ tool: 'look', arguments: { fails: true } }), says('Dark.')]).run('How many?')
    const text = await eventStreamResponse(run).text()
    expect(text).toContain('It is dark.')
    expect(text).not.toContain('secret')
  })

  it('of a suspended call contain nothing that only the server needs', async () => {
    const options = { payloadAdapter: async () => '{"orderId":"secret"}' }
    const orders = toolsetRegistration(
      useOf([toolOf('orders.getOrder')]),
      executorOf(() => 1),
      options,
    )
    const planner = () => callTools({ tool: 'orders.getOrder', arguments: '{"orderId":"A-1"}' })
    const helper = new Runtime()
      .registerAgent({ name: 'helper', description: 'Helps.' }, [orders], { planner })
      .layer(approval())
    const run = helper.run('How many?', { env: { approval: { approve: async () => 'suspend' } } })
    const text = await eventStreamResponse(run).text()
    expect(text).toContain('"status":"suspended"')
    expect(text).not.toContain('secret')
  })

  it.each([0, -1, Number.NaN, '5'])('a keepAliveMs of %s is rejected', (keepAliveMs) => {
    const run = helperOf([says('Three.')]).run('How many?')
    expect(() => eventStreamResponse(run, { keepAliveMs: keepAliveMs as number })).toThrow(/keepAliveMs is/)
  })

  it('that nobody reads do not hold back the run', async () => {
    const many = Array.from({ length: 60 }, (_, index) =>
      calls({ tool: 'look', arguments: {}, toolCallId: `c-${index}` }),
    )
    const run = helperOf([...many, says('Three.')]).run('How many?')
    const unread = eventStreamResponse(run)
    const messages = parsed(await eventStreamResponse(run).text())
    expect(messages.at(-1)?.event).toBe('run_ended')
    await unread.body?.cancel()
  })

  it.each([
    ['3', [...types.slice(3), 'run_ended']],
    ['8', []],
    ['9', [...types, 'run_ended']],
    ['0', [...types, 'run_ended']],
    ['-1', [...types, 'run_ended']],
    ['x', [...types, 'run_ended']],
    [null, [...types, 'run_ended']],
  ])('continue after the id %s', async (lastEventId, expected) => {
    const run = helperOf([looks, says('Three.')]).run('How many?')
    await run
    const messages = parsed(await eventStreamResponse(run, { lastEventId }).text())
    expect(messages.map(({ event }) => event)).toEqual(expected)
  })

  it('of a durable run are read from the position', async () => {
    const asked: number[] = []
    const run = helperOf([looks, says('Three.')]).run('How many?')
    const { events } = await run
    const source = async function* (from: number) {
      asked.push(from)
      yield* events.slice(from - 1)
    }
    const messages = parsed(await eventStreamResponse(source, { lastEventId: '6' }).text())
    expect(messages.map(({ id, event }) => `${id} ${event}`)).toEqual(['7 step_ended', '8 run_ended'])
    expect(asked).toEqual([7])
  })

  it.each([
    ['detach', 'completed'],
    ['cancel', 'cancelled'],
  ] as const)('of a browser that goes away: %s', async (onDisconnect, status) => {
    let release = (): void => undefined
    const waits = new Promise<void>((resolve) => {
      release = resolve
    })
    const run = helperOf([
      looks,
      async ({ meta }) => {
        await Promise.race([waits, new Promise((_, reject) => meta.signal.addEventListener('abort', reject))])
        return says('Three.')
      },
    ]).run('How many?')
    const reader = eventStreamResponse(run, { onDisconnect }).body?.getReader()
    await reader?.read()
    await reader?.cancel()
    release()
    expect((await run).status).toBe(status)
  })

  it('of a source that waits for its next event do not delay the end of the stream', async () => {
    const { events } = await helperOf([says('Three.')]).run('How many?')
    let release = (): void => undefined
    const waits = new Promise<void>((resolve) => {
      release = resolve
    })
    let state = 'started'
    const source = async function* () {
      try {
        yield* events.slice(0, 1)
        state = 'waiting'
        await waits
        yield* events.slice(1)
      } finally {
        state = 'ended'
      }
    }
    const reader = eventStreamResponse(source).body?.getReader()
    await reader?.read()
    await expect.poll(() => state).toBe('waiting')
    await reader?.cancel()
    release()
    await expect.poll(() => state).toBe('ended')
  })

  it('of an ended subscription that rejects are ignored', async () => {
    const { events } = await helperOf([says('Three.')]).run('How many?')
    const next = async () => ({ done: false, value: events[0] as RunEvent }) as const
    const iterator = { next, return: () => Promise.reject(new Error('gone')) }
    const reader = eventStreamResponse(() => ({ [Symbol.asyncIterator]: () => iterator })).body?.getReader()
    await reader?.read()
    expect(await reader?.cancel()).toBeUndefined()
  })

  it('keep the connection open while the run waits', async () => {
    let release = (): void => undefined
    const waits = new Promise<void>((resolve) => {
      release = resolve
    })
    const run = helperOf([async () => waits.then(() => says('Three.'))]).run('How many?')
    const reader = eventStreamResponse(run, { keepAliveMs: 1 }).body?.getReader()
    const decoder = new TextDecoder()
    let text = ''
    while (!text.includes(': keep-alive\n\n')) text += decoder.decode((await reader?.read())?.value)
    release()
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      text += decoder.decode(next.value)
    }
    expect(parsed(text).at(-1)?.event).toBe('run_ended')
  })

  it('reach a client over HTTP that connects again', async () => {
    const runs = new Map<string, RunHandle>()
    const server = createServer((request, response) => {
      const lastEventId = request.headers['last-event-id']?.toString()
      const run = runs.get('r')
      if (run === undefined) return response.writeHead(404).end()
      const { body, headers } = eventStreamResponse(run, { lastEventId })
      response.writeHead(200, Object.fromEntries(headers))
      return Readable.fromWeb(body as never).pipe(response)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      runs.set('r', helperOf([looks, says('Three.')]).run('How many?'))
      const first = await fetch(url)
      const reader = first.body?.getReader()
      let text = ''
      while (!text.includes('event: call_started')) text += new TextDecoder().decode((await reader?.read())?.value)
      await reader?.cancel()
      const seen = parsed(text.slice(0, text.lastIndexOf('\n\n') + 2))
      const rest = await fetch(url, { headers: { 'last-event-id': seen.at(-1)?.id ?? '' } })
      const all = [...seen, ...parsed(await rest.text())]
      expect(all.map(({ event }) => event)).toEqual([...types, 'run_ended'])
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})
