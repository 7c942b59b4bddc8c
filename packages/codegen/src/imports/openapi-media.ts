import { isObject, objectOf, own, type SchemaObject } from '../schema/json-schema.js'
import { type DocumentPart, resolved } from './openapi-parts.js'

type MediaKind = 'json' | 'multipart' | 'form' | 'text' | 'bytes'

export interface Media {
  readonly type: string
  readonly kind: MediaKind
  readonly schema: DocumentPart
  readonly isDescribed: boolean
  readonly encoding: SchemaObject
}

/** Begins with the format that models write most easily. If a body has several formats, the import selects the first one in this list. */
const mediaKinds: readonly MediaKind[] = ['json', 'multipart', 'form', 'text', 'bytes']

export function mediaOf({ value, keys }: DocumentPart): Media | undefined {
  const types = Object.entries(objectOf(value)).map(([type, media]): Media => {
    const schema = own(objectOf(media), 'schema')
    return {
      type: type.includes('*') ? 'application/json' : type,
      kind: kindOf(type),
      schema: { value: schema ?? {}, keys: [...keys, type, 'schema'] },
      isDescribed: schema !== undefined,
      encoding: objectOf(own(objectOf(media), 'encoding')),
    }
  })
  return mediaKinds.flatMap((kind) => types.filter((type) => type.kind === kind))[0]
}

/** toolgen sends a text format such as XML as a plain string and cannot use a schema with fields. */
export function losesSchema({ kind, schema }: Media, root: SchemaObject): boolean {
  if (kind !== 'text') return false
  const found = resolved(root, schema)
  const value = 'why' in found ? true : found.value
  return isObject(value) && Object.keys(value).length > 0 && ![own(value, 'type')].flat().includes('string')
}

export function kindOf(written: string): MediaKind {
  const type = written.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (/^(?:\*\/\*|(?:application|text)\/(?:json|\*|.+\+json))$/.test(type)) return 'json'
  if (type === 'multipart/form-data') return 'multipart'
  if (type === 'application/x-www-form-urlencoded') return 'form'
  return /^text\/|^application\/(?:xml|yaml|.+\+(?:xml|yaml)|x-ndjson|graphql|javascript|sql)$/.test(type)
    ? 'text'
    : 'bytes'
}

export function isBinary(schema: SchemaObject): boolean {
  if (own(schema, 'type') === 'string' && own(schema, 'format') === 'binary') return true
  const isEncoded = own(schema, 'contentEncoding') !== undefined
  return own(schema, 'contentMediaType') === 'application/octet-stream' && !isEncoded
}

export function isFile(part: DocumentPart, root: SchemaObject): boolean {
  const found = resolved(root, part)
  if ('why' in found || !isObject(found.value)) return false
  const items = own(found.value, 'items')
  return isBinary(found.value) || (items !== undefined && isFile({ value: items, keys: part.keys }, root))
}
