import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nearestNames } from './nearest.js'

describe('nearest names', () => {
  const names = ['orderId', 'order', 'customer_name', 'status', 'items']

  it.each([
    ['order_id', 'orderId'],
    ['ORDER-ID', 'orderId'],
    ['ordrId', 'orderId'],
    ['customerName', 'customer_name'],
    ['statsu', 'status'],
    ['item', 'items'],
    ['id', 'orderId'],
    ['lineItems', 'items'],
  ])('of %s begin with %s', (name, nearest) => {
    expect(nearestNames(name, names, 3)[0]).toBe(nearest)
  })

  it('are ranked by distance, and equally near ones stay in order', () => {
    expect(nearestNames('cat', ['cart', 'bat', 'cat', 'hat', 'dog'], 9)).toEqual(['cat', 'cart', 'bat', 'hat'])
    expect(nearestNames('cat', ['bat', 'hat', 'rat'], 2)).toEqual(['bat', 'hat'])
  })

  it('leave out what is too far to be meant', () => {
    expect(nearestNames('color', names, 3)).toEqual([])
    expect(nearestNames('', names, 3)).toEqual([])
    expect(nearestNames('x', ['y'], 3)).toEqual([])
  })

  // Comparing them would take 10 ** 14 steps.
  it('are not looked for among names that are too long', () => {
    expect(
      nearestNames(
        'a'.repeat(1_000_000),
        Array.from({ length: 100 }, () => 'a'.repeat(999_999)),
        3,
      ),
    ).toEqual([])
  })
})

describe('the nearest name', () => {
  it('is the first of all near names', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'D', '_'), maxLength: 9 })
    fc.assert(
      fc.property(name, fc.array(name, { maxLength: 8 }), (wanted, names) => {
        expect(nearestNames(wanted, names, 1)).toEqual(nearestNames(wanted, names, names.length).slice(0, 1))
      }),
    )
  })
})
