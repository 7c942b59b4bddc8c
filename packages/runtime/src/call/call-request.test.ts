import { describe, expect, it } from 'vitest'
import { decodes, getOrder, registrationOf, toolOf } from '../agents/orders.fixture.js'
import { Runtime, retry } from '../index.js'
import type { ToolLayer } from '../types/layer.js'

const answer = { id: 'A-1', total: 1 }
const readOnly = toolOf<{ orderId: string }, unknown>('orders.getOrder', { spec: { annotations: { readOnly: true } } })

describe('a tool request', () => {
  it.each([false, true])(
    'is adapted and decoded once under retries (decodeInExecutor: %s)',
    async (decodeInExecutor) => {
      decodes.count = 0
      let adapted = 0
      const attempts: unknown[] = []
      const registration = registrationOf(
        readOnly,
        async (request) => {
          attempts.push([request.meta.attempt, await request.payload()])
          if (request.meta.attempt < 3) throw Object.assign(new Error('busy'), { status: 503 })
          return answer
        },
        {
          decodeInExecutor,
          payloadAdapter: (json) => {
            adapted += 1
            return json
          },
        },
      )
      const asksFirst: ToolLayer = (next) => async (request) => {
        await request.decode()
        return next(request)
      }
      const layered = registration.layer(retry({ attempts: 3, delayMs: () => 0 })).layer(asksFirst)
      const outcome = await new Runtime().registerToolset(layered).execute(readOnly.call({ orderId: 'A-1' }))
      expect(outcome).toMatchObject({ status: 'completed', provenance: { attempts: 3 } })
      expect(attempts).toEqual([1, 2, 3].map((attempt) => [attempt, { orderId: 'A-1', quantity: 1 }]))
      // The builder encoded; only the call decoded.
      expect([adapted, decodes.count]).toEqual([1, 1])
    },
  )

  it('decodes again if the arguments change', async () => {
    decodes.count = 0
    const changing: ToolLayer = (next) => async (request) => {
      await request.decode()
      return next(request.withArguments('{"orderId":"B-2"}'))
    }
    const registration = registrationOf(getOrder, async (request) => ({ ...answer, id: await request.json() }))
    const tools = new Runtime().registerToolset(registration.layer(changing))
    expect(await tools.execute(getOrder.call({ orderId: 'A-1' }))).toMatchObject({
      result: { data: { id: '{"orderId":"B-2"}' } },
    })
    expect(decodes.count).toBe(2)
  })
})
