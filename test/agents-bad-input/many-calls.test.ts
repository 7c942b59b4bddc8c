import { afterEach, describe, expect, it, vi } from 'vitest'
import type { AgentRun, RunSuspension } from '../../packages/runtime/src/agents.js'
import { validateHistory } from '../../packages/runtime/src/chat.js'
import { approval } from '../../packages/runtime/src/index.js'
import { calls, says } from '../../packages/runtime/src/testing.js'
import { driverOf } from '../openai/model-agent.fixture.js'
import { events, modelServer, says as serves } from '../openai/model-server.fixture.js'
import { later, never } from '../runs/agents.fixture.js'
import {
  agentOver,
  driverSaying,
  ended,
  GOOD,
  lookUp,
  type ModelAgentParts,
  reasonsOf,
  toldOf,
  WAYS,
} from './model-agent.fixture.js'

afterEach(() => void vi.useRealTimers())

const HUNDREDS = 400
const orderOf = (at: number): string => JSON.stringify({ orderId: `A-${at}` })

/** Answers with the order that is asked for, and counts how many are at work. */
function counted() {
  const seen = { now: 0, most: 0 }
  const execute: ModelAgentParts['execute'] = async ({ payload }) => {
    seen.now += 1
    seen.most = Math.max(seen.most, seen.now)
    const asked: unknown = await payload()
    await later(1, undefined)
    seen.now -= 1
    return { id: Object(asked).orderId, total: 1 }
  }
  return { seen, execute }
}

describe.each(WAYS)('hundreds of calls in one message, %s', (way) => {
  const all = calls(...Array.from({ length: HUNDREDS }, (_, at) => lookUp(orderOf(at))))

  it('all get a result, in call order, with at most the allowed number at once', async () => {
    const { seen, execute } = counted()
    const driver = await driverSaying(way, [all, says('I see.')])
    const run = await ended(agentOver(driver, { execute, policy: { parallelism: 7 } }).run('Where?'))
    expect(run).toMatchObject({ status: 'completed', usage: { turns: 2, toolCalls: HUNDREDS } })
    expect(toldOf(run)).toEqual(Array.from({ length: HUNDREDS }, (_, at) => `{"id":"A-${at}","total":1}`))
    expect(seen).toEqual({ now: 0, most: 7 })
  })

  it('are answered beyond the limit too, without being run', async () => {
    const { execute } = counted()
    const driver = await driverSaying(way, [all, says('Too late.')])
    const run = await ended(agentOver(driver, { execute, policy: { maxToolCalls: 10 } }).run('Where?'))
    expect(run).toMatchObject({ status: 'stopped', stop: { reason: 'max_tool_calls' }, usage: { toolCalls: 10 } })
    expect(reasonsOf(run)).toEqual([...Array(10).fill('completed'), ...Array(HUNDREDS - 10).fill('cancelled')])
  })

  it('are answered where none of them ends in its time', async () => {
    const driver = await driverSaying(way, [all, says('I see.')])
    const run = await ended(agentOver(driver, { execute: never, policy: { toolTimeoutMs: 20 } }).run('Where?'))
    expect(run).toMatchObject({ status: 'completed', usage: { toolCalls: HUNDREDS } })
    expect(new Set(reasonsOf(run))).toEqual(new Set(['timeout']))
  })
})

describe.each(['served', 'streamed'] as const)('calls of one id, %s', (way) => {
  const env = { approval: { approve: async () => 'suspend' as const } }
  const stored = ({ suspension }: AgentRun): RunSuspension => JSON.parse(JSON.stringify(suspension))

  it('of one message and of two wait apart, and each is answered as somebody says', async () => {
    const ran: string[] = []
    const execute: ModelAgentParts['execute'] = async ({ json }) => {
      ran.push(await json())
      return { id: 'A-1', total: 1 }
    }
    const [one, two, three] = [1, 2, 3].map((at) => lookUp(orderOf(at), 'a'))
    if (one === undefined || two === undefined || three === undefined) throw new Error('there are three')
    const driver = await driverSaying(way, [calls(one, two), calls(three), says('I see.')])
    const agent = agentOver(driver, { execute }).layer(approval())

    const first = await agent.run('Where?', { env })
    const [a, b] = first.suspension?.pending ?? []
    expect(new Set([a?.id, b?.id]).size).toBe(2)
    const second = await agent.resume(stored(first), { [`${a?.id}`]: 'deny', [`${b?.id}`]: 'approve' }, { env })
    const [c, ...others] = second.suspension?.pending ?? []
    expect(others).toEqual([])
    const run = await agent.resume(stored(second), { [`${c?.id}`]: 'approve' }, { env })
    expect(run).toMatchObject({ status: 'completed', result: { text: 'I see.' } })
    expect(reasonsOf(run)).toEqual(['denied', 'completed', 'completed'])
    expect(ran).toEqual([orderOf(2), orderOf(3)])
    expect(validateHistory(run.messages)).toEqual([])
    expect(toldOf(run)).toHaveLength(3)
    expect(new Set(run.outcomes.map(({ call }) => call.toolCallId)).size).toBe(3)
  })
})

describe('the calls of a stream', () => {
  const part = (calls: unknown, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta: { tool_calls: calls }, finish_reason }],
  })
  const whole = (more: object): object => ({ ...more, function: { name: 'orders_getOrder', arguments: GOOD } })

  it.each([4_294_967_295, -1, 1.5, 1e300, '0', null, undefined])('may have any index: %j', async (index) => {
    const server = await modelServer(
      events(part([whole({ index, id: 'a' })]), part([], 'tool_calls'), '[DONE]'),
      serves('Ok.'),
    )
    const run = await ended(agentOver(driverOf(server, { driver: { stream: true } })).run('Where?'))
    expect([reasonsOf(run), run.result]).toEqual([['completed'], { text: 'Ok.' }])
  })

  it('may come all under one index, and their parts in any order', async () => {
    const one = [whole({ index: 0, id: 'a' }), whole({ index: 0, id: 'b' })]
    const cut = (index: number, json: string) => ({ index, function: { arguments: json } })
    const mixed = [2, 1].map((index) => ({
      index,
      id: `m${index}`,
      function: { name: 'orders_getOrder', arguments: '{"ord' },
    }))
    const server = await modelServer(
      events(part(one), part([], 'tool_calls'), '[DONE]'),
      events(
        part(mixed),
        part([cut(1, 'erId":'), cut(2, 'erId":"B')]),
        part([cut(2, '-2"}'), cut(1, '"B-1"}')], 'tool_calls'),
        '[DONE]',
      ),
      serves('Ok.'),
    )
    const { execute } = counted()
    const run = await ended(agentOver(driverOf(server, { driver: { stream: true } }), { execute }).run('Where?'))
    expect(toldOf(run).map((told) => JSON.parse(told).id)).toEqual(['A-1', 'A-1', 'B-1', 'B-2'])
  })

  it('that never end, end with the time of the run', async () => {
    const server = await modelServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const chunk = `data: ${JSON.stringify(part([{ index: 0, id: 'a', function: { name: 'x', arguments: '[' } }]))}\n\n`
      const write = (): void => {
        while (response.writable && response.write(chunk));
        if (response.writable) response.once('drain', write)
      }
      write()
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const agent = agentOver(driverOf(server, { driver: { stream: true } }), { policy: { timeBudgetMs: 300 } })
    const running = agent.run('Where?')
    await expect.poll(() => server.bodies).toHaveLength(1)
    vi.advanceTimersByTime(300)
    vi.useRealTimers()
    const run = await ended(running)
    expect(run).toMatchObject({ status: 'stopped', stop: { reason: 'time_budget' }, outcomes: [] })
    await expect.poll(server.abandoned).toBe(1)
  })
})
