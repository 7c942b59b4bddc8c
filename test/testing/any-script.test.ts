import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type ExecutorRequest, ToolFailure } from '../../packages/runtime/src/index.js'
import { calls, type ScriptStep, says, scriptedModel } from '../../packages/runtime/src/testing.js'
import { configOf, live, orderOf, shopOf, told, twice } from './shop.fixture.js'

const orderId = fc.constantFrom('A-1', 'A-2', 'A-3', '__proto__', 'ä"\n')
const call = fc.oneof(
  { weight: 5, arbitrary: orderId.map((orderId) => ({ tool: 'orders_getOrder', arguments: { orderId } })) },
  fc.record({ tool: fc.constantFrom('orders_getOrder', 'orders_gone'), arguments: fc.json({ maxDepth: 1 }) }),
  fc.constant({ tool: 'orders_getOrder', arguments: '{"orderId":' }),
)
const usage = fc.record({ promptTokens: fc.nat(100), completionTokens: fc.nat(100) })
const step = fc.record(
  { calls: fc.array(call, { minLength: 1, maxLength: 4 }), text: fc.string(), usage },
  { requiredKeys: ['calls'] },
)
const script: fc.Arbitrary<readonly ScriptStep[]> = fc
  .tuple(
    fc.array(step, { maxLength: 4 }),
    fc.option(fc.string().map(says), { nil: new ToolFailure('The model is down.', { reason: 'unavailable' }) }),
  )
  .map(([steps, last]) => [...steps.map(({ calls: asked, ...said }) => ({ ...calls(...asked), ...said })), last])

/** Every call comes to another end, and the later ones of a step end first. */
function unsteady(): (request: ExecutorRequest) => Promise<unknown> {
  let count = 0
  return async (request) => {
    count += 1
    const number = count
    await new Promise((resolve) => setTimeout(resolve, 3 - (number % 4)))
    if (number % 5 === 3) throw new ToolFailure(`No ${number}.`)
    if (number % 5 === 4) throw new Error('a secret of the service')
    return orderOf(`${await request.json()} ${number}`)
  }
}

it('any script is replayed to the same conversation, outcomes and usage', async () => {
  await fc.assert(
    fc.asyncProperty(script, async (steps) => {
      const execute = unsteady()
      const { recorded, replayed } = await twice(scriptedModel(steps), (driver, cassette) =>
        shopOf(driver, { execute: live(cassette, execute) }).run('Hi', configOf(cassette)),
      )
      expect(told(replayed)).toEqual(told(recorded))
    }),
    { numRuns: 60 },
  )
})

it('parallel runs of any scripts are replayed, each to its own end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(script, { minLength: 2, maxLength: 4 }), async (scripts) => {
      const execute = unsteady()
      const models = scripts.map((steps) => scriptedModel(steps))
      const shared = scriptedModel([])
      const { recorded, replayed } = await twice(
        {
          name: shared.name,
          // The first message says whose script is asked.
          ask: (request) => (models[Number(request.messages[0]?.content)] ?? shared).ask(request),
        },
        (driver, cassette) => {
          const agent = shopOf(driver, { execute: live(cassette, execute) })
          const inOrder = [...models.keys()]
          return Promise.all(
            (cassette.mode === 'record' ? inOrder : inOrder.reverse()).map(async (index) => ({
              index,
              ...told(await agent.run(`${index}`, configOf(cassette))),
            })),
          )
        },
      )
      expect([...replayed].reverse()).toEqual(recorded)
    }),
    { numRuns: 20 },
  )
})
