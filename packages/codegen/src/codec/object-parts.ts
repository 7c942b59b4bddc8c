import { entriesOf, isObject, own, stringsOf } from '../schema/json/json.js'
import type { Schema, SchemaObject } from '../schema/json/json-schema.js'
import { subschema } from './conjuncts.js'

/** What one schema says of the fields of an object. */
export interface FieldRules {
  readonly properties: readonly (readonly [string, Schema])[]
  readonly patterns: readonly (readonly [string, Schema])[]
  /** The schema of all other fields. */
  readonly others: Schema | undefined
}

/** What schemas that all apply say of an object. */
export interface ObjectParts {
  readonly rules: readonly FieldRules[]
  /** The declared fields in declared order, each with every schema that it has to satisfy. */
  readonly fields: ReadonlyMap<string, readonly Schema[]>
  readonly required: ReadonlySet<string>
  /** Whether some schema lists fields and none says what the others may be: then others are undeclared. */
  readonly isClosed: boolean
}

/** What was read of lists of schemas: every function of an object is made of it. */
const known = new WeakMap<readonly SchemaObject[], ObjectParts>()

/** Reads what schemas that all apply say of an object. */
export function objectParts(conjuncts: readonly SchemaObject[]): ObjectParts {
  const parts = known.get(conjuncts) ?? readParts(conjuncts)
  known.set(conjuncts, parts)
  return parts
}

function readParts(conjuncts: readonly SchemaObject[]): ObjectParts {
  const rules = conjuncts.map(fieldRules)
  const fields = new Map<string, Schema[]>()
  for (const [name, schema] of rules.flatMap(({ properties }) => properties)) {
    fields.set(name, [...(fields.get(name) ?? []), schema])
  }
  const isListed = conjuncts.some((conjunct) => own(conjunct, 'properties') ?? own(conjunct, 'patternProperties'))
  return {
    rules,
    fields,
    required: new Set(conjuncts.flatMap((conjunct) => stringsOf(conjunct, 'required'))),
    isClosed: isListed && rules.every(({ others }) => others === undefined),
  }
}

function fieldRules(schema: SchemaObject): FieldRules {
  return {
    properties: schemasOf(schema, 'properties'),
    patterns: schemasOf(schema, 'patternProperties'),
    others: subschema(schema, 'additionalProperties'),
  }
}

function schemasOf(schema: SchemaObject, keyword: string): readonly (readonly [string, Schema])[] {
  return entriesOf(schema, keyword).filter(
    (entry): entry is [string, Schema] => typeof entry[1] === 'boolean' || isObject(entry[1]),
  )
}
