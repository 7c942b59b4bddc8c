import type { SchemaDocument } from '../../codec/evaluate/prepare.js'
import type { Located } from '../../codec/evaluate/references.js'
import { allSubschemas } from '../../codec/evaluate/subschemas.js'
import { isFields } from '../../codec/json/kind.js'

/** Whether a reference within a schema leads, by whatever way, back to itself. */
export function leadsToItself(start: Located, document: SchemaDocument): boolean {
  const finished = new Set<unknown>()
  const underWay = new Set<unknown>()
  const visit = (place: Located): boolean => {
    const { schema } = place
    if (!isFields(schema) || finished.has(schema)) return false
    if (underWay.has(schema)) return true
    underWay.add(schema)
    const target = typeof schema.$ref === 'string' ? [document.index.resolve(schema.$ref, place)] : []
    const parts = allSubschemas(schema).filter(([, keyword]) => keyword !== '$defs')
    const below = parts.map(([part, ...path]) => document.index.below(place, part, ...path))
    const found = [...target, ...below].some(visit)
    underWay.delete(schema)
    finished.add(schema)
    return found
  }
  return visit(start)
}
