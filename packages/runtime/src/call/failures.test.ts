import { describe, expect, it } from 'vitest'
import { fixedEffects, getOrder, registrationOf, toolOf } from '../agents/orders.fixture.js'
import { allText, answer, failure, reasonOf } from '../agents/outcome.fixture.js'
import { Runtime, renderForModel, ToolFailure } from '../index.js'
import type { ToolOutcome } from '../types/outcome.js'

describe('errors', () => {
  const run = (thrown: unknown): Promise<ToolOutcome> =>
    new Runtime({ effects: fixedEffects() })
      .registerToolset(
        registrationOf(getOrder, () => {
          throw thrown
        }),
      )
      .execute(getOrder.call({ orderId: 'A-1' }))

  it('thrown for the model are shown as they are', async () => {
    const outcome = await run(new ToolFailure('Order A-1 has shipped.', { action: 'finish' }))
    expect(failure(outcome)).toMatchObject({
      error: { reason: 'domain_rejection', message: 'Order A-1 has shipped.' },
      hint: { reason: 'domain_rejection', action: 'finish', message: 'Order A-1 has shipped.' },
      provenance: { attempts: 1 },
    })
  })

  it('never show their message, stack or path, but keep the cause for logs', async () => {
    const thrown = Object.assign(new Error('SECRET at /srv/app/db.ts'), { status: 429, retryAfter: 2 })
    const outcome = failure(await run(thrown))
    expect(outcome.hint).toEqual({
      reason: 'rate_limited',
      action: 'wait',
      retryAfterMs: 2000,
      tool: 'orders.getOrder',
      message: 'The service is rate limited.',
    })
    expect(outcome.error.cause).toBe(thrown)
    expect(allText(outcome)).not.toMatch(/SECRET|srv|\.ts/)
  })

  it.each([null, undefined, 'SECRET', 42, Object.create(null)])('may be anything: %s', async (thrown) => {
    const outcome = await run(thrown)
    expect(reasonOf(outcome)).toBe('internal')
    expect(allText(outcome)).not.toContain('SECRET')
  })

  it('are read by the application first', async () => {
    class SoldOut extends Error {}
    const runtime = new Runtime({
      classify: (error) => (error instanceof SoldOut ? new ToolFailure('Sold out.', { action: 'replan' }) : undefined),
    })
    const toolset = runtime.registerToolset(
      registrationOf(getOrder, () => {
        throw new SoldOut()
      }),
    )
    expect(renderForModel(await toolset.execute(getOrder.call({ orderId: 'A-1' })))).toBe('Sold out. Try another way.')
  })

  it('with an action that is illegal for the reason get the usual one', async () => {
    const foreign = Object.assign(new Error('No.'), { name: 'ToolFailure', reason: 'denied', action: 'wait' })
    expect(failure(await run(foreign)).hint).toMatchObject({ reason: 'denied', action: 'replan' })
  })
})

describe('tools that need confirmation', () => {
  const tool = toolOf<{ orderId: string }, unknown>('orders.cancel', { spec: { confirmation: { prompt: 'Cancel?' } } })

  it.each([false, true])(
    'are denied before the executor, after the decode (decodeInExecutor: %s)',
    async (decodeInExecutor) => {
      let called = false
      const registration = registrationOf(
        tool,
        () => {
          called = true
          return answer
        },
        { decodeInExecutor },
      )
      const toolset = new Runtime().registerToolset(registration)
      const outcome = await toolset.execute(tool.call({ orderId: 'A-1' }))
      expect(failure(outcome).hint).toMatchObject({
        reason: 'denied',
        message: expect.stringContaining('approval of a person'),
      })
      expect(reasonOf(await toolset.execute({ tool: 'orders.cancel', arguments: '{}' }))).toBe('missing_fields')
      expect(called).toBe(false)
    },
  )
})
