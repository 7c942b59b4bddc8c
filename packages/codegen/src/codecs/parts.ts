import { eachSubschema } from '@toolgen/runtime/schema'
import { entriesOf, isObject, own, type Schema, type SchemaObject, stringsOf } from '../schema/json-schema.js'
import { knownBySchema } from '../schema/keywords.js'
import { refName } from '../schema/references.js'
import { type Defs, subschema } from './conjuncts.js'

/** Whether values of a schema hold objects with declared fields, or typed values: not written as JSON.stringify does. */
export function hasDeclaredParts(schema: Schema, defs: Defs): boolean {
  return typeof schema !== 'boolean' && declaresParts(schema, defs)
}

const declaresParts = knownBySchema((schema, defs) =>
  visits(schema, defs, (part) => hasKeyword(part, 'properties', 'patternProperties', 'x-js')),
)

/**
 * Whether values of a schema hold objects of which only listed fields are declared, or typed values. Where the others
 * are said to be refused, or to be anything, no field is undeclared.
 */
export function hasClosedLocations(schema: Schema, defs: Defs): boolean {
  return visits(schema, defs, (part) => {
    const isListing = hasKeyword(part, 'properties', 'patternProperties')
    return hasKeyword(part, 'x-js') || (isListing && !hasKeyword(part, 'additionalProperties'))
  })
}

/** Whether a schema leads to itself: then its values may be of any depth. */
export function isDeep(schema: Schema, defs: Defs): boolean {
  const names = new Set<string>()
  let isRecursive = false
  const follow = (part: Schema, within: readonly string[]): void => {
    if (typeof part === 'boolean') return
    const name = refName(own(part, '$ref'))
    if (name !== undefined && within.includes(name)) isRecursive = true
    else if (name !== undefined && !names.has(name)) {
      follow(defs[name] ?? true, [...within, name])
      names.add(name)
    }
    eachSubschema(part, (inner) => follow(inner, within))
  }
  follow(schema, [])
  return isRecursive
}

/** Whether a schema, or one that it leads to, is as asked. */
export function visits(schema: Schema, defs: Defs, asked: (part: Schema) => boolean): boolean {
  const seen = new Set<string>()
  const visit = (part: Schema): boolean => {
    if (asked(part)) return true
    if (typeof part === 'boolean') return false
    const name = refName(own(part, '$ref'))
    if (name !== undefined && !seen.has(name)) {
      seen.add(name)
      if (visit(defs[name] ?? true)) return true
    }
    let found = false
    eachSubschema(part, (inner) => {
      found ||= visit(inner)
    })
    return found
  }
  return visit(schema)
}

/** Whether a schema has one of the keywords. */
export function hasKeyword(schema: Schema, ...keywords: readonly string[]): boolean {
  return typeof schema !== 'boolean' && keywords.some((keyword) => Object.hasOwn(schema, keyword))
}

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
