import type { Mode } from '../words/mode.js'
import { keyword } from './keywords.js'
import type { Located, SchemaIndex } from './references.js'

/** A generated check of one object type. */
export type Gate = (value: any, mode: Mode) => boolean // any: generated checks read fields of what they have tested

/** Generated checks by the pointers of the schemas that they check. */
export type Gates = Readonly<Record<string, Gate>>

/** The generated check of a schema, or of what it only refers to. */
export function gateOf(located: Located, index: SchemaIndex, gates: Gates): Gate | undefined {
  const { schema, pointer } = located
  if (Object.hasOwn(gates, pointer)) return gates[pointer]
  const reference = typeof schema === 'object' && schema !== null ? keyword({ ...schema }, '$ref') : undefined
  if (typeof reference !== 'string') return undefined
  const target = index.resolve(reference, located)
  return Object.hasOwn(gates, target.pointer) ? gates[target.pointer] : undefined
}
