import { describe, expect, it } from 'vitest'
import type { Codec } from '../../packages/runtime/src/contract/codec.js'
import { hostileSchemas } from './adversarial/schemas.js'
import { hostileTexts } from './adversarial/texts.js'
import { hostileValues } from './adversarial/values.js'
import { textDisagreement, valueDisagreement } from './differential/compare.js'
import { codecPair } from './differential/compiled-codecs.js'

const modes = ['reject', 'drop', 'keep'] as const

/** The schemas that are left to the interpreter. */
const interpreted: readonly string[] = []

describe('hostile values, through generated functions and by the schema alone', () => {
  it(`${interpreted.length} of ${hostileSchemas.length} schemas have no generated check`, () => {
    const without = hostileSchemas.filter(([, source]) => codecPair(source, 'reject').compiled === undefined)
    expect(without.map(([name]) => name)).toEqual(interpreted)
  })

  it.each(hostileSchemas)('get the same answers, and nothing throws: %s', (_, source) => {
    const values = hostileValues()
    for (const mode of modes) {
      const { compiled, interpreted } = codecPair(source, mode)
      const codec: Codec<unknown> = compiled ?? interpreted
      const faults = [
        ...values.map(([name, value]) => [name, valueDisagreement(codec, interpreted, value)] as const),
        ...hostileTexts.map((text) => [text.slice(0, 80), textDisagreement(codec, interpreted, text)] as const),
      ].filter(([, fault]) => fault !== undefined)
      expect([mode, faults]).toEqual([mode, []])
    }
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })
})
