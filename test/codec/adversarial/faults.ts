import type { UnknownFields } from '../../../packages/runtime/src/schema/interpreter.js'
import { textDisagreement, valueDisagreement } from '../differential/compare.js'
import { codecPair, type SchemaCase } from '../differential/compiled-codecs.js'

/** Names of values that generated functions accept because they drop the getter without a read. */
export const unread: readonly string[] = ['a getter that throws', 'a getter of an unknown field that throws']

/** Returns the differences between the two codecs of a schema. An exception in either codec is a fault too. */
export function faultsOf(
  source: SchemaCase,
  values: readonly (readonly [name: string, value: unknown])[],
  texts: readonly string[],
  within: readonly UnknownFields[] = ['reject', 'strip', 'keep'],
): readonly string[] {
  return within.flatMap((mode) => {
    const { compiled, interpreted: other } = codecPair(source, mode)
    const codec = compiled ?? other
    const compared = mode === 'strip' ? values.filter(([name]) => !unread.includes(name)) : values
    const faults = [
      ...compared.map(([name, value]) => [name, valueDisagreement(codec, other, value)] as const),
      ...texts.map((text) => [text.slice(0, 80), textDisagreement(codec, other, text)] as const),
    ]
    return faults.flatMap(([name, fault]) => (fault === undefined ? [] : [`${mode}: ${name}: ${fault}`]))
  })
}
