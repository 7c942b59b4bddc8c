import { beforeEach, describe, expect, it } from 'vitest'
import { decodes, fixedEffects, getOrder, registrationOf, toolOf } from '../agents/orders.fixture.js'
import { answer, failure, reasonOf } from '../agents/outcome.fixture.js'
import { provenanced, Runtime } from '../index.js'

beforeEach(() => {
  decodes.count = 0
})

describe('a call that completes', () => {
  it('gives the declared data, its JSON, and where it comes from', async () => {
    const effects = fixedEffects()
    const toolset = new Runtime({ effects }).registerToolset(
      registrationOf(getOrder, async (request) => {
        effects.advance(7)
        const { orderId } = (await request.payload()) as { orderId: string }
        return { total: 12.5, secret: 'hunter2', id: orderId }
      }),
    )
    const outcome = await toolset.execute(getOrder.call({ orderId: 'A-1' }))
    expect(outcome).toEqual({
      call: { tool: 'orders.getOrder', toolCallId: 'toolCall-1' },
      status: 'completed',
      json: '{"id":"A-1","total":12.5}',
      provenance: { tool: 'orders.getOrder', durationMs: 7, attempts: 1 },
      result: { data: answer, provenance: { tool: 'orders.getOrder', durationMs: 7, attempts: 1 } },
    })
  })

  it('gives the executor a request whose copies contain the meta', async () => {
    let copied: unknown
    const toolset = new Runtime({ effects: fixedEffects() }).registerToolset(
      registrationOf(getOrder, async (request) => {
        const { meta } = { ...request }
        copied = meta
        expect(meta).toBe(request.meta)
        return answer
      }),
    )
    const { status } = await toolset.execute(getOrder.call({ orderId: 'A-1' }))
    expect(status).toBe('completed')
    expect(copied).toMatchObject({ toolCallId: 'toolCall-1', attempt: 1 })
  })

  it('applies defaults and hands the executor the meta', async () => {
    let seen: unknown
    const toolset = new Runtime({ effects: fixedEffects() }).registerToolset(
      registrationOf(getOrder, async (request) => {
        const { signal, ...meta } = request.meta
        seen = { payload: await request.payload(), json: await request.json(), meta, aborted: signal.aborted }
        return answer
      }),
    )
    const call = getOrder.call(
      { orderId: 'A-1', quantity: undefined },
      { toolCallId: 'model-7', parentToolCallId: 'p' },
    )
    await toolset.execute(call, { sessionId: 's', runId: 'r', turnId: undefined, labels: { tenant: 't' } })
    expect(seen).toEqual({
      payload: { orderId: 'A-1', quantity: 1 },
      json: '{"orderId":"A-1"}',
      meta: {
        sessionId: 's',
        runId: 'r',
        toolCallId: 'model-7',
        parentToolCallId: 'p',
        labels: { tenant: 't' },
        idempotencyKey: 'r/model-7',
        attempt: 1,
      },
      aborted: false,
    })
  })

  it('takes what an executor knows of the provenance', async () => {
    const toolset = new Runtime().registerToolset(
      registrationOf(getOrder, () =>
        provenanced(answer, { service: 'orders-v2', model: 'm', extra: { cache: 'hit' } }),
      ),
    )
    const { provenance } = await toolset.execute(getOrder.call({ orderId: 'A-1' }))
    expect(provenance).toMatchObject({ service: 'orders-v2', model: 'm', extra: { cache: 'hit' }, attempts: 1 })
  })

  it('does not take a look-alike from a service for provenance', async () => {
    const toolset = new Runtime().registerToolset(
      registrationOf(getOrder, () => ({ value: answer, detail: {}, 'toolgen.provenanced': true })),
    )
    expect(reasonOf(await toolset.execute(getOrder.call({ orderId: 'A-1' })))).toBe('malformed_result')
  })

  it('takes null where the result says so', async () => {
    const find = toolOf<{ orderId: string }, null>('orders.find', { result: { type: 'null' } })
    const toolset = new Runtime().registerToolset(registrationOf(find, () => null))
    expect(await toolset.execute(find.call({ orderId: 'A-1' }))).toMatchObject({ status: 'completed', json: 'null' })
  })
})

describe('decoding', () => {
  it.each([false, true])(
    'happens exactly once, however often it is asked for (decodeInExecutor: %s)',
    async (decodeInExecutor) => {
      const payloads: unknown[] = []
      const toolset = new Runtime().registerToolset(
        registrationOf(
          getOrder,
          async (request) => {
            payloads.push(...(await Promise.all([request.payload(), request.payload()])), await request.payload())
            return answer
          },
          { decodeInExecutor },
        ),
      )
      await toolset.execute(getOrder.call({ orderId: 'A-1' }))
      expect(decodes.count).toBe(1)
      expect(payloads).toHaveLength(3)
      expect(new Set(payloads).size).toBe(1)
    },
  )

  it('does not happen when the decode is the executor’s and it never asks', async () => {
    const toolset = new Runtime().registerToolset(
      registrationOf(getOrder, async (request) => ({ ...answer, id: await request.json() }), {
        decodeInExecutor: true,
      }),
    )
    const outcome = await toolset.execute({ tool: 'orders_getOrder', arguments: 'not JSON at all' })
    expect(outcome).toMatchObject({ status: 'completed', result: { data: { id: 'not JSON at all' } } })
    expect(decodes.count).toBe(0)
  })

  it('fails before the executor, which is not called', async () => {
    let called = false
    const toolset = new Runtime().registerToolset(
      registrationOf(getOrder, () => {
        called = true
        return answer
      }),
    )
    const outcome = failure(await toolset.execute({ tool: 'orders_getOrder', arguments: '{"quantity":0}' }))
    expect(outcome.provenance.attempts).toBe(0)
    expect(called).toBe(false)
  })

  it('turns the same hint when the executor asks and lets the error pass', async () => {
    const hintWith = async (decodeInExecutor: boolean): Promise<unknown> => {
      const registration = registrationOf(getOrder, (request) => request.payload(), { decodeInExecutor })
      const toolset = new Runtime().registerToolset(registration)
      return failure(await toolset.execute({ tool: 'orders.getOrder', arguments: '{"quantity":0}' })).hint
    }
    expect(await hintWith(true)).toEqual(await hintWith(false))
  })

  it('does not bring the process down when the executor asks and does not wait', async () => {
    const registration = registrationOf(
      getOrder,
      (request) => {
        void request.payload()
        return answer
      },
      { decodeInExecutor: true },
    )
    const outcome = await new Runtime()
      .registerToolset(registration)
      .execute({ tool: 'orders.getOrder', arguments: '{' })
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(outcome.status).toBe('completed')
  })
})
