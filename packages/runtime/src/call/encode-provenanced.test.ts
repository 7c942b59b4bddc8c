import { describe, expect, it } from 'vitest'
import { getOrder } from '../agents/orders.fixture.js'
import { encodeProvenanced } from './provenance.js'

describe('encodeProvenanced', () => {
  const data = { id: 'A-1', total: 1 }

  it('writes the JSON names', () => {
    const provenance = {
      tool: 'orders.getOrder',
      durationMs: 7,
      attempts: 2,
      model: 'm',
      service: 's',
      children: [
        { tool: 'a.b', toolCallId: 'c', parentToolCallId: 'p' },
        { tool: 'a.c', toolCallId: 'd' },
      ],
      extra: { cache: 'hit' },
    }
    expect(encodeProvenanced({ data, provenance }, getOrder.result)).toBe(
      '{"data":{"id":"A-1","total":1},"provenance":{"tool":"orders.getOrder","duration_ms":7,"attempts":2,"model":"m",' +
        '"service":"s","children":[{"tool":"a.b","tool_call_id":"c","parent_tool_call_id":"p"},{"tool":"a.c","tool_call_id":"d"}],' +
        '"extra":{"cache":"hit"}}}',
    )
  })

  it('leaves out what is absent', () => {
    const provenance = { tool: 't', durationMs: 0, attempts: 1 }
    expect(JSON.parse(encodeProvenanced({ data, provenance }, getOrder.result))).toEqual({
      data,
      provenance: { tool: 't', duration_ms: 0, attempts: 1 },
    })
  })
})
