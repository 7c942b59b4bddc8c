import { parsePointer } from '@toolgen/runtime/schema'
import { isObject, type Json, own, type SchemaObject } from '../schema/json-schema.js'
import { decodeFragment } from '../schema/references.js'

/** A part of a document, and the keys that lead there. */
export interface DocumentPart {
  readonly value: Json
  readonly keys: PartKeys
}

/** Why a reference cannot be followed. */
interface ReferenceFault {
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
  return parsePointer(fragment) ?? anchorsOf(root).get(fragment)
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

/** The keys that lead to a part of a document. */
export type PartKeys = readonly (string | number)[]

/** A variant of a union that no value fits. */
export interface ImpossibleVariant {
  /** Name of its definition, else its title or its number. */
  readonly variant: string
  /** Names of the required fields that lead to the part without a value; none where that is the variant itself. */
  readonly fields: readonly string[]
}

/** Of the documents in which a reference names an anchor: few have any. */
const known = new WeakMap<SchemaObject, ReadonlyMap<string, PartKeys>>()

/** Objects whose keys are names that people chose. */
const dictionaries: readonly unknown[] = ['properties', 'patternProperties', '$defs', 'schemas']
/** Values in which nothing is a schema. */
const literals: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'example', 'examples'])

/** The keys of the schemas of a document that have an `$anchor`, by its name. A name that several have leads nowhere. */
function anchorsOf(root: SchemaObject): ReadonlyMap<string, PartKeys> {
  const found = known.get(root) ?? new Map(readAnchors(root))
  known.set(root, found)
  return found
}

function readAnchors(root: SchemaObject): readonly (readonly [string, PartKeys])[] {
  const found = new Map<string, PartKeys[]>()
  const visit = (value: Json, keys: PartKeys): void => {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, [...keys, index])
    }
    if (!isObject(value)) return
    const name = own(value, '$anchor')
    if (typeof name === 'string') found.set(name, [...(found.get(name) ?? []), keys])
    const isNamed = dictionaries.includes(keys.at(-1))
    for (const [key, part] of Object.entries(value)) {
      if (isNamed || (!literals.has(key) && !key.startsWith('x-'))) visit(part, [...keys, key])
    }
  }
  visit(root, [])
  return [...found].flatMap(([name, [keys, ...others]]) =>
    keys === undefined || others.length > 0 ? [] : [[name, keys]],
  )
}

/** How the body of a request or an answer is written. */
type MediaKind = 'json' | 'multipart' | 'form' | 'text' | 'bytes'

/** One of the media types that a body may have. */
export interface Media {
  /** As it is sent. */
  readonly type: string
  readonly kind: MediaKind
  /** The schema; where nothing is said of it one that allows anything. */
  readonly schema: DocumentPart
  readonly isDescribed: boolean
  /** How fields of a form are written, by their names. */
  readonly encoding: SchemaObject
}

/** The easier a kind is for models, the earlier it stands. */
const order: readonly MediaKind[] = ['json', 'multipart', 'form', 'text', 'bytes']

/** The media type of several that is used: the first of the kind that is easiest for models; `undefined` where there is none. */
export function mediaOf({ value, keys }: DocumentPart): Media | undefined {
  const types = Object.entries(isObject(value) ? value : {}).map(([type, said]): Media => {
    const object = isObject(said) ? said : {}
    const encoding = own(object, 'encoding')
    return {
      type: type.includes('*') ? 'application/json' : type,
      kind: kindOf(type),
      schema: { value: own(object, 'schema') ?? {}, keys: [...keys, type, 'schema'] },
      isDescribed: own(object, 'schema') !== undefined,
      encoding: isObject(encoding) ? encoding : {},
    }
  })
  return order.flatMap((kind) => types.filter((type) => type.kind === kind))[0]
}

/** Whether a text, such as XML, has a schema of something else, which is of no use to who reads and writes the text. */
export function losesSchema({ kind, schema }: Media, root: SchemaObject): boolean {
  if (kind !== 'text') return false
  const found = resolved(root, schema)
  const said = 'why' in found ? true : found.value
  return isObject(said) && Object.keys(said).length > 0 && ![own(said, 'type')].flat().includes('string')
}

/** How a body of a media type is written. */
export function kindOf(written: string): MediaKind {
  const type = written.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (/^(?:\*\/\*|(?:application|text)\/(?:json|\*|.+\+json))$/.test(type)) return 'json'
  if (type === 'multipart/form-data') return 'multipart'
  if (type === 'application/x-www-form-urlencoded') return 'form'
  return /^text\/|^application\/(?:xml|yaml|.+\+(?:xml|yaml)|x-ndjson|graphql|javascript|sql)$/.test(type)
    ? 'text'
    : 'bytes'
}

/** Names that headers and cookies can have. */
export const headerName: RegExp = /^[!#$%&'*+.^_`|~\w-]+$/
