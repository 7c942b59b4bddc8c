import { cachedBy } from '../defined.js'
import {
  type Defs,
  entriesOf,
  isObject,
  own,
  type Schema,
  type SchemaObject,
  stringsOf,
} from '../schema/json-schema.js'
import { conjunctsOf, subschema, subschemas } from './schema-reading.js'

export interface FieldRules {
  readonly properties: readonly (readonly [string, Schema])[]
  readonly patterns: readonly (readonly [string, Schema])[]
  readonly others: Schema | undefined
}

interface ObjectParts {
  readonly rules: readonly FieldRules[]
  readonly fields: ReadonlyMap<string, readonly Schema[]>
  readonly required: ReadonlySet<string>
  readonly isClosed: boolean
}

export const objectParts: (conjuncts: readonly SchemaObject[]) => ObjectParts = cachedBy(readParts)

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

const deepestUnion = 5

export function mayDeclare(
  conjuncts: readonly SchemaObject[],
  isKnown: (name: string) => boolean,
  defs: Defs,
  within: readonly Schema[] = [],
): boolean {
  return conjuncts.some((conjunct) => {
    const dependent = own(conjunct, 'dependentSchemas')
    const inPlace: readonly Schema[] = [
      ...['if', 'then', 'else'].map((keyword) => subschema(conjunct, keyword)).filter((part) => part !== undefined),
      ...['anyOf', 'oneOf'].flatMap((keyword) => subschemas(conjunct, keyword)),
      ...(isObject(dependent) ? Object.keys(dependent).map((name) => subschema(dependent, name) ?? true) : []),
    ]
    return inPlace.some((part) => {
      if (within.includes(part)) return false
      // At the limit, the search ends and assumes that there are further fields.
      if (within.length > deepestUnion) return true
      const parts = conjunctsOf(part, defs) || []
      return parts.some((other) => speaksOf(other, isKnown)) || mayDeclare(parts, isKnown, defs, [...within, part])
    })
  })
}

function speaksOf(schema: SchemaObject, isKnown: (name: string) => boolean): boolean {
  const properties = own(schema, 'properties')
  const names = [...(isObject(properties) ? Object.keys(properties) : []), ...stringsOf(schema, 'required')]
  const isOpen = ['patternProperties', 'additionalProperties'].some((keyword) => Object.hasOwn(schema, keyword))
  return isOpen || !names.every(isKnown)
}
