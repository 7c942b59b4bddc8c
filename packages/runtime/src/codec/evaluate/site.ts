import type { JsonSchemaObject } from '../../contract/json.js'
import type { Segment } from '../json/pointer.js'
import type { Node } from './node.js'
import type { Located, SchemaIndex } from './references.js'
import type { SchemaFacts } from './schema-facts.js'

/** A schema that is being prepared, with the means to prepare the schemas within it. */
export interface Site extends Located {
  readonly schema: JsonSchemaObject
  readonly index: SchemaIndex
  readonly facts: SchemaFacts
  /** Prepares the subschema at a path below this one. */
  below(schema: unknown, ...path: readonly Segment[]): Node
  /** Prepares a schema that a reference leads to. */
  target(located: Located): Node
}
