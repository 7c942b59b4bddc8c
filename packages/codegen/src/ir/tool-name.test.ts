import fc from 'fast-check'
import { expect, it } from 'vitest'
import { defaultToolName, isToolName } from './tool-names.js'

it('is toolset_tool where that is legal', () => {
  expect(defaultToolName('orders', 'getOrder')).toBe('orders_getOrder')
  expect(defaultToolName('my shop', 'get.order')).toBe('my_shop_get_order')
})

it('keeps long names with the same beginning apart', () => {
  const long = 'x'.repeat(80)
  expect(defaultToolName(long, 'a')).not.toBe(defaultToolName(long, 'b'))
})

it('is legal for any names', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (toolset, tool) => {
      expect(isToolName(defaultToolName(toolset, tool))).toBe(true)
    }),
  )
})

it.each(['', 'a b', 'é', 'a.b', 'x'.repeat(65)])('%j is not legal', (name) => {
  expect(isToolName(name)).toBe(false)
})
