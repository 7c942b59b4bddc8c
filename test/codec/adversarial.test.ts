import { describe, expect, it } from 'vitest'
import type { UnknownFields } from '../../packages/runtime/src/codec/interpreter.js'
import { hostileSchemas } from './adversarial/schemas.js'
import { hostileTexts, largeTexts, nestedNext } from './adversarial/texts.js'
import { hostileValues, largeValues } from './adversarial/values.js'
import { textDisagreement, valueDisagreement } from './differential/compare.js'
import { codecPair, type SchemaCase } from './differential/compiled-codecs.js'

/** The schemas that are left to the interpreter. */
const interpreted: readonly string[] = ['one of two or an open one', 'anything unevaluated']

/** The schemas to which long and deep values are given: some of every kind. */
const enduring: readonly string[] = [
  ...['no keywords', 'a map of anything', 'a list of anything', 'a list of lists', 'a tree', 'a tree of maps'],
  ...['a text of two characters', 'a tuple', 'unique items', 'a tagged union', 'typed values', 'defaults deep inside'],
]

/** What generated functions leave out without reading it, so that it does no harm there. */
const unread: readonly string[] = ['a getter that throws', 'a getter of an unknown field that throws']

/** What the two codecs of a schema disagree on; what of either throws is a fault too. */
function faultsOf(
  source: SchemaCase,
  values: typeof hostileValues,
  texts: readonly string[],
  within: readonly UnknownFields[] = ['reject', 'drop', 'keep'],
): readonly string[] {
  return within.flatMap((mode) => {
    const { compiled, interpreted: other } = codecPair(source, mode)
    const codec = compiled ?? other
    const compared = mode === 'drop' ? values.filter(([name]) => !unread.includes(name)) : values
    const faults = [
      ...compared.map(([name, value]) => [name, valueDisagreement(codec, other, value)] as const),
      ...texts.map((text) => [text.slice(0, 80), textDisagreement(codec, other, text)] as const),
    ]
    return faults.flatMap(([name, fault]) => (fault === undefined ? [] : [`${mode}: ${name}: ${fault}`]))
  })
}

describe('hostile values, through generated functions and by the schema alone', () => {
  it(`all but ${interpreted.length} of ${hostileSchemas.length} schemas have a generated check`, () => {
    const without = hostileSchemas.filter(([, source]) => codecPair(source, 'reject').compiled === undefined)
    expect(without.map(([name]) => name)).toEqual(interpreted)
  })

  it.each(hostileSchemas)('get the same answers, and nothing throws: %s', (_, source) => {
    expect(faultsOf(source, hostileValues, hostileTexts)).toEqual([])
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  it.each(hostileSchemas.filter(([name]) => enduring.includes(name)))('long and deep ones do too: %s', (_, source) => {
    expect(faultsOf(source, largeValues, largeTexts, ['drop'])).toEqual([])
  })

  it('a getter that throws does no harm in a field that is left out', () => {
    const { compiled } = codecPair(
      { schema: { type: 'object', properties: { b: { type: 'string' } } }, defs: {} },
      'drop',
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
