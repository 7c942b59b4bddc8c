import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parsePointer, pointerOf } from './json-pointer.js'

it('a pointer leads back to the path it was written from', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (path) => {
      expect(parsePointer(pointerOf(path))).toEqual(path)
    }),
  )
})

it('a text that does not begin with a slash is no pointer', () => {
  expect(parsePointer('a/b')).toBeUndefined()
})
