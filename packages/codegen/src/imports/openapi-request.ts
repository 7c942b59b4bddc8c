import { type Diagnostic, note, warning } from '../diagnostics/diagnostic.js'
import { isObject, type Json, own, type Schema, type SchemaObject, stringsOf } from '../schema/json-schema.js'
import { unusedName } from '../schema/references.js'
import {
  type ApiOperation,
  type DocumentPart,
  headerName,
  kindOf,
  losesSchema,
  type Media,
  mediaOf,
  objectAt,
  objectOf,
  openApiDocument,
  type PartKeys,
  type PartProblem,
  partsUnder,
  resolved,
} from './openapi-operations.js'
import { type Direction, isBinary } from './openapi-schemas.js'

export interface OperationContext {
  readonly root: SchemaObject
  readonly api: ApiOperation
  readonly names: FieldNames
  /** Returns a schema as the toolset has it. Default direction: that of requests. */
  schema(part: DocumentPart, direction?: Direction): Schema
  report(diagnostic: Diagnostic, keys: PartKeys): void
}

interface ToolField {
  readonly name: string
  readonly isRequired: boolean
  readonly schema: Schema
}

/** A name that every vendor accepts for a field. */
const legalName = /^[a-zA-Z0-9_.-]{1,64}$/

/** Assigns unique names to the parameters and body fields of one payload. */
export class FieldNames {
  readonly #taken = new Set<string>()

  /**
   * Returns a name, and why it is not the wanted one.
   *
   * @param location prefix that distinguishes a repeated name, e.g. `query`
   */
  claim(wanted: string, location: string): { readonly field: string; readonly why?: string } {
    const isLegal = legalName.test(wanted) && wanted !== '__proto__'
    const legal = isLegal
      ? wanted
      : wanted
          .replace(/[^a-zA-Z0-9_.-]+/g, '_')
          .replace(/^_+|_+$/g, '')
          .slice(0, 60) || 'field'
    const base = this.#taken.has(legal) ? `${location}_${legal}`.slice(0, 60) : legal
    const field = unusedName(base, (candidate) => !this.#taken.has(candidate))
    this.#taken.add(field)
    if (field === wanted) return { field }
    return { field, why: isLegal ? 'another field has its name' : 'models take no field of its name' }
  }
}

/** Reports a parameter or a body field that has another name in the payload. */
export function renamedField(operation: string, what: string, field: string, why: string): Diagnostic {
  const message = `${what} of \`${operation}\` is the field \`${field}\`: ${why}.`
  return note('TG6206', message, 'Nothing: requests carry the name that the API knows.')
}

interface Parameter {
  readonly name: string
  readonly location: 'path' | 'query' | 'header' | 'cookie'
  readonly object: SchemaObject
  readonly keys: PartKeys
  readonly isRequired: boolean
  /** Media type of a parameter without a style. */
  readonly media: Media | undefined
}

/** Headers that are no parameters in OpenAPI. */
const ignoredHeaders: readonly string[] = ['accept', 'content-type', 'authorization']
/** Headers of the connection or of the application. */
const reservedHeaders: readonly string[] = [
  ...['connection', 'content-length', 'cookie', 'host', 'transfer-encoding', 'upgrade', 'te', 'trailer', 'expect'],
]

/** Styles by location, the default first. */
const styles: Readonly<Record<Parameter['location'], readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}

/** The parameters of an operation as fields of a payload, and as rows of the API's table. */
interface ReadParameters {
  readonly fields: readonly ToolField[]
  readonly table: readonly SchemaObject[]
}

/** Reads the parameters of an operation and of its path. */
export function readParameters(context: OperationContext): ReadParameters | PartProblem {
  const { api } = context
  const declared = declaredParameters(context)
  if ('why' in declared) return declared
  const inPath = [...api.path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name)
  const missing = inPath.find((each) => !declared.some(({ location, name }) => location === 'path' && name === each))
  if (missing !== undefined) return { why: `its path has \`{${missing}}\`, and no parameter in path has that name` }
  const required = declared.filter(({ isRequired }) => isRequired)
  const nameless = required.find(({ location, name }) => location === 'header' && !headerName.test(name))
  if (nameless !== undefined) return { why: `no header can have the name of its parameter \`${nameless.name}\`` }
  const lost = required.find((each) => unwritable(each) !== undefined)
  if (lost !== undefined) return { why: `${unwritable(lost)}, as its required parameter \`${lost.name}\` is` }
  const used = declared.filter((parameter) => {
    const { location, name, object, keys, isRequired } = parameter
    const lowerCase = name.toLowerCase()
    const isHeader = location === 'header'
    let why = unwritable(parameter)
    if (why === undefined && isHeader && ignoredHeaders.includes(lowerCase)) return false
    if (why === undefined && isHeader && reservedHeaders.includes(lowerCase)) {
      const message = `The parameter \`${name}\` of \`${api.shown}\` is left out: it is a header of the connection or of the application.`
      const next = 'Nothing, or give it under `headers` where the toolset is bound, if `fetch` lets it.'
      context.report(note('TG6209', message, next), keys)
      return false
    }
    if (isHeader && !headerName.test(name)) why ??= 'no header can have its name'
    if (location === 'path' && !inPath.includes(name)) why ??= `the path has no \`{${name}}\``
    // A required one makes the operation unusable.
    if (location !== 'path' && !isRequired && isImpossible(own(object, 'schema'))) why ??= 'no value fits it'
    if (why !== undefined) context.report(parameterLeftOut(api.shown, name, why), keys)
    return why === undefined
  })
  const read = used.map((parameter) => readParameter(parameter, context))
  return { fields: read.map(({ field }) => field), table: read.map(({ row }) => row) }
}

function parameterLeftOut(operation: string, name: string, why: string): Diagnostic {
  const message = `The parameter \`${name}\` of \`${operation}\` is left out: ${why}.`
  return warning('TG6209', message, `${openApiDocument.fix}.`)
}

function isImpossible(schema: Json | undefined): boolean {
  const listed = isObject(schema) ? own(schema, 'enum') : undefined
  return schema === false || (Array.isArray(listed) && listed.length === 0)
}

/** Returns the parameters of the operation and of its path. Those of the operation replace others of the same name. */
function declaredParameters({ api, root, report }: OperationContext): readonly Parameter[] | PartProblem {
  const found = new Map<string, Parameter>()
  for (const [object, keys] of [
    [api.item, api.itemKeys],
    [api.operation, api.keys],
  ] as const) {
    const here = new Set<string>()
    for (const part of partsUnder({ value: own(object, 'parameters') ?? [], keys: [...keys, 'parameters'] })) {
      const parameter = declaredParameter(part, root)
      if ('why' in parameter) return parameter
      const { name, location } = parameter
      const key = `${location} ${name}`
      if (!here.has(key)) found.set(key, parameter)
      else
        report(
          parameterLeftOut(api.shown, name, `there is another one of its name in ${location}, which counts`),
          part.keys,
        )
      here.add(key)
    }
  }
  return [...found.values()]
}

function declaredParameter(part: DocumentPart, root: SchemaObject): Parameter | PartProblem {
  const found = objectAt(root, part)
  if ('why' in found) return found
  const { object, keys } = found
  const [name, location, style] = [own(object, 'name'), own(object, 'in'), own(object, 'style')]
  if (typeof name !== 'string' || name === '') return { why: 'one of its parameters has no `name`' }
  if (location !== 'path' && location !== 'query' && location !== 'header' && location !== 'cookie') {
    return { why: `its parameter \`${name}\` is \`in\` no place that OpenAPI knows` }
  }
  // Other unknown styles are like the default for values without parts.
  if (typeof style === 'string' && style.endsWith('Delimited') && !styles[location].includes(style)) {
    return { why: `no request can have its parameter \`${name}\`, which is \`${style}\` in ${location}` }
  }
  const media =
    own(object, 'schema') === undefined
      ? mediaOf({ value: own(object, 'content') ?? {}, keys: [...keys, 'content'] })
      : undefined
  return { name, location, object, keys, isRequired: own(object, 'required') === true, media }
}

/** Returns why no request can have a parameter, as the end of the sentence "... is left out:". */
function unwritable({ object, isRequired, media }: Parameter): string | undefined {
  // A required one makes the schema of the payload unusable.
  if (own(object, 'schema') === false && !isRequired) return 'no value fits it'
  if (media === undefined || media.kind === 'json' || media.kind === 'text') return undefined
  return `toolgen writes no parameters of \`${media.type}\``
}

function readParameter(
  { name, location, object, keys, isRequired, media }: Parameter,
  { api, root, names, schema, report }: OperationContext,
): { readonly field: ToolField; readonly row: SchemaObject } {
  const { field, why } = names.claim(name, location)
  if (why !== undefined) {
    report(renamedField(api.shown, `The parameter \`${name}\` in ${location}`, field, why), keys)
  }
  const part = media?.schema ?? { value: own(object, 'schema') ?? {}, keys: [...keys, 'schema'] }
  const isText = media !== undefined && losesSchema(media, root)
  if (isText) {
    const message = `The parameter \`${name}\` of \`${api.shown}\` is \`${media.type}\`, which is sent as the text that models write: its schema is not used.`
    report(warning('TG6212', message, 'Describe in its `description` what the text is, and import again.'), keys)
  }
  const [style, explode] = [own(object, 'style'), own(object, 'explode')]
  const isKnown = typeof style === 'string' && styles[location].includes(style)
  if (typeof style === 'string' && !isKnown) {
    const message = `The parameter \`${name}\` of \`${api.shown}\` is written in the usual style: OpenAPI has no style \`${style}\` in ${location}.`
    report(warning('TG6214', message, `${openApiDocument.fix}.`), [...keys, 'style'])
  }
  const [usual] = styles[location]
  const used = isKnown ? style : usual
  return {
    field: {
      name: field,
      isRequired: location === 'path' || isRequired,
      schema: withNotes(isText ? { type: 'string' } : schema(part), object),
    },
    row: {
      field,
      ...(field !== name && { name }),
      in: location,
      ...(isKnown && used !== usual && { style: used }),
      ...(typeof explode === 'boolean' && explode !== (used === 'form') && { explode }),
      ...(location === 'query' && own(object, 'allowReserved') === true && { reserved: true }),
      ...(media?.kind === 'json' && { json: true }),
    },
  }
}

/** Adds the notes of a parameter to its schema. */
function withNotes(schema: Schema, parameter: SchemaObject): Schema {
  if (schema === false) return false
  const [description, example] = [own(parameter, 'description'), own(parameter, 'example')]
  return {
    ...(isObject(schema) && schema),
    ...(typeof description === 'string' && description.trim() !== '' && { description }),
    ...(['string', 'number', 'boolean'].includes(typeof example) && { examples: [example ?? null] }),
    ...(own(parameter, 'deprecated') === true && { deprecated: true }),
  }
}

/** The responses of an operation as the result of a tool, and as the table of the API. */
interface ReadResponses {
  readonly result: Schema
  /** Kind by status; absent if the document does not describe them. */
  readonly table?: SchemaObject
  readonly problem?: PartProblem
}

/** Reads the responses that are results: those of success, else the one for every status. `HEAD` has no bodies. */
export function readResponses({ api, root, schema, report }: OperationContext): ReadResponses {
  const { operation, keys, shown, method } = api
  const all = partsUnder({ value: own(operation, 'responses') ?? {}, keys: [...keys, 'responses'] })
  const withStatus = (pattern: RegExp): readonly DocumentPart[] =>
    all.filter((part) => pattern.test(String(part.keys.at(-1))))
  const successes = withStatus(/^2(?:\d\d|XX)$/i)
  const hasRedirects = withStatus(/^3(?:\d\d|XX)$/i).length > 0
  const used = successes.length > 0 || hasRedirects ? successes : withStatus(/^default$/i)
  if (used.length === 0) return { result: true }
  const schemas = new Map<string, Schema>()
  const table: Record<string, string> = {}
  for (const part of used) {
    const found = objectAt(root, part)
    if ('why' in found) return { result: true, problem: found }
    const content = method === 'HEAD' ? undefined : own(found.object, 'content')
    const media = mediaOf({ value: content ?? {}, keys: [...found.keys, 'content'] })
    const { kind, result } = responseOf(media, schema)
    if (media !== undefined && losesSchema(media, root)) {
      const message = `An answer of \`${shown}\` is \`${media.type}\`, which is a text: its schema is not used.`
      const next =
        'Nothing, where models can read the text; else give the operation an answer of JSON, and import again.'
      report(note('TG6212', message, next), part.keys)
    }
    table[String(part.keys.at(-1)).toUpperCase().replace('DEFAULT', 'default')] = kind
    schemas.set(JSON.stringify(result), result)
  }
  const results = [...schemas.values()]
  const [only = true] = results
  return { result: results.length === 1 ? only : results.includes(true) ? true : { anyOf: results }, table }
}

function responseOf(
  media: Media | undefined,
  schema: OperationContext['schema'],
): { readonly kind: string; readonly result: Schema } {
  switch (media?.kind) {
    case undefined:
      return { kind: 'none', result: { type: 'null' } }
    case 'json':
      return { kind: 'json', result: media.isDescribed ? schema(media.schema) : true }
    case 'text':
    case 'form':
      return { kind: 'text', result: { type: 'string' } }
    default:
      return { kind: 'bytes', result: { type: 'string', contentEncoding: 'base64' } }
  }
}

/** The body of an operation as fields of a payload, and as a row of the API's table. */
export interface ReadBody {
  readonly fields: readonly ToolField[]
  readonly row: SchemaObject | undefined
}

/** Keywords of an object without further rules for its fields. */
const plainKeywords: readonly string[] = [
  ...['type', 'properties', 'required', 'title', 'description', 'nullable', 'deprecated', 'readOnly', 'writeOnly'],
  ...['additionalProperties', 'example', 'examples', 'xml', 'externalDocs', 'default', '$schema', '$comment'],
]

/**
 * Reads the body of an operation. The fields of an object become fields of the payload, because models fill flat objects best.
 * Any other body is one field, `body`.
 */
export function readBody(context: OperationContext): ReadBody | PartProblem {
  const { api, root, report } = context
  const [value, keys] = [own(api.operation, 'requestBody'), [...api.keys, 'requestBody']]
  const none = { fields: [], row: undefined }
  if (value === undefined) return none
  if (api.method === 'GET' || api.method === 'HEAD') {
    const message = `The body of \`${api.shown}\` is left out: \`fetch\` sends none with ${api.method}.`
    report(warning('TG6209', message, `${openApiDocument.fix}.`), keys)
    return none
  }
  const body = objectAt(root, { value, keys })
  if ('why' in body) return body
  const media = mediaOf({ value: own(body.object, 'content') ?? {}, keys: [...body.keys, 'content'] })
  if (media === undefined) return none
  if (losesSchema(media, root)) {
    const message = `The body of \`${api.shown}\` is \`${media.type}\`, which is sent as the text that models write: its schema is not used.`
    const next =
      'Describe in a `description` of the body what the text is, or give the operation a body of JSON, and import again.'
    report(warning('TG6212', message, next), keys)
  }
  // A default that is filled in would overwrite what a change leaves out.
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

/** Returns an object with known fields and no further rules; `undefined` for any other schema. */
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

/** A body with required fields is required: an object without them would be rejected. */
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
    return { why: `no request can have its field \`${unwritable[0]}\`, which is \`tabDelimited\`` }
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

/** Returns how a field of a form is written, if that is not the default. */
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
  // OpenAPI ignores the media type of a field with a style.
  const isStyled = ['style', 'explode', 'allowReserved'].some((key) => own(encoding, key) !== undefined)
  return {
    ...(isSingle && kindOf(type) === 'json' && !isStyled && { type }),
    ...(typeof style === 'string' && { style }),
    ...(typeof explode === 'boolean' && { explode }),
  }
}

function isFile(part: DocumentPart, root: SchemaObject): boolean {
  const found = resolved(root, part)
  if ('why' in found || !isObject(found.value)) return false
  const items = own(found.value, 'items')
  return isBinary(found.value) || (items !== undefined && isFile({ value: items, keys: part.keys }, root))
}
