import { defaultsChecker } from '../../ir/rules/default-values.js'
import { definitionsUsed } from '../../schema/canonical/definitions-used.js'
import { isObject, objectFrom, own } from '../../schema/json/json.js'
import type { Json, Schema, SchemaObject } from '../../schema/json/json-schema.js'
import { eachSubschema } from '../../schema/json/keywords.js'
import { refName } from '../../schema/json/pointer.js'
import type { SchemaFault } from '../../schema/json/schema-fault.js'
import { impossiblePart, type KnownParts } from '../../schema/shape/impossible-part.js'
import { toJsonSchema } from '../../schema/to-json-schema.js'
import { valueChecker } from '../../schema/values/check-value.js'
import { timelyPattern } from '../../schema/values/timely-pattern.js'
import { withoutContradictions, withoutDefaults } from '../fitting-defaults.js'
import type { PartFault } from './references.js'

/** Schemas over the definitions that they need, in the form of JSON Schema 2020-12. */
export interface SettledSchemas {
  /** Those that can be used, by their names. */
  readonly schemas: ReadonlyMap<string, Schema>
  /** Sorted by name. */
  readonly definitions: Readonly<Record<string, Schema>>
  /** Why the others cannot. */
  readonly faults: ReadonlyMap<string, PartFault>
  /** The complaint about a default that was left out, by the name of its schema or definition. */
  readonly misfits: ReadonlyMap<string, string>
  /** Repairs of the loose dialects, by the name of the schema or definition. */
  readonly repairs: ReadonlyMap<string, readonly SchemaFault[]>
  /** The variants of unions that no value fits, by the name of the schema or definition with the union. */
  readonly impossible: ReadonlyMap<string, readonly ImpossibleVariant[]>
}

/** A variant of a union that no value fits. */
export interface ImpossibleVariant {
  /** Name of its definition, else its title or its number. */
  readonly variant: string
  /** Names of the required fields that lead to the part without a value; none where that is the variant itself. */
  readonly fields: readonly string[]
}

/**
 * Reads schemas and definitions together, each once. What cannot be read is left out, and with it all that needs it.
 *
 * @param known what is known to be wrong, by the names of schemas and definitions
 * @param isSent whether a schema is one of what is sent
 */
export function settledSchemas(
  schemas: ReadonlyMap<string, Schema>,
  definitions: ReadonlyMap<string, Schema>,
  known: ReadonlyMap<string, PartFault>,
  isSent: (name: string) => boolean,
): SettledSchemas {
  const faults = new Map(known)
  for (;;) {
    spread(faults, [...schemas, ...definitions])
    const usable = ([name]: readonly [string, Schema]): boolean => !faults.has(name)
    const properties = objectFrom([...schemas].filter(usable))
    const $defs = objectFrom([...definitions].filter(usable))
    const before = faults.size
    const repairs = new Map<string, readonly SchemaFault[]>()
    const { value, faults: found } = toJsonSchema({ type: 'object', properties, $defs }, { io: 'output', hint: 'Root' })
    for (const fault of found) {
      const owner = fault.trail[1]
      if (typeof owner !== 'string') continue
      if (fault.severity === 'error') faults.set(owner, { why: fault.message.replace(/\.$/, '') })
      if (isRepair(fault)) repairs.set(owner, [...(repairs.get(owner) ?? []), fault])
    }
    if (value === undefined) {
      if (faults.size > before) continue
      throw new Error(`The schemas of a document cannot be read: ${found[0]?.message ?? 'nobody says why'}`)
    }
    const root = isObject(value.root) ? (own(value.root, 'properties') ?? {}) : {}
    const read = { schemas: new Map(schemasIn(root)), defs: Object.fromEntries(value.defs) }
    for (const [name, schema] of read.schemas) {
      const impossible = impossiblePart(schema, read.defs)
      if (impossible === undefined) continue
      faults.set(name, {
        why: `no value fits ${impossible.length === 0 ? 'it' : `its field \`${impossible.join('.')}\``}`,
      })
      read.schemas.delete(name)
    }
    const fitted = withFittingDefaults(read, isSent)
    const used = usedOf(fitted.schemas, fitted.definitions)
    return { ...fitted, definitions: used, faults, repairs, impossible: impossibleVariants(fitted.schemas, used) }
  }
}

/** Returns whether a finding is a repair that loses or chooses something. */
function isRepair({ code, severity }: SchemaFault): boolean {
  return severity === 'warning' && /^TG303\d$/.test(code)
}

/** What refers to something that cannot be used cannot be used either. */
function spread(faults: Map<string, PartFault>, all: readonly (readonly [string, Schema])[]): void {
  if (faults.size === 0) return
  const users = new Map<string, string[]>()
  for (const [user, schema] of all) {
    for (const name of new Set(namesIn(schema))) {
      const known = users.get(name)
      if (known === undefined) users.set(name, [user])
      else known.push(user)
    }
  }
  // Those that are found on the way are appended while this runs.
  for (const [name, fault] of faults) {
    for (const user of users.get(name) ?? []) {
      if (!faults.has(user)) faults.set(user, fault)
    }
  }
}

function namesIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => namesIn(item))
  if (!isObject(value)) return []
  const name = refName(own(value, '$ref'))
  return [...(name === undefined ? [] : [name]), ...Object.values(value).flatMap(namesIn)]
}

function schemasIn(properties: Json): readonly (readonly [string, Schema])[] {
  return Object.entries(isObject(properties) ? properties : {}).flatMap(([name, schema]) =>
    isObject(schema) || typeof schema === 'boolean' ? [[name, schema] as const] : [],
  )
}

/** A design takes no default that is not a value of its own schema. */
function withFittingDefaults(
  { schemas, defs }: { readonly schemas: ReadonlyMap<string, Schema>; readonly defs: Readonly<Record<string, Schema>> },
  isSent: (name: string) => boolean,
): Pick<SettledSchemas, 'schemas' | 'definitions' | 'misfits'> {
  const misfits = new Map<string, string>()
  const at = { what: '', placeOf: () => ({ file: '', line: 0, column: 0 }) }
  const [sent, returned] = (['refuse', 'allow'] as const).map((unknown) =>
    defaultsChecker(valueChecker(defs, unknown, timelyPattern)),
  )
  const fitted = (name: string, schema: Schema, isOfSent: boolean): Schema => {
    const check = isOfSent ? sent : returned
    const [first] = check?.(schema, at) ?? []
    if (first === undefined || check === undefined) return schema
    misfits.set(name, first.message.replace(/^: The default /, 'the default ').replace(/\.$/, ''))
    const agreeing = withoutContradictions(schema)
    return check(agreeing, at).length === 0 ? agreeing : withoutDefaults(schema)
  }
  return {
    schemas: new Map([...schemas].map(([name, schema]) => [name, fitted(name, schema, isSent(name))])),
    definitions: objectFrom(Object.entries(defs).map(([name, schema]) => [name, fitted(name, schema, false)])),
    misfits,
  }
}

function usedOf(
  schemas: ReadonlyMap<string, Schema>,
  definitions: Readonly<Record<string, Schema>>,
): Readonly<Record<string, Schema>> {
  const all: SchemaObject = objectFrom<Json>([['allOf', [...schemas.values()]]])
  return objectFrom(definitionsUsed(all, definitions).map((name) => [name, own(definitions, name) ?? true] as const))
}

function impossibleVariants(
  schemas: ReadonlyMap<string, Schema>,
  defs: Readonly<Record<string, Schema>>,
): SettledSchemas['impossible'] {
  const all = new Map<string, readonly ImpossibleVariant[]>()
  const known: KnownParts = new Map()
  const collect = (schema: Schema, found: ImpossibleVariant[]): void => {
    if (!isObject(schema)) return
    for (const keyword of ['oneOf', 'anyOf']) {
      const variants = own(schema, keyword)
      for (const [index, variant] of Array.isArray(variants) ? variants.entries() : []) {
        const fields = isObject(variant) ? impossiblePart(variant, defs, known) : undefined
        if (fields !== undefined) found.push({ variant: variantName(variant, index), fields })
      }
    }
    eachSubschema(schema, (subschema) => collect(subschema, found))
  }
  for (const [name, schema] of [...schemas, ...Object.entries(defs)]) {
    const found: ImpossibleVariant[] = []
    collect(schema, found)
    if (found.length > 0) all.set(name, found)
  }
  return all
}

/** Returns the name of a variant: that of its definition, which can stand in an `allOf`, else its title or its number. */
function variantName(variant: Json, index: number): string {
  const parts = isObject(variant) ? [variant, ...[own(variant, 'allOf') ?? []].flat()].filter(isObject) : []
  const [name] = parts.flatMap((part) => refName(own(part, '$ref')) ?? own(part, 'title') ?? [])
  return typeof name === 'string' ? name : `number ${index + 1}`
}
