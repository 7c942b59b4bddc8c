import { pointerOf } from '@toolgen/runtime/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonLocations } from './json-locations.js'

/** Returns the text that begins at the location of a pointer. */
function at(text: string, pointer: string): string | undefined {
  const location = jsonLocations(text).get(pointer)
  return location && text.split('\n')[location.line - 1]?.slice(location.column - 1)
}

describe('the places of a JSON text', () => {
  it('are those of keys and of items', () => {
    const text = '{\n  "a": [1, {"b": true}],\n  "x/~": "{\\"a\\": 1}", "": null }'
    expect(at(text, '')).toBe('{')
    expect(at(text, '/a')).toBe('"a": [1, {"b": true}],')
    expect(at(text, '/a/0')).toBe('1, {"b": true}],')
    expect(at(text, '/a/1')).toBe('{"b": true}],')
    expect(at(text, '/a/1/b')).toBe('"b": true}],')
    expect(at(text, '/x~1~0')).toBe('"x/~": "{\\"a\\": 1}", "": null }')
    expect(at(text, '/')).toBe('"": null }')
    expect(at(text, '/a/2')).toBeUndefined()
  })

  it('are those of every part of any value, however it is laid out', () => {
    const pointersOf = (value: unknown, pointer = ''): readonly string[] =>
      typeof value === 'object' && value !== null
        ? [pointer, ...Object.entries(value).flatMap(([key, part]) => pointersOf(part, pointer + pointerOf([key])))]
        : [pointer]
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, '\t'), (value, space) => {
        const found = [...jsonLocations(JSON.stringify(value, null, space)).keys()]
        expect(found).toEqual(pointersOf(JSON.parse(JSON.stringify(value))))
      }),
    )
  })

  it('are the same for the parts that are asked for', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), (value, seed) => {
        const text = JSON.stringify(value, null, 2)
        const all = jsonLocations(text)
        const wanted = new Set([...all.keys()].filter((_, index) => (index + seed) % 3 === 0))
        expect([...jsonLocations(text, wanted)]).toEqual([...all].filter(([pointer]) => wanted.has(pointer)))
      }),
    )
  })
})
