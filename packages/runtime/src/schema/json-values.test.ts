import { setFlagsFromString } from 'node:v8'
import { describe, expect, it } from 'vitest'
import { shallowCopy } from './json-values.js'

setFlagsFromString('--allow-natives-syntax')
/** True if two objects have the same hidden class of V8. */
const haveSameClass: (one: object, other: object) => boolean = new Function(
  ...['one', 'other'],
  'return %HaveSameMap(one, other)',
) as never

describe('shallow copies', () => {
  const message = (content: string): object => ({ role: 'user', content, parts: [content] })

  it('have the same own properties in the same order', () => {
    const original = JSON.parse('{ "b": [1], "__proto__": { "c": 2 }, "a": 3 }')
    expect(JSON.stringify(shallowCopy(original))).toBe(JSON.stringify(original))
    expect(shallowCopy(original).b).toBe(original.b)
  })

  it.each([
    { change: 'frozen', changed: (copy: object) => Object.freeze(copy) },
    { change: 'extended', changed: (copy: object) => Object.assign(copy, { name: 'x' }) },
  ])('share a hidden class after they were $change', ({ changed }) => {
    // Repeated, because the first copies use slower code of the engine.
    const [one = {}, other = {}] = Array.from({ length: 20 }, (_, index) =>
      changed(shallowCopy(message(String(index)))),
    ).slice(-2)
    expect(haveSameClass(one, other)).toBe(true)
  })
})
