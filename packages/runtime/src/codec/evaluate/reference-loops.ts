import { isFields } from '../json/kind.js'
import { textKeyword } from './keywords.js'
import type { Located, SchemaIndex } from './references.js'
import { SchemaError } from './schema-error.js'
import { inPlaceSubschemas } from './subschemas.js'

/** How many references may follow each other without a step into the value. */
const longestChain = 200

/** Refuses schemas that apply themselves to the same value, such as `{ $ref: '#' }`: no evaluation of them would end. */
export function refuseLoops(index: SchemaIndex): void {
  const finished = new Set<object>()
  const open = new Set<object>()

  function visit(located: Located): void {
    const { schema, pointer } = located
    if (!isFields(schema) || finished.has(schema)) return
    if (open.has(schema)) throw new SchemaError(pointer, 'it refers back to itself without a step into the value.')
    if (open.size >= longestChain) throw new SchemaError(pointer, `more than ${longestChain} references in a row.`)
    open.add(schema)
    const reference = textKeyword({ schema, pointer }, '$ref')
    if (reference !== undefined) visit(index.resolve(reference, located))
    for (const [part, ...path] of inPlaceSubschemas(schema)) visit(index.below(located, part, ...path))
    open.delete(schema)
    finished.add(schema)
  }

  for (const schema of index.schemas) visit(schema)
}
