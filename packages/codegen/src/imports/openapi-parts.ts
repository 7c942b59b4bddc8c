import { parsePointer } from '@toolgen/runtime/schema'
import { cachedBy } from '../defined.js'
import { isObject, type Json, objectOf, own, type SchemaObject } from '../schema/json-schema.js'
import { decodeFragment } from '../schema/references.js'

export type PartKeys = readonly (string | number)[]

export interface DocumentPart {
  readonly value: Json
  readonly keys: PartKeys
}

export interface PartProblem {
  /** End of a message: `... is not imported: <why>`. */
  readonly why: string
  readonly remote?: string
}

const outerParts: PartKeys = ['components', 'definitions', 'info', 'paths', 'servers', 'webhooks']

export function targetOf(root: SchemaObject, ref: string): DocumentPart | PartProblem {
  if (!ref.startsWith('#')) return { why: `\`${ref}\` is in another document`, remote: ref }
  const keys = keysInReference(root, ref)
  const value = keys && partAt(root, keys)
  if (keys === undefined || value === undefined) return { why: `the reference \`${ref}\` has no target` }
  const [first, ...inner] = keys
  const isOuter = first === undefined || (inner.length === 0 && outerParts.includes(first))
  return isOuter
    ? { why: `the reference \`${ref}\` points to a whole section of the document, not to one definition` }
    : { value, keys }
}

export function keysInReference(root: SchemaObject, ref: string): PartKeys | undefined {
  const fragment = decodeFragment(ref)
  if (fragment === undefined) return undefined
  return parsePointer(fragment) ?? anchorsOf(root).get(fragment)
}

export function partAt(root: SchemaObject, keys: PartKeys): Json | undefined {
  let value: Json | undefined = root
  for (const key of keys) {
    if (Array.isArray(value)) value = value[Number(key)]
    else value = isObject(value) ? own(value, String(key)) : undefined
  }
  return value
}

export function resolved(root: SchemaObject, part: DocumentPart): DocumentPart | PartProblem {
  const seen = new Set<string>()
  let current = part
  for (;;) {
    const ref = isObject(current.value) ? own(current.value, '$ref') : undefined
    if (typeof ref !== 'string') return current
    if (seen.has(ref)) return { why: `the reference \`${ref}\` points to itself` }
    seen.add(ref)
    const target = targetOf(root, ref)
    if ('why' in target) return target
    current = target
  }
}

export function objectAt(
  root: SchemaObject,
  part: DocumentPart,
): { readonly object: SchemaObject; readonly keys: PartKeys } | PartProblem {
  const found = resolved(root, part)
  if ('why' in found) return found
  if (isObject(found.value)) return { object: found.value, keys: found.keys }
  return { why: `\`${part.keys.slice(3).join('.') || part.keys.join('.')}\` is not an object` }
}

export function partsUnder({ value, keys }: DocumentPart): readonly DocumentPart[] {
  if (Array.isArray(value)) return value.map((item: Json, index) => ({ value: item, keys: [...keys, index] }))
  return Object.entries(objectOf(value)).map(([key, item]) => ({ value: item, keys: [...keys, key] }))
}

const namedParts: readonly unknown[] = ['properties', 'patternProperties', '$defs', 'schemas']

const dataKeys: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'example', 'examples'])

const anchorsOf = cachedBy((root: SchemaObject): ReadonlyMap<string, PartKeys> => {
  const found = new Map<string, PartKeys>()
  const repeated = new Set<string>()
  const visit = (value: Json, keys: PartKeys): void => {
    if (Array.isArray(value)) for (const [index, item] of value.entries()) visit(item, [...keys, index])
    if (!isObject(value)) return
    const name = own(value, '$anchor')
    if (typeof name === 'string') {
      if (found.has(name)) repeated.add(name)
      found.set(name, keys)
    }
    const isNamed = namedParts.includes(keys.at(-1))
    for (const [key, part] of Object.entries(value)) {
      if (isNamed || (!dataKeys.has(key) && !key.startsWith('x-'))) visit(part, [...keys, key])
    }
  }
  visit(root, [])
  for (const name of repeated) found.delete(name)
  return found
})
