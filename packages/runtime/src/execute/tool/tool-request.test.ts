import { describe, expect, it } from 'vitest'
import type { ToolRequest } from '../../contract/tool-request.js'
import { decodes, fixedEffects, getOrder, registrationOf } from '../orders.fixture.js'
import { toolService } from '../pipeline/tool-service.js'
import { type BoundTool, boundTools } from './bound-tool.js'
import { toolRequest } from './tool-request.js'

const answer = { id: 'A-1', total: 1 }

function bound(...parts: Parameters<typeof registrationOf>): BoundTool {
  const [tool] = boundTools(registrationOf(...parts))
  if (tool === undefined) throw new Error('the registration has a tool')
  return tool
}

function requestOf(tool: BoundTool): ToolRequest {
  return toolRequest(tool, {
    call: { tool: tool.id, toolCallId: 'c' },
    meta: { toolCallId: 'c', labels: {}, signal: new AbortController().signal, attempt: 1 },
    arguments: '{"orderId":"A-1"}',
    startedAt: 0,
  })
}

describe('a tool request', () => {
  it.each([false, true])(
    'is adapted and decoded once under retries (decodeInExecutor: %s)',
    async (decodeInExecutor) => {
      decodes.count = 0
      let adapted = 0
      const attempts: unknown[] = []
      const tool = bound(
        getOrder,
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
      const service = toolService(tool, { effects: fixedEffects(), classify: undefined })
      const request = requestOf(tool)
      await request.decode()
      await service(request)
      await service(request.withMeta({ ...request.meta, attempt: 2 }))
      const last = await service(request.withMeta({ ...request.meta, attempt: 3 }))
      expect(last).toMatchObject({ status: 'completed', provenance: { attempts: 3 } })
      expect(attempts).toEqual([1, 2, 3].map((attempt) => [attempt, { orderId: 'A-1', quantity: 1 }]))
      expect([adapted, decodes.count]).toEqual([1, 1])
    },
  )

  it('decodes anew when it gets other arguments', async () => {
    const tool = bound(getOrder, async (request) => ({ ...answer, id: await request.json() }))
    const service = toolService(tool, { effects: fixedEffects(), classify: undefined })
    const request = requestOf(tool)
    decodes.count = 0
    await request.decode()
    const other = request.withArguments('{"orderId":"B-2"}')
    expect(await service(other)).toMatchObject({ result: { data: { id: '{"orderId":"B-2"}' } } })
    expect(await service(request)).toMatchObject({ result: { data: { id: '{"orderId":"A-1"}' } } })
    expect(decodes.count).toBe(2)
  })
})
