import { warning } from '../diagnostics/diagnostic.js'
import { isObject, type Json, objectOf, own, type SchemaObject, stringsOf } from '../schema/json-schema.js'
import { openApiDocument, renamedField } from './openapi-diagnostics.js'
import type { OperationContext, ToolField } from './openapi-fields.js'
import { isFile, kindOf, losesSchema, type Media, mediaOf } from './openapi-media.js'
import { type DocumentPart, objectAt, type PartKeys, type PartProblem, resolved } from './openapi-parts.js'
import type { Direction } from './openapi-schemas.js'

export interface ReadBody {
  readonly fields: readonly ToolField[]
  readonly row: SchemaObject | undefined
}

/** With any other keyword in the schema of a body, the whole body becomes one payload field. */
const plainKeywords: readonly string[] = [
  ...['type', 'properties', 'required', 'title', 'description', 'nullable', 'deprecated', 'readOnly', 'writeOnly'],
  ...['additionalProperties', 'example', 'examples', 'xml', 'externalDocs', 'default', '$schema', '$comment'],
]

/** The fields of an object become payload fields, because models write flat arguments best. */
export function readBody(context: OperationContext): ReadBody | PartProblem {
  const { api, root, report } = context
  const [value, keys] = [own(api.operation, 'requestBody'), [...api.keys, 'requestBody']]
  const none = { fields: [], row: undefined }
  if (value === undefined) return none
  if (api.method === 'GET' || api.method === 'HEAD') {
    const message = `The body of \`${api.shown}\` is not imported: \`fetch\` does not send a body with ${api.method}.`
    report(warning('TG6209', message, `${openApiDocument.fix}.`), keys)
    return none
  }
  const body = objectAt(root, { value, keys })
  if ('why' in body) return body
  const media = mediaOf({ value: own(body.object, 'content') ?? {}, keys: [...body.keys, 'content'] })
  if (media === undefined) return none
  if (losesSchema(media, root)) {
    const message = `The body of \`${api.shown}\` has the media type \`${media.type}\`. It is sent as a plain string, and its schema is not used.`
    const next = 'Describe the string in the `description` of the body, or change the body to JSON, and import again.'
    report(warning('TG6212', message, next), keys)
  }
  // A default in a partial update would overwrite existing data.
  const isPatch = api.method === 'PATCH' || /^application\/(?:.+[.+-])?merge-patch\+json\b/i.test(media.type)
  const direction: Direction = isPatch ? 'patched' : 'sent'
  const isRequired = own(body.object, 'required') === true
  const flat = media.kind === 'text' || media.kind === 'bytes' ? undefined : flatObject(media.schema, root)
  return flat === undefined
    ? wholeBody(media, direction, isRequired, own(body.object, 'description'), context)
    : flatBody(flat, media, direction, isRequired, context)
}

function wholeBody(
  media: Media,
  direction: Direction,
  isRequired: boolean,
  description: Json | undefined,
  { names, schema: read }: OperationContext,
): ReadBody {
  const { field } = names.claim('body', 'request')
  const { type, kind } = media
  const schema =
    kind === 'text'
      ? { type: 'string' }
      : kind === 'bytes'
        ? { type: 'string', contentEncoding: 'base64' }
        : read(media.schema, direction)
  const isDescribed = typeof description === 'string' && description.trim() !== ''
  const described = isObject(schema) && isDescribed ? { description, ...schema } : schema
  return { fields: [{ name: field, isRequired, schema: described }], row: { type, as: kind, field } }
}

interface FlatObject {
  readonly object: SchemaObject
  readonly keys: PartKeys
  readonly properties: SchemaObject
}

function flatObject(part: DocumentPart, root: SchemaObject): FlatObject | undefined {
  const found = resolved(root, part)
  if ('why' in found || !isObject(found.value)) return undefined
  const object = found.value
  const [properties, more] = [objectOf(own(object, 'properties')), own(object, 'additionalProperties')]
  const isPlain =
    Object.keys(object).every((key) => plainKeywords.includes(key) || key.startsWith('x-')) &&
    (more === undefined || more === false) &&
    [own(object, 'type')].flat().every((type) => type === undefined || type === 'object' || type === 'null')
  return isPlain && Object.keys(properties).length > 0 ? { object, keys: found.keys, properties } : undefined
}

/** A field that the body requires is also required in the payload, even if the body is optional, so that models do not omit the field. */
function flatBody(
  { object, keys, properties }: FlatObject,
  media: Media,
  direction: Direction,
  isRequired: boolean,
  { api, root, names, schema, report }: OperationContext,
): ReadBody | PartProblem {
  const required = stringsOf(object, 'required')
  const whole = schema({ value: object, keys }, direction)
  const kept = Object.entries(objectOf(isObject(whole) ? own(whole, 'properties') : undefined))
  const read = kept.map(([name, value]) => {
    const { field, why } = names.claim(name, 'body')
    if (why !== undefined) {
      const at = [...keys, 'properties', name]
      report(renamedField(api.shown, `The field \`${name}\` of the body`, field, why), at)
    }
    const plain = isObject(value) || typeof value === 'boolean' ? value : true
    return { field: { name: field, isRequired: required.includes(name), schema: plain }, name }
  })
  const unwritable = kept.find(([name]) => own(objectOf(own(media.encoding, name)), 'style') === 'tabDelimited')
  if (unwritable !== undefined) {
    return { why: `its field \`${unwritable[0]}\` has the unsupported style \`tabDelimited\`` }
  }
  const renamed = read.filter(({ field, name }) => field.name !== name)
  const parts = kept
    .map(([name]) => {
      const hasBytes = isFile({ value: own(properties, name) ?? {}, keys }, root)
      return [name, partRow(media.kind, objectOf(own(media.encoding, name)), hasBytes)] as const
    })
    .filter(([, row]) => Object.keys(row).length > 0)
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

function partRow(kind: Media['kind'], encoding: SchemaObject, hasBytes: boolean): SchemaObject {
  const [type, style, explode] = ['contentType', 'style', 'explode'].map((key) => own(encoding, key))
  const isSingle = typeof type === 'string' && !/[*,]/.test(type)
  if (kind === 'multipart') {
    return {
      ...(isSingle && { type }),
      ...(explode === false && { ...(typeof style === 'string' && { style }), explode }),
      ...(hasBytes && { bytes: true }),
    }
  }
  if (kind !== 'form') return {}
  // OpenAPI ignores the media type of a form field that has a style.
  const isStyled = ['style', 'explode', 'allowReserved'].some((key) => own(encoding, key) !== undefined)
  return {
    ...(isSingle && kindOf(type) === 'json' && !isStyled && { type }),
    ...(typeof style === 'string' && { style }),
    ...(typeof explode === 'boolean' && { explode }),
  }
}
