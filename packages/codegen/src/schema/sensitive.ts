import type { Audience, SensitiveField, SensitiveFields, Treatment } from '@toolgen/dsl'
import { eachSubschema, mapSubschemas, pointerOf } from '@toolgen/runtime/schema'
import { cachedBy } from '../defined.js'
import { byCodePoint } from '../text.js'
import {
  type Defs,
  isObject,
  isSchema,
  type Json,
  objectFrom,
  own,
  type Schema,
  type SchemaDiagnostic,
  type SchemaObject,
  schemaError,
  without,
} from './json-schema.js'
import { definitionsUsed, refName } from './references.js'

export type SensitivePathsIr = Readonly<Record<string, Readonly<Partial<Record<Audience, Treatment>>>>>

export interface SensitiveIr {
  readonly payload?: SensitivePathsIr
  readonly result?: SensitivePathsIr
  readonly updates?: SensitivePathsIr
}

const keyword = 'x-sensitive'

const audiences: readonly Audience[] = ['model', 'events', 'telemetry', 'recording']

const next =
  "Write an array of audiences, such as `['events', 'telemetry', 'recording']`, or an object such as `{ model: 'pseudonym', events: 'omit' }`."

/** For a recursive definition, paths contain `**` for any number of levels. */
export function markedPaths(
  root: Schema,
  defs: Defs,
): { readonly paths: SensitivePathsIr; readonly diagnostics: readonly SchemaDiagnostic[] } {
  const diagnostics: SchemaDiagnostic[] = []
  const paths = pathsOf(root, defs, isMarked, (schema, path) => {
    const mark = own(schema, keyword)
    if (mark === undefined) return undefined
    const treatments = treatmentsOf(mark)
    if (treatments === undefined) diagnostics.push(invalidMark(mark, path))
    return treatments
  })
  return { paths, diagnostics }
}

/** A `writeOnly` string with an `enum` or `const` is not secret, because the schema lists its values. */
export function secretPaths(root: Schema, defs: Defs): SensitivePathsIr {
  const paths = pathsOf(root, defs, isSecret, (schema) => (isSecretValue(schema) ? treatmentsOf(true) : undefined))
  return objectFrom(Object.entries(paths).filter(([path]) => pathExists(root, path, defs)))
}

function isSecretValue(schema: SchemaObject): boolean {
  const isSecretText =
    own(schema, 'writeOnly') === true &&
    [own(schema, 'type')].flat().includes('string') &&
    own(schema, 'enum') === undefined &&
    own(schema, 'const') === undefined
  return isSecretText || own(schema, 'format') === 'password'
}

/** Tests a schema and its subschemas, but not the definitions that it references. */
type SchemaTest = (schema: SchemaObject) => boolean

const isMarked = anywhere((schema) => own(schema, keyword) !== undefined)
const isSecret = anywhere(isSecretValue)

function anywhere(test: SchemaTest): SchemaTest {
  const found = cachedBy((schema: SchemaObject): boolean => {
    let isFound = test(schema)
    if (!isFound) eachSubschema(schema, (part) => (isFound ||= typeof part === 'object' && found(part)))
    return isFound
  })
  return found
}

interface Place {
  readonly schema: SchemaObject
  readonly path: string
  /** Paths at which the definitions begin that contain this schema. A reference to one of these definitions is recursive. */
  readonly open: ReadonlyMap<string, string>
}

function pathsOf(
  root: Schema,
  defs: Defs,
  hasTreatments: SchemaTest,
  treatmentsAt: (schema: SchemaObject, path: string) => Partial<Record<Audience, Treatment>> | undefined,
): SensitivePathsIr {
  const parts = [root, ...definitionsUsed(root, defs).map((name) => defs[name])]
  if (!parts.some((part) => typeof part === 'object' && hasTreatments(part))) return {}
  const found = new Map<string, Partial<Record<Audience, Treatment>>>()
  const recursive: string[] = []
  // A list instead of recursion, because definitions can be nested deeper than the call stack.
  const places: Place[] = typeof root === 'boolean' ? [] : [{ schema: root, path: '', open: new Map() }]
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { schema, path, open } = place
    const treatments = treatmentsAt(schema, path)
    if (treatments !== undefined) found.set(path, strictest(found.get(path), treatments))
    const inner: Place[] = []
    const add = (part: Schema | undefined, at: string, within: Place['open'] = open): void => {
      if (typeof part === 'object') inner.push({ schema: part, path: at, open: within })
    }
    const name = refName(own(schema, '$ref'))
    const start = name === undefined ? undefined : open.get(name)
    if (start !== undefined) recursive.push(start)
    else if (name !== undefined) add(own(defs, name), path, new Map([...open, [name, path]]))
    for (const each of ['allOf', 'anyOf', 'oneOf'] as const) for (const part of schemasIn(schema, each)) add(part, path)
    for (const each of ['if', 'then', 'else'] as const) add(schemaIn(schema, each), path)
    for (const each of ['properties', 'dependentSchemas'] as const) {
      const parts = own(schema, each)
      for (const [field, part] of isObject(parts) ? Object.entries(parts) : [])
        if (isSchema(part)) add(part, each === 'properties' ? `${path}${pointerOf([field])}` : path)
    }
    for (const each of [
      'items',
      'unevaluatedItems',
      'contains',
      'additionalProperties',
      'unevaluatedProperties',
    ] as const)
      add(schemaIn(schema, each), `${path}/*`)
    for (const [index, part] of schemasIn(schema, 'prefixItems').entries()) add(part, `${path}/${index}`)
    const patterns = own(schema, 'patternProperties')
    for (const part of isObject(patterns) ? Object.values(patterns) : []) if (isSchema(part)) add(part, `${path}/*`)
    for (const each of inner.reverse()) places.push(each)
  }
  for (const start of new Set(recursive)) {
    for (const [path, treatments] of [...found]) {
      if (path.startsWith(`${start}/`)) found.set(`${start}/**${path.slice(start.length)}`, treatments)
    }
  }
  return sorted(found)
}

export function withoutMarks(schema: Schema): Schema {
  if (typeof schema === 'boolean' || !isMarked(schema)) return schema
  return mapSubschemas(without(schema, [keyword]), withoutMarks)
}

export function withDeclared(marked: SensitiveIr, declared: SensitiveFields | undefined): SensitiveIr | undefined {
  const parts = (['payload', 'result', 'updates'] as const).flatMap((part) => {
    const paths = new Map(Object.entries(marked[part] ?? {}))
    for (const [path, field] of Object.entries(declared?.[part] ?? {}))
      paths.set(path, strictest(paths.get(path), treatmentsOf(field as Json) ?? {}))
    return paths.size === 0 ? [] : [[part, sorted(paths)] as const]
  })
  return parts.length === 0 ? undefined : Object.fromEntries(parts)
}

export function pathExists(root: Schema, path: string, defs: Defs): boolean {
  const segments = path.split('/').slice(1)
  // Any depth cannot be checked.
  if (segments.includes('**')) return true
  const walk = (schema: Schema | undefined, at: number, open: readonly string[]): boolean => {
    if (schema === undefined || schema === false) return false
    if (schema === true || at === segments.length) return true
    const name = refName(own(schema, '$ref'))
    if (name !== undefined && !open.includes(name) && walk(own(defs, name), at, [...open, name])) return true
    for (const each of ['allOf', 'anyOf', 'oneOf'] as const)
      if (schemasIn(schema, each).some((part) => walk(part, at, open))) return true
    const segment = (segments[at] ?? '').replaceAll('~1', '/').replaceAll('~0', '~')
    const properties = own(schema, 'properties')
    const fields = isObject(properties) ? Object.entries(properties) : []
    if (
      fields.some(([field, part]) => (segment === '*' || field === segment) && isSchema(part) && walk(part, at + 1, []))
    )
      return true
    const isItem = segment === '*' || /^\d+$/.test(segment)
    const items = [schemaIn(schema, 'items'), ...schemasIn(schema, 'prefixItems')]
    if (isItem && items.some((part) => walk(part, at + 1, []))) return true
    const others = schemaIn(schema, 'additionalProperties')
    if (typeof others === 'object' && walk(others, at + 1, [])) return true
    const isOpen = !['type', 'properties', '$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const'].some((each) =>
      Object.hasOwn(schema, each),
    )
    return isOpen || own(schema, 'additionalProperties') === true || isObject(own(schema, 'patternProperties'))
  }
  return walk(root, 0, [])
}

function treatmentsOf(mark: Json | SensitiveField): Partial<Record<Audience, Treatment>> | undefined {
  if (mark === true) return treatmentsOf(['events', 'telemetry', 'recording'])
  if (Array.isArray(mark)) {
    if (mark.length === 0 || !mark.every(isAudience)) return undefined
    return ordered(Object.fromEntries(mark.map((each) => [each, each === 'model' ? 'pseudonym' : 'omit'])))
  }
  if (!isObject(mark as Json)) return undefined
  const entries = Object.entries(mark as SchemaObject)
  const isValid = entries.every(([name, value]) => isAudience(name) && (value === 'pseudonym' || value === 'omit'))
  return entries.length > 0 && isValid ? ordered(Object.fromEntries(entries)) : undefined
}

function isAudience(name: unknown): name is Audience {
  return audiences.some((each) => each === name)
}

function ordered(treatments: Readonly<Record<string, unknown>>): Partial<Record<Audience, Treatment>> {
  return Object.fromEntries(
    audiences.flatMap((each) => (treatments[each] === undefined ? [] : [[each, treatments[each]]])),
  )
}

function strictest(
  one: Partial<Record<Audience, Treatment>> | undefined,
  other: Partial<Record<Audience, Treatment>>,
): Partial<Record<Audience, Treatment>> {
  const joined: Partial<Record<Audience, Treatment>> = { ...one }
  for (const each of audiences) if (other[each] !== undefined && joined[each] !== 'omit') joined[each] = other[each]
  return ordered(joined)
}

function sorted(paths: ReadonlyMap<string, Partial<Record<Audience, Treatment>>>): SensitivePathsIr {
  return objectFrom([...paths].sort(([a], [b]) => byCodePoint(a, b)))
}

function schemasIn(schema: SchemaObject, name: string): readonly Schema[] {
  const value = own(schema, name)
  return Array.isArray(value) ? value.filter(isSchema) : []
}

function schemaIn(schema: SchemaObject, name: string): Schema | undefined {
  const value = own(schema, name)
  return isSchema(value) ? value : undefined
}

function invalidMark(mark: Json, path: string): SchemaDiagnostic {
  const at = path === '' ? 'the whole value' : `\`${path}\``
  return schemaError(
    'TG3039',
    `\`${keyword}\` of ${at} is ${JSON.stringify(mark).slice(0, 60)}, which is invalid.`,
    next,
    [],
  )
}

export function sensitiveFailure(path: string): SchemaDiagnostic {
  const at = path === '' ? 'the whole value' : `\`${path}\``
  const message = `\`${keyword}\` of ${at} has no effect: everybody reads the data of a failure.`
  return schemaError('TG3039', message, 'Leave the field out of the data of the failure.', [])
}
