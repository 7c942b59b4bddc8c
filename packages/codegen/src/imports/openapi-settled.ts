import { eachSubschema } from '@toolgen/runtime/schema'
import { impossiblePart, type KnownParts } from '../schema/impossible-part.js'
import {
  isObject,
  isSchema,
  type Json,
  objectFrom,
  objectOf,
  own,
  type Schema,
  type SchemaDiagnostic,
} from '../schema/json-schema.js'
import { definitionsUsed, refName } from '../schema/references.js'
import { toJsonSchema } from '../schema/to-json-schema.js'
import type { PartProblem } from './openapi-parts.js'
import { defaultCheck, noValueFits, repairedDefaults } from './tool-schemas.js'

export interface ImpossibleVariant {
  readonly variant: string
  /** Path of required fields to the part that accepts no value, such as `["customer", "id"]`. Empty if the whole variant accepts no value. */
  readonly fields: readonly string[]
}

interface SettledSchemas {
  readonly schemas: ReadonlyMap<string, Schema>
  readonly definitions: Readonly<Record<string, Schema>>
  readonly problems: ReadonlyMap<string, PartProblem>
  /** Messages about defaults that did not match their schemas and were removed, by the name of the schema or definition. */
  readonly misfits: ReadonlyMap<string, string>
  readonly repairs: ReadonlyMap<string, readonly SchemaDiagnostic[]>
  readonly impossible: ReadonlyMap<string, readonly ImpossibleVariant[]>
}

export function settledSchemas(
  schemas: ReadonlyMap<string, Schema>,
  definitions: ReadonlyMap<string, Schema>,
  known: ReadonlyMap<string, PartProblem>,
  isSent: (name: string) => boolean,
): SettledSchemas {
  const problems = new Map(known)
  for (;;) {
    spread(problems, [...schemas, ...definitions])
    const isUsable = ([name]: readonly [string, Schema]): boolean => !problems.has(name)
    const properties = objectFrom([...schemas].filter(isUsable))
    const $defs = objectFrom([...definitions].filter(isUsable))
    const before = problems.size
    const repairs = new Map<string, readonly SchemaDiagnostic[]>()
    const { value, diagnostics } = toJsonSchema({ type: 'object', properties, $defs }, { io: 'output', hint: 'Root' })
    for (const diagnostic of diagnostics) {
      const owner = diagnostic.trail[1]
      if (typeof owner !== 'string') continue
      if (diagnostic.severity === 'error') problems.set(owner, { why: diagnostic.message.replace(/\.$/, '') })
      const isRepair = diagnostic.severity === 'warning' && /^TG303\d$/.test(diagnostic.code)
      if (isRepair) repairs.set(owner, [...(repairs.get(owner) ?? []), diagnostic])
    }
    if (value === undefined) {
      if (problems.size > before) continue
      throw new Error(`The schemas of a document cannot be read: ${diagnostics[0]?.message ?? 'unknown reason'}`)
    }
    const defs = Object.fromEntries(value.defs)
    const root = isObject(value.root) ? own(value.root, 'properties') : undefined
    const read = new Map<string, Schema>()
    for (const [name, schema] of Object.entries(objectOf(root))) {
      if (!isSchema(schema)) continue
      const impossible = impossiblePart(schema, defs)
      if (impossible === undefined) read.set(name, schema)
      else {
        problems.set(name, { why: noValueFits(impossible) })
      }
    }
    const misfits = new Map<string, string>()
    const checks = { sent: defaultCheck(defs, 'arguments'), returned: defaultCheck(defs, 'result') }
    const withFittingDefaults = (name: string, schema: Schema, direction: 'sent' | 'returned'): Schema => {
      const misfit = checks[direction](schema)
      if (misfit === undefined) return schema
      misfits.set(name, misfit)
      return repairedDefaults(schema, checks[direction])
    }
    const fitting = new Map(
      [...read].map(([name, each]) => [name, withFittingDefaults(name, each, isSent(name) ? 'sent' : 'returned')]),
    )
    const all = objectFrom(
      Object.entries(defs).map(([name, each]) => [name, withFittingDefaults(name, each, 'returned')]),
    )
    const used = definitionsUsed(objectFrom<Json>([['allOf', [...fitting.values()]]]), all)
    const usedDefinitions = objectFrom(used.map((name) => [name, own(all, name) ?? true] as const))
    const impossible = impossibleVariants(fitting, usedDefinitions)
    return { schemas: fitting, definitions: usedDefinitions, problems, misfits, repairs, impossible }
  }
}

function spread(problems: Map<string, PartProblem>, all: readonly (readonly [string, Schema])[]): void {
  if (problems.size === 0) return
  const users = new Map<string, string[]>()
  for (const [user, schema] of all) {
    for (const name of new Set(referencesIn(schema))) {
      const known = users.get(name)
      if (known === undefined) users.set(name, [user])
      else known.push(user)
    }
  }
  // The loop also visits problems that it adds.
  for (const [name, problem] of problems) {
    for (const user of users.get(name) ?? []) if (!problems.has(user)) problems.set(user, problem)
  }
}

function referencesIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => referencesIn(item))
  if (!isObject(value)) return []
  const name = refName(own(value, '$ref'))
  return [...(name === undefined ? [] : [name]), ...Object.values(value).flatMap(referencesIn)]
}

function impossibleVariants(
  schemas: ReadonlyMap<string, Schema>,
  defs: Readonly<Record<string, Schema>>,
): SettledSchemas['impossible'] {
  const known: KnownParts = new Map()
  const variantsIn = (schema: Schema): readonly ImpossibleVariant[] => {
    if (!isObject(schema)) return []
    const found = ['oneOf', 'anyOf'].flatMap((keyword) => {
      const variants = own(schema, keyword)
      return (Array.isArray(variants) ? variants : []).flatMap((variant: Json, index) => {
        const fields = isObject(variant) ? impossiblePart(variant, defs, known) : undefined
        return fields === undefined ? [] : [{ variant: variantName(variant, index), fields }]
      })
    })
    eachSubschema(schema, (subschema) => found.push(...variantsIn(subschema)))
    return found
  }
  const all = [...schemas, ...Object.entries(defs)].map(([name, schema]) => [name, variantsIn(schema)] as const)
  return new Map(all.filter(([, found]) => found.length > 0))
}

function variantName(variant: Json, index: number): string {
  const parts = isObject(variant) ? [variant, ...[own(variant, 'allOf') ?? []].flat()].filter(isObject) : []
  const [name] = parts.flatMap((part) => refName(own(part, '$ref')) ?? own(part, 'title') ?? [])
  return typeof name === 'string' ? name : `number ${index + 1}`
}
