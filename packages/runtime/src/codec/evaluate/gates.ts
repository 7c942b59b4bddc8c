import { isFields } from '../json/kind.js'
import type { Mode } from '../words/mode.js'
import { keyword } from './keywords.js'
import type { Located, SchemaIndex } from './references.js'

/** A generated check of one object type. */
export type Gate = (value: any, mode: Mode) => boolean // any: generated checks read fields of what they have tested

/** Generated checks by the pointers of the schemas that they check. */
export type Gates = Readonly<Record<string, Gate>>

/** Keywords that check nothing: beside them a reference is all that a schema says. */
const annotations: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'examples', '$comment'],
  ...['deprecated', 'readOnly', 'writeOnly'],
])

/** The generated check of a schema, or of what it refers to without saying more. */
export function gateOf(located: Located, index: SchemaIndex, gates: Gates): Gate | undefined {
  const { schema, pointer } = located
  if (Object.hasOwn(gates, pointer)) return gates[pointer]
  if (!isFields(schema)) return undefined
  const reference = keyword(schema, '$ref')
  const saysMore = Object.keys(schema).some((name) => name !== '$ref' && !annotations.has(name))
  if (typeof reference !== 'string' || saysMore) return undefined
  const target = index.resolve(reference, located)
  return Object.hasOwn(gates, target.pointer) ? gates[target.pointer] : undefined
}
