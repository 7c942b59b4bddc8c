import { pointerOf } from '@toolgen/runtime/schema'
import { isObject, type Json, mapValues, objectFrom, own, type SchemaObject } from '../schema/json-schema.js'
import { isImported } from './imported-files.js'
import { type ApiOperation, type OperationSelection, recordedSelection } from './openapi-operations.js'
import { keysInReference, objectOf } from './openapi-parts.js'
import { InheritedVariants } from './openapi-variants.js'

/** Returns the snapshot of an earlier import, with its recorded source and selection. */
export function readSnapshot(text: string | undefined): {
  readonly snapshot: SchemaObject | undefined
  readonly from: string | undefined
  readonly select: OperationSelection
} {
  const json: unknown = text === undefined || !isImported(text) ? undefined : JSON.parse(text)
  const snapshot = isObject(json) ? json : undefined
  const from = own(snapshot ?? {}, 'from')
  const select = recordedSelection(own(snapshot ?? {}, 'select'))
  return { snapshot, from: typeof from === 'string' ? from : undefined, select }
}

/** Checks for a URL, in contrast to a file path. */
export function isAddress(from: string): boolean {
  return /^https?:\/\//i.test(from)
}

/** Keywords of objects whose keys are user-defined names. */
const namedParts: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'responses', 'content'],
  ...['headers', 'encoding', 'variables', 'mapping'],
])

/** Keys whose values are data instead of schemas. */
const dataKeys: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'security'])

/** Keys that imports do not read. */
const ignoredKeys: ReadonlySet<string> = new Set(['examples', 'externalDocs', 'xml', 'callbacks', 'links'])

const operationKeys = ['operationId', 'tags', 'summary', 'description', 'deprecated', 'parameters', 'requestBody']

/** Returns a document with only the parts that an import of the selected operations reads. */
export function prunedDocument(root: SchemaObject, operations: readonly ApiOperation[]): SchemaObject {
  const paths = new Map<string, Record<string, Json>>()
  for (const { path, method, item, operation } of operations) {
    const kept = paths.get(path) ?? { ...pruned(picked(item, ['parameters', 'servers'])) }
    kept[method.toLowerCase()] = pruned({
      ...picked(operation, operationKeys),
      ...resultResponses(operation),
      ...picked(operation, ['security', 'servers']),
    })
    paths.set(path, kept)
  }
  const components = reachedComponents(root, [...paths.values()])
  const info = own(root, 'info')
  return {
    ...picked(root, ['openapi']),
    ...(isObject(info) && { info: picked(info, ['title', 'version']) }),
    ...pruned(picked(root, ['servers', 'security'])),
    // A reference to a part outside `components` can have any target, so all paths are kept.
    paths: components === undefined ? pruned(objectOf(own(root, 'paths'))) : objectFrom(paths),
    components: components ?? pruned(objectOf(own(root, 'components'))),
  }
}

function resultResponses(operation: SchemaObject): SchemaObject {
  const responses = own(operation, 'responses')
  if (!isObject(responses)) return {}
  const results = Object.entries(responses).filter(([status]) => /^(?:[23](?:\d\d|XX)|default)$/i.test(status))
  const successes = results.filter(([status]) => status.startsWith('2'))
  return { responses: objectFrom(successes.length > 0 ? successes : results) }
}

/** Returns the components that values reference; `undefined` if a reference points to another part of the document. */
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
    const kept = prunedValue(target)
    reached.set(kind, known.set(name, kept))
    // A reference to a parent schema also selects its variants, although the parent does not reference them.
    const union = variants.meant({ value: kept, keys: ['components', kind, name] }, [])
    pending.push(...referencesIn(kept), ...referencesIn(union.value))
  }
  const entries = Object.entries(all).flatMap(([kind, parts]): readonly (readonly [string, Json])[] => {
    if (kind === 'securitySchemes') return [[kind, prunedValue(parts)]]
    const kept = reached.get(kind)
    if (kept === undefined) return []
    const names = Object.keys(objectOf(parts)).filter((name) => kept.has(name))
    return [[kind, objectFrom(names.map((name) => [name, kept.get(name) ?? null] as const))]]
  })
  return objectFrom(entries)
}

function referencesIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => referencesIn(item))
  if (!isObject(value)) return []
  const ref = own(value, '$ref')
  return [...(typeof ref === 'string' ? [ref] : []), ...mappedIn(value), ...Object.values(value).flatMap(referencesIn)]
}

/** Returns references to the schemas of a discriminator mapping. */
function mappedIn(schema: SchemaObject): readonly string[] {
  const mapping = objectOf(own(objectOf(own(schema, 'discriminator')), 'mapping'))
  return Object.values(mapping).flatMap((target) => {
    if (typeof target !== 'string' || /^#(?!\/components\/)/.test(target)) return []
    return target.startsWith('#') ? [target] : [`#${pointerOf(['components', 'schemas', target])}`]
  })
}

function picked(object: SchemaObject, keys: readonly string[]): SchemaObject {
  return objectFrom(
    keys.filter((key) => own(object, key) !== undefined).map((key) => [key, object[key] ?? null] as const),
  )
}

function pruned(object: SchemaObject): SchemaObject {
  const kept = Object.entries(object).filter(
    ([key, value]) =>
      !ignoredKeys.has(key) &&
      !key.startsWith('x-') &&
      (key !== 'example' || typeof value !== 'object' || value === null),
  )
  return mapValues(objectFrom(kept), (value, key) => {
    if (dataKeys.has(key)) return value
    return namedParts.has(key) && isObject(value) ? mapValues(value, prunedValue) : prunedValue(value)
  })
}

function prunedValue(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => prunedValue(item))
  return isObject(value) ? pruned(value) : value
}
