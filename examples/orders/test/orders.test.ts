import { renderForModel } from '@toolgen/runtime'
import { beforeAll, describe, expect, it } from 'vitest'
import { plan, type Step } from '../src/planner.js'
import { openSupport } from '../src/support.js'

const now = new Date('2026-11-21T12:00:00.000Z')

describe('the orders example', () => {
  let steps: Step[]
  beforeAll(async () => {
    steps = []
    for await (const step of plan(await openSupport(() => now), 'C-7', 's-1')) steps.push(step)
  })

  it('takes eight steps, of which four fail as data', () => {
    expect(steps.map(({ outcome }) => (outcome.status === 'failed' ? outcome.hint.reason : outcome.status))).toEqual([
      'completed',
      'completed',
      'invalid_arguments',
      'completed',
      'unknown_tool',
      'completed',
      'rate_limited',
      'domain_rejection',
    ])
  })

  it('answers with typed results from the database', () => {
    expect(data(1)).toMatchObject({ id: 'A-1001', status: 'open', createdAt: '2026-11-02T09:15:00.000Z', total: 528.8 })
    expect(data(3)).toMatchObject({ id: 'A-1004', lines: [{ sku: 'LAMP-1', quantity: 2, unitPrice: 39.9 }] })
    expect(data(5)).toEqual({ sku: 'LAMP-1', inStock: 12, checkedAt: now.toISOString() })
  })

  it('keeps what the tool does not declare from the model', () => {
    expect(data(1)).not.toHaveProperty('customerId')
    expect(JSON.stringify(steps[1]?.outcome)).not.toContain('C-7')
  })

  it('reports all three issues of a call to the planner and the model', () => {
    const outcome = steps[2]?.outcome
    if (outcome?.status !== 'failed' || outcome.hint.reason !== 'invalid_arguments') throw new Error('it did not fail')
    expect(outcome.hint.issues.map(({ path, constraint }) => [path, constraint])).toEqual([
      ['/customerId', 'invalid_pattern'],
      ['/lines/0/quantity', 'invalid_range'],
      ['/priority', 'invalid_enum_value'],
    ])
    const told = renderForModel(outcome)
    expect(told.length).toBeLessThan(300)
    for (const fact of ['customerId', '^C-\\d+$', '1 to 99', '"standard", "express"', '"customerId":"C-7"'])
      expect(told).toContain(fact)
  })

  it('reports how long to wait, without details of the error', () => {
    const outcome = steps[6]?.outcome
    expect(outcome).toMatchObject({ status: 'failed', hint: { action: 'wait', retryAfterMs: 30_000 } })
    expect(JSON.stringify(outcome)).not.toMatch(/warehouse-3|wh_live/)
  })

  it("passes the shop's own words on, since they are written for customers", () => {
    const outcome = steps[7]?.outcome
    if (outcome?.status !== 'failed') throw new Error('it did not fail')
    expect(renderForModel(outcome)).toContain('Order A-1002 has left the warehouse')
    expect(outcome.error).toMatchObject({ reason: 'order_shipped', data: { orderId: 'A-1002' } })
  })

  function data(step: number): unknown {
    const outcome = steps[step]?.outcome
    return outcome?.status === 'completed' ? outcome.result.data : outcome
  }
})
