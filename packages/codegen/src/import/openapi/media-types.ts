import { isObject, own } from '../../schema/json/json.js'
import type { SchemaObject } from '../../schema/json/json-schema.js'
import { type DocumentPart, resolved } from './references.js'

/** How the body of a request or an answer is written. */
export type MediaKind = 'json' | 'multipart' | 'form' | 'text' | 'bytes'

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
