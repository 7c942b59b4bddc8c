import { parsePointer, pointerOf } from '@toolgen/runtime/schema'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { refName, refTo } from './references.js'

it('reads what it writes', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (keys) => {
      expect(parsePointer(pointerOf(keys))).toEqual(keys)
    }),
  )
})

it('names definitions by references that can be read back', () => {
  for (const name of ['Address', 'a.b-c_d', 'Größe', '日本']) expect(refName(refTo(name))).toBe(name)
  expect(refName('#/$defs/a~1b%20c')).toBe('a/b c')
})

it('sees no definition in any other reference', () => {
  for (const ref of ['#', '#/properties/a', '#/$defs/a/b', 'x#/$defs/a', '#/$defs/%E0%A4%A', 1, undefined]) {
    expect(refName(ref)).toBeUndefined()
  }
})
