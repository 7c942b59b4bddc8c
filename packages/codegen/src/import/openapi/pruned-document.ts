import { isObject, objectFrom, own } from '../../schema/json/json.js'
import type { Json, SchemaObject } from '../../schema/json/json-schema.js'
import { InheritedVariants } from './inherited-variants.js'
import type { ApiOperationPart } from './operations.js'
import { keysInReference } from './references.js'

/** Objects whose keys are names that people chose. */
const dictionaries: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'responses', 'content'],
  ...['headers', 'encoding', 'variables', 'mapping'],
])
/** Values that are no part of the document's own structure. */
const literals: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'security'])
const foreign: ReadonlySet<string> = new Set(['examples', 'externalDocs', 'xml', 'callbacks', 'links'])
const ofOperations = ['operationId', 'tags', 'summary', 'description', 'deprecated', 'parameters', 'requestBody']

/**
 * What an import reads of a document, as a document: the operations that were imported and all to which they lead. Without
 * examples, and without answers that are no results.
 */
export function prunedDocument(root: SchemaObject, operations: readonly ApiOperationPart[]): SchemaObject {
  const paths = new Map<string, Record<string, Json>>()
  for (const { path, method, item, operation } of operations) {
    const kept = paths.get(path) ?? { ...stripped(picked(item, ['parameters', 'servers'])) }
    kept[method.toLowerCase()] = stripped({
      ...picked(operation, ofOperations),
      ...withResponses(operation),
      ...picked(operation, ['security', 'servers']),
    })
    paths.set(path, kept)
  }
  const components = reachedComponents(root, [...paths.values()])
  return {
    ...picked(root, ['openapi']),
    ...withInfo(root),
    ...stripped(picked(root, ['servers', 'security'])),
    // Whoever refers to another place has to have all of it.
    paths: components === undefined ? stripped(objectOf(own(root, 'paths'))) : objectFrom(paths),
    components: components ?? stripped(objectOf(own(root, 'components'))),
  }
}

function withInfo(root: SchemaObject): SchemaObject {
  const info = own(root, 'info')
  return isObject(info) ? { info: picked(info, ['title', 'version']) } : {}
}

function withResponses(operation: SchemaObject): SchemaObject {
  const responses = own(operation, 'responses')
  if (!isObject(responses)) return {}
  const results = Object.entries(responses).filter(([status]) => /^(?:[23](?:\d\d|XX)|default)$/i.test(status))
  const hasSuccess = results.some(([status]) => status.startsWith('2'))
  return { responses: objectFrom(results.filter(([status]) => !hasSuccess || status.startsWith('2'))) }
}

/** The components to which values lead, by kind and name; `undefined` where a reference leads elsewhere in the document. */
function reachedComponents(root: SchemaObject, values: readonly Json[]): SchemaObject | undefined {
  const all = objectOf(own(root, 'components'))
  const variants = new InheritedVariants(root)
  const reached = new Map<string, Map<string, Json>>()
  const pending = values.flatMap(referencesIn)
  for (let ref = pending.pop(); ref !== undefined; ref = pending.pop()) {
    if (!ref.startsWith('#')) continue
    const [first, kind, name] = (keysInReference(root, ref) ?? []).map(String)
    if (first !== 'components' || kind === undefined || name === undefined) return undefined
    const target = own(objectOf(own(all, kind)), name)
    const known = reached.get(kind) ?? new Map<string, Json>()
    if (target === undefined || known.has(name)) continue
    const kept = strippedValue(target)
    reached.set(kind, known.set(name, kept))
    pending.push(...referencesIn(kept))
    // Who refers to a schema with variants means these, to which it does not refer.
    pending.push(...referencesIn(variants.meant({ value: kept, keys: ['components', kind, name] }, []).value))
  }
  const entries = Object.entries(all).flatMap(([kind, parts]): readonly (readonly [string, Json])[] => {
    if (kind === 'securitySchemes') return [[kind, strippedValue(parts)]]
    const names = reached.get(kind)
    return names === undefined ? [] : [[kind, inOrderOf(objectOf(parts), names)]]
  })
  return objectFrom(entries)
}

function inOrderOf(parts: SchemaObject, kept: ReadonlyMap<string, Json>): SchemaObject {
  return objectFrom(
    Object.keys(parts).flatMap((name) => (kept.has(name) ? [[name, kept.get(name) ?? null] as const] : [])),
  )
}

function referencesIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => referencesIn(item))
  if (!isObject(value)) return []
  const ref = own(value, '$ref')
  return [...(typeof ref === 'string' ? [ref] : []), ...Object.values(value).flatMap(referencesIn)]
}

function picked(object: SchemaObject, keys: readonly string[]): SchemaObject {
  return objectFrom(
    keys.flatMap((key) => (own(object, key) === undefined ? [] : [[key, object[key] ?? null] as const])),
  )
}

function stripped(object: SchemaObject): SchemaObject {
  return objectFrom(
    Object.entries(object)
      .filter(
        ([key, value]) => !foreign.has(key) && !key.startsWith('x-') && (key !== 'example' || !isContainer(value)),
      )
      .map(([key, value]): readonly [string, Json] => {
        if (literals.has(key)) return [key, value]
        if (!dictionaries.has(key) || !isObject(value)) return [key, strippedValue(value)]
        return [key, objectFrom(Object.entries(value).map(([name, part]) => [name, strippedValue(part)] as const))]
      }),
  )
}

function strippedValue(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => strippedValue(item))
  return isObject(value) ? stripped(value) : value
}

function isContainer(value: Json): boolean {
  return typeof value === 'object' && value !== null
}

function objectOf(value: Json | undefined): SchemaObject {
  return isObject(value) ? value : {}
}
