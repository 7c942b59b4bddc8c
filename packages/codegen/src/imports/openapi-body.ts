import { isObject, type Json, own, type SchemaObject, stringsOf } from '../schema/json-schema.js'
import { bodyLeftOut, renamedField, textBody } from './openapi-diagnostics.js'
import type { ApiOperationPart } from './openapi-operations.js'
import {
  type DocumentPart,
  kindOf,
  losesSchema,
  type Media,
  mediaOf,
  objectAt,
  type PartFault,
  resolved,
} from './openapi-references.js'
import type { OperationScene, ToolField } from './openapi-request.js'
import { type Direction, isBinary } from './openapi-schemas.js'

/** The body of an operation as fields of a payload, and as the table of the API has it. */
export interface ReadBody {
  readonly fields: readonly ToolField[]
  readonly row: SchemaObject | undefined
}

/** Keywords of an object that say no more than which fields it has. */
const plainKeywords: readonly string[] = [
  ...['type', 'properties', 'required', 'title', 'description', 'nullable', 'deprecated', 'readOnly', 'writeOnly'],
  ...['additionalProperties', 'example', 'examples', 'xml', 'externalDocs', 'default', '$schema', '$comment'],
]

/**
 * Reads the body of an operation. The fields of an object are fields of the payload, since models fill flat objects best;
 * what may be more than an object with known fields is one field, `body`.
 */
export function readBody(part: ApiOperationPart, scene: OperationScene): ReadBody | PartFault {
  const said = own(part.operation, 'requestBody')
  if (said === undefined) return { fields: [], row: undefined }
  if (part.method === 'GET' || part.method === 'HEAD') {
    scene.find(bodyLeftOut(part.shown, `\`fetch\` sends none with ${part.method}`), [...part.keys, 'requestBody'])
    return { fields: [], row: undefined }
  }
  const body = objectAt(scene.root, { value: said, keys: [...part.keys, 'requestBody'] })
  if ('why' in body) return body
  const content = own(body.object, 'content')
  const media = mediaOf({ value: content ?? {}, keys: [...body.keys, 'content'] })
  if (media === undefined) return { fields: [], row: undefined }
  if (losesSchema(media, scene.root)) scene.find(textBody(part.shown, media.type), [...part.keys, 'requestBody'])
  const isRequired = own(body.object, 'required') === true
  const sending = { ...scene, schema: (each: DocumentPart) => scene.schema(each, directionOf(part, media)) }
  const flat = media.kind === 'text' || media.kind === 'bytes' ? undefined : flatObject(media.schema, scene.root)
  return flat === undefined
    ? wholeBody(media, isRequired, own(body.object, 'description'), sending)
    : flatBody({ ...flat, media, isRequired, part }, sending)
}

/** What a change leaves out stays as it is: a default that is filled in would overwrite it. */
function directionOf({ method }: ApiOperationPart, { type }: Media): Direction {
  return method === 'PATCH' || /^application\/(?:.+[.+-])?merge-patch\+json\b/i.test(type) ? 'patched' : 'sent'
}

function wholeBody(media: Media, isRequired: boolean, description: Json | undefined, scene: OperationScene): ReadBody {
  const { field } = scene.names.claim('body', 'request')
  const { type, kind } = media
  const schema = kind === 'text' ? { type: 'string' } : kind === 'bytes' ? bytes : scene.schema(media.schema)
  const isSaid = typeof description === 'string' && description.trim() !== ''
  return {
    fields: [{ name: field, isRequired, schema: isObject(schema) && isSaid ? { description, ...schema } : schema }],
    row: { type, as: kind, field },
  }
}

/** JSON has no bytes. */
const bytes: SchemaObject = { type: 'string', contentEncoding: 'base64' }

interface FlatObject {
  readonly object: SchemaObject
  readonly keys: DocumentPart['keys']
  readonly properties: SchemaObject
}

/** An object with known fields and nothing else to say; `undefined` for every other schema. */
function flatObject(part: DocumentPart, root: SchemaObject): FlatObject | undefined {
  const found = resolved(root, part)
  if ('why' in found || !isObject(found.value)) return undefined
  const object = found.value
  const properties = own(object, 'properties')
  const others = Object.keys(object).filter((key) => !plainKeywords.includes(key) && !key.startsWith('x-'))
  const more = own(object, 'additionalProperties')
  const types = [own(object, 'type')].flat()
  const isPlain =
    others.length === 0 && (more === undefined || more === false) && types.every((type) => isPlainType(type))
  if (!isPlain || !isObject(properties) || Object.keys(properties).length === 0) return undefined
  return { object, keys: found.keys, properties }
}

function isPlainType(type: Json | undefined): boolean {
  return type === undefined || type === 'object' || type === 'null'
}

/** A body that has required fields is required itself: an object without them would be refused. */
function flatBody(
  {
    object,
    keys,
    properties,
    media,
    isRequired,
    part,
  }: FlatObject & {
    readonly media: Media
    readonly isRequired: boolean
    readonly part: ApiOperationPart
  },
  scene: OperationScene,
): ReadBody | PartFault {
  const required = stringsOf(object, 'required')
  const whole = scene.schema({ value: object, keys })
  const schemas = isObject(whole) ? own(whole, 'properties') : undefined
  const kept = Object.entries(isObject(schemas) ? schemas : {})
  const read = kept.map(([name, schema]) => {
    const { field, why } = scene.names.claim(name, 'body')
    if (why !== undefined) {
      scene.find(renamedField(part.shown, `The field \`${name}\` of the body`, field, why), [
        ...keys,
        'properties',
        name,
      ])
    }
    const plain = isObject(schema) || typeof schema === 'boolean' ? schema : true
    return { field: { name: field, isRequired: required.includes(name), schema: plain }, name }
  })
  const unwritable = kept.find(([name]) => {
    const encoding = own(media.encoding, name)
    return isObject(encoding) && own(encoding, 'style') === 'tabDelimited'
  })
  if (unwritable !== undefined)
    return { why: `no request can have its field \`${unwritable[0]}\`, which is \`tabDelimited\`` }
  const renamed = read.filter(({ field, name }) => field.name !== name)
  const parts = kept.flatMap(([name]) => partRow(name, { media, properties, keys }, scene))
  return {
    fields: read.map(({ field }) => field),
    row: {
      type: media.type,
      as: media.kind,
      fields: read.map(({ field }) => field.name),
      ...(renamed.length > 0 && { names: Object.fromEntries(renamed.map(({ field, name }) => [field.name, name])) }),
      ...(parts.length > 0 && { parts: Object.fromEntries(parts) }),
      ...(isRequired && { required: true }),
    },
  }
}

/** How a field of a form is written, where that is not the usual way. */
function partRow(
  name: string,
  { media, properties, keys }: Pick<FlatObject, 'properties' | 'keys'> & { readonly media: Media },
  { root }: OperationScene,
): readonly (readonly [string, SchemaObject])[] {
  if (media.kind !== 'form' && media.kind !== 'multipart') return []
  const said = own(media.encoding, name)
  const encoding = isObject(said) ? said : {}
  const [type, style, explode] = ['contentType', 'style', 'explode'].map((key) => own(encoding, key))
  const row: SchemaObject = {
    ...(media.kind === 'multipart' && typeof type === 'string' && !/[*,]/.test(type) && { type }),
    ...(media.kind === 'form' && typeof type === 'string' && isJsonField(type, encoding) && { type }),
    ...(media.kind === 'form' && typeof style === 'string' && { style }),
    ...(media.kind === 'form' && typeof explode === 'boolean' && { explode }),
    ...(media.kind === 'multipart' && explode === false && { ...(typeof style === 'string' && { style }), explode }),
    ...(media.kind === 'multipart' && hasBytes({ value: own(properties, name) ?? {}, keys }, root) && { bytes: true }),
  }
  return Object.keys(row).length === 0 ? [] : [[name, row]]
}

/** OpenAPI: where it is said how the parts of a field are written, its media type does not count. */
function isJsonField(type: string, encoding: SchemaObject): boolean {
  const isStyled = ['style', 'explode', 'allowReserved'].some((key) => own(encoding, key) !== undefined)
  return !/[*,]/.test(type) && kindOf(type) === 'json' && !isStyled
}

function hasBytes(part: DocumentPart, root: SchemaObject): boolean {
  const found = resolved(root, part)
  if ('why' in found || !isObject(found.value)) return false
  const items = own(found.value, 'items')
  return isBinary(found.value) || (items !== undefined && hasBytes({ value: items, keys: part.keys }, root))
}
