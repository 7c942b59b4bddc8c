import { describe, expect, it } from 'vitest'
import { faultsOf, unread } from './adversarial/faults.js'
import { hostileSchemas } from './adversarial/schemas.js'
import { hostileTexts, nestedNext } from './adversarial/texts.js'
import { hostileValues } from './adversarial/values.js'
import { codecPair } from './differential/compiled-codecs.js'

/** The schemas that are left to the interpreter. */
const interpreted: readonly string[] = ['one of two or an open one', 'anything unevaluated']

describe('hostile values, through generated functions and by the schema alone', () => {
  it(`all but ${interpreted.length} of ${hostileSchemas.length} schemas have a generated check`, () => {
    const without = hostileSchemas.filter(([, source]) => codecPair(source, 'reject').compiled === undefined)
    expect(without.map(([name]) => name)).toEqual(interpreted)
  })

  it.each(hostileSchemas)('get the same answers, and nothing throws: %s', (_, source) => {
    expect(faultsOf(source, hostileValues, hostileTexts)).toEqual([])
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  it('a getter that throws does no harm in a field that is left out', () => {
    const { compiled } = codecPair(
      { schema: { type: 'object', properties: { b: { type: 'string' } } }, defs: {} },
      'strip',
    )
    for (const [name, value] of hostileValues.filter(([of]) => unread.includes(of))) {
      expect([name, compiled?.decodeValue(value)]).toEqual([name, { ok: true, value: {} }])
    }
  })

  it('values of a recursive union are as deep as any other for generated functions, and less deep without', () => {
    const source = hostileSchemas.find(([name]) => name === 'a tree or null')?.[1] ?? { schema: true, defs: {} }
    const { compiled, interpreted: other } = codecPair(source, 'reject')
    expect(compiled?.decode(nestedNext(500)).ok).toBe(true)
    expect(other.decode(nestedNext(500))).toMatchObject({ issues: [{ constraint: 'too_deep' }] })
    for (const codec of [compiled, other]) {
      expect(codec?.decode(nestedNext(501))).toMatchObject({ issues: [{ constraint: 'too_deep' }] })
    }
  })
})
