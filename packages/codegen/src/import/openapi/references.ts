import { isObject, own } from '../../schema/json/json.js'
import type { Json, SchemaObject } from '../../schema/json/json-schema.js'
import { decodeFragment, keysOf } from '../../schema/json/pointer.js'
import { anchorsOf } from './anchors.js'
import type { PartKeys } from './read-document.js'

/** A part of a document, and the keys that lead there. */
export interface DocumentPart {
  readonly value: Json
  readonly keys: PartKeys
}

/** Why a reference cannot be followed. */
export interface ReferenceFault {
  readonly ref: string
  readonly why: 'remote' | 'broken' | 'outer' | 'circular'
}

/** The part to which a reference within the document leads. */
export function targetOf(root: SchemaObject, ref: string): DocumentPart | ReferenceFault {
  if (!ref.startsWith('#')) return { ref, why: 'remote' }
  const keys = keysInReference(root, ref)
  const value = keys && partAt(root, keys)
  if (keys === undefined || value === undefined) return { ref, why: 'broken' }
  return isOuter(keys) ? { ref, why: 'outer' } : { value, keys }
}

const outerParts: readonly PartKeys[number][] = ['components', 'definitions', 'info', 'paths', 'servers', 'webhooks']

/** Whether keys lead to the document itself or to one of its great parts, which are nothing that a part may be. */
function isOuter([first, ...inner]: PartKeys): boolean {
  return first === undefined || (inner.length === 0 && outerParts.includes(first))
}

/** The keys to which a reference within the document leads: by a pointer or an anchor; `undefined` where it leads nowhere. */
export function keysInReference(root: SchemaObject, ref: string): PartKeys | undefined {
  const fragment = decodeFragment(ref)
  if (fragment === undefined) return undefined
  return keysOf(fragment) ?? anchorsOf(root).get(fragment)
}

/** The part to which keys lead; `undefined` where there is none. */
export function partAt(root: SchemaObject, keys: PartKeys): Json | undefined {
  let value: Json | undefined = root
  for (const key of keys) {
    if (Array.isArray(value)) value = value[Number(key)]
    else value = isObject(value) ? own(value, String(key)) : undefined
  }
  return value
}

/** A part itself, or the one to which its reference leads, over any number of references. */
export function resolved(root: SchemaObject, part: DocumentPart): DocumentPart | ReferenceFault {
  const met = new Set<string>()
  let current = part
  for (;;) {
    const ref = isObject(current.value) ? own(current.value, '$ref') : undefined
    if (typeof ref !== 'string') return current
    if (met.has(ref)) return { ref, why: 'circular' }
    met.add(ref)
    const target = targetOf(root, ref)
    if ('why' in target) return target
    current = target
  }
}

/** A part as an object, or why it is none: in words that end the sentence "... is left out:". */
export function objectAt(
  root: SchemaObject,
  part: DocumentPart,
): { readonly object: SchemaObject; readonly keys: PartKeys } | PartFault {
  const found = resolved(root, part)
  if ('why' in found) return faultOf(found)
  if (isObject(found.value)) return { object: found.value, keys: found.keys }
  return { why: `${partName(part.keys)} is no object` }
}

/** Why a part cannot be used; with the reference where that leads out of the document. */
export interface PartFault {
  readonly why: string
  readonly remote?: string
}

/** A fault of a reference in words. */
export function faultOf({ ref, why }: ReferenceFault): PartFault {
  switch (why) {
    case 'remote':
      return { why: `\`${ref}\` is another document`, remote: ref }
    case 'broken':
      return { why: `the reference \`${ref}\` leads nowhere` }
    case 'outer':
      return { why: `the reference \`${ref}\` leads to the document around it, not to a part like that` }
    case 'circular':
      return { why: `the reference \`${ref}\` leads to itself` }
  }
}

function partName(keys: PartKeys): string {
  return `\`${keys.slice(3).join('.') || keys.join('.')}\``
}

/** Properties of a part in their order, each as a part. */
export function partsUnder({ value, keys }: DocumentPart): readonly DocumentPart[] {
  if (Array.isArray(value)) return value.map((item: Json, index) => ({ value: item, keys: [...keys, index] }))
  if (!isObject(value)) return []
  return Object.entries(value).map(([key, item]) => ({ value: item, keys: [...keys, key] }))
}
