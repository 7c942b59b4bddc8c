import fc from 'fast-check'
import { expect, it } from 'vitest'
import { nearest } from './near-names.js'

it('finds misspelt names, nearest first', () => {
  expect(nearest('getOdrer', ['setOrder', 'getOrder', 'listOrders'])).toEqual(['getOrder', 'setOrder'])
  expect(nearest('order_id', ['id', 'orderId', 'order'])).toEqual(['orderId', 'order'])
})

it('proposes neither the name itself nor names that are far away', () => {
  expect(nearest('id', ['id', 'customerName'])).toEqual([])
  expect(nearest('', ['a', 'bcd'])).toEqual([])
})

it('gives at most three and takes long names', () => {
  expect(nearest('aa', ['ab', 'ac', 'ad', 'ae'])).toEqual(['ab', 'ac', 'ad'])
  expect(nearest('x'.repeat(90), ['x'.repeat(89)])).toHaveLength(1)
  expect(nearest('x'.repeat(100_000), ['x'.repeat(99_999)])).toEqual([])
})

it('answers with candidates only, whatever the names', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.string()), (name, candidates) => {
      for (const found of nearest(name, candidates)) expect(candidates).toContain(found)
    }),
  )
})
