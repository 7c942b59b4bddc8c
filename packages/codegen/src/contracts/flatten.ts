import { isObject, isSchema, type Json, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { refName } from '../schema/references.js'

/** A union that applies to a value. */
export interface Union {
  readonly keyword: 'anyOf' | 'oneOf'
  readonly variants: readonly Schema[]
}

/** Schemas that apply together, without references and `allOf`. */
export interface Flat {
  /** Of each only the keywords count that hold no schemas for the same value. */
  readonly plain: readonly SchemaObject[]
  readonly unions: readonly Union[]
}

/** Schemas that apply together, with references followed and `allOf` taken apart; `undefined` where no value fits. */
export function flatten(schemas: readonly Schema[], defs: Defs): Flat | undefined {
  const plain: SchemaObject[] = []
  const unions: Union[] = []
  const visit = (schema: Schema): boolean => {
    if (typeof schema === 'boolean') return schema
    if (plain.includes(schema)) return true
    plain.push(schema)
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const variants = schemasIn(own(schema, keyword))
      if (variants !== undefined) unions.push({ keyword, variants })
    }
    const name = refName(own(schema, '$ref'))
    const target = name === undefined ? undefined : own(defs, name)
    return (target === undefined || visit(target)) && (schemasIn(own(schema, 'allOf')) ?? []).every(visit)
  }
  return schemas.every(visit) ? { plain, unions } : undefined
}

/** A list of schemas; `undefined` for anything else. */
export function schemasIn(value: Json | undefined): readonly Schema[] | undefined {
  return Array.isArray(value) && value.every(isSchema) ? value : undefined
}

/** The schema of a keyword. */
export function schemaAt(schema: SchemaObject, keyword: string): Schema | undefined {
  const value = own(schema, keyword)
  return isSchema(value) ? value : undefined
}

/** The schemas of a keyword that has one for each name. */
export function schemaMap(schema: SchemaObject, keyword: string): readonly (readonly [string, Schema])[] {
  const value = own(schema, keyword)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, part]) => (isSchema(part) ? [[name, part] as const] : []))
}

/** The schema that a keyword has for a name. */
export function schemaOf(schema: SchemaObject, keyword: string, name: string): Schema | undefined {
  const value = own(schema, keyword)
  const part = isObject(value) ? own(value, name) : undefined
  return isSchema(part) ? part : undefined
}

/** The numbers that a keyword has in several schemas. */
export function numbersOf(plain: readonly SchemaObject[], keyword: string): readonly number[] {
  return plain.flatMap((schema) => {
    const value = own(schema, keyword)
    return typeof value === 'number' ? [value] : []
  })
}

/** The texts that a keyword has in several schemas. */
export function textsOf(plain: readonly SchemaObject[], keyword: string): readonly string[] {
  return plain.flatMap((schema) => {
    const value = own(schema, keyword)
    return typeof value === 'string' ? [value] : []
  })
}

/** The definitions to which the schemas of one side refer. */
export type Defs = Readonly<Record<string, Schema>>

/** Two sides with the definitions of each: the schemas whose values are taken, and those that are to take them. */
export interface Sides {
  readonly taken: Defs
  readonly taker: Defs
  /** Of which pairs of definitions it is known whether they have the same rules. */
  readonly same: Map<string, boolean>
}

/**
 * What is said of one part of a value. A codec that refuses unknown fields takes those that any schema declares that
 * applies, and so it counts which others may apply.
 */
export interface Spot {
  /** The schemas that apply, all of them. */
  readonly all: readonly Schema[]
  /** Schemas that apply to some values besides: those of conditions and the like. */
  readonly maybe: readonly Schema[]
  /** Schemas that some values fit as well, where one of several suffices: other variants of a union. */
  readonly instead: readonly Schema[]
}

/** The spot of which one schema says everything. */
export function spotOf(schema: Schema): Spot {
  return { all: [schema], maybe: [], instead: [] }
}

/** Two sides of which nothing is known yet. */
export function sidesOf(taken: Defs, taker: Defs): Sides {
  return { taken, taker, same: new Map() }
}
