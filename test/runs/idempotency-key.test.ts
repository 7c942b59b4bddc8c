import { expect, it } from 'vitest'
import { getOrder, registrationOf, toolOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { type ExecutorRequest, Runtime, retry, ToolFailure, type ToolLayer } from '../../packages/runtime/src/index.js'
import { agentOf, callOf, callsAtOnce, order, stillRuntime } from './agents.fixture.js'

/** Keys that a tool received, and an executor that fails as often as given before it answers. */
function recorder(failures = 0) {
  const keys: string[] = []
  const execute = ({ meta }: ExecutorRequest): unknown => {
    keys.push(meta.idempotencyKey)
    if (keys.length <= failures) throw new ToolFailure('Busy.', { reason: 'unavailable' })
    return order
  }
  return { keys, execute }
}

it('is the same in all attempts of a call, and differs between calls and runs', async () => {
  const { keys, execute } = recorder(2)
  const runtime = stillRuntime()
  const planner = callsAtOnce(callOf('A', 'one'))
  const agent = agentOf(execute, { runtime, planner }).layer(retry({ attempts: 3, delayMs: () => 0 }))
  expect((await agent.run('?')).outcomes).toMatchObject([{ status: 'completed' }])
  await agent.run('?')
  await agent.run('?', { runId: 'mine' })
  expect(keys).toEqual(['run-1/one', 'run-1/one', 'run-1/one', 'run-2/one', 'mine/one'])
})

it('is the same before and after a suspension', async () => {
  const { keys, execute } = recorder()
  const seen: string[] = []
  const later: ToolLayer = (next) => async (request) => {
    seen.push(request.meta.idempotencyKey)
    return request.answer === 'approve' ? next(request) : request.suspend('approval')
  }
  const agent = agentOf(execute, { planner: callsAtOnce(callOf('A', 'one')) }).layer(later)
  const { runId, suspension } = await agent.run('?')
  if (suspension === undefined) throw new Error('not suspended')
  const resumed = await agent.resume(JSON.parse(JSON.stringify(suspension)), { one: 'approve' })
  expect(resumed.status).toBe('completed')
  expect([...seen, ...keys]).toEqual(Array.from({ length: 3 }, () => `${runId}/one`))
})

it('is the id of the call outside a run, which the caller can choose', async () => {
  const { keys, execute } = recorder()
  const orders = stillRuntime().registerToolset(registrationOf(getOrder, execute))
  await orders.execute(callOf('A'))
  await orders.execute(callOf('A', 'job-7'))
  await orders.execute(callOf('A', 'job-7'), { runId: 'batch' })
  expect(keys).toEqual(['toolCall-1', 'job-7', 'batch/job-7'])
})

it('is a valid header, and two calls never have the same one', async () => {
  const { keys, execute } = recorder()
  const orders = new Runtime().registerToolset(registrationOf(getOrder, execute))
  const ids: readonly (readonly [string, string])[] = [
    ['a', 'b/c'],
    ['a/b', 'c'],
    ['a%2Fb', 'c'],
    ['Zoë', "it's\n\ud800"],
  ]
  for (const [runId, id] of ids) await orders.execute(callOf('A', id), { runId })
  expect(keys).toEqual(['a/b%2Fc', 'a%2Fb/c', 'a%252Fb/c', 'Zo%C3%AB/it%27s%0A%EF%BF%BD'])
})

it('fills a server-owned field, and no caller passes it', async () => {
  const pay = toolOf<{ orderId: string }, unknown, 'idempotencyKey'>('orders.pay', {
    spec: { serverOwned: [{ field: 'key', from: 'idempotencyKey', schema: { type: 'string' } }] },
  })
  const payloads: unknown[] = []
  const orders = stillRuntime().registerToolset(
    registrationOf(pay, async (request) => {
      payloads.push(await request.payload())
      return order
    }),
  )
  await orders.execute(pay.call({ orderId: 'A' }))
  expect(payloads).toEqual([{ orderId: 'A', quantity: 1, key: 'toolCall-1' }])
})
