import type { UnknownFields } from '../../../packages/runtime/src/schema/interpreter.js'
import { textDisagreement, valueDisagreement } from '../differential/compare.js'
import { codecPair, type SchemaCase } from '../differential/compiled-codecs.js'

/** What generated functions leave out without reading it, so that it does no harm there. */
export const unread: readonly string[] = ['a getter that throws', 'a getter of an unknown field that throws']

/** What the two codecs of a schema disagree on; what of either throws is a fault too. */
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
