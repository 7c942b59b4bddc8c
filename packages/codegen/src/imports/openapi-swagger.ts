import {
  isObject,
  type Json,
  mapValues,
  objectFrom,
  objectOf,
  own,
  type SchemaObject,
  stringsOf,
  without,
} from '../schema/json-schema.js'
import { kindOf } from './openapi-media.js'

/**
 * Rewrites parts of a version 2 document that the converter would lose: forms, files in responses, nullable values, URL
 * schemes, and styles of arrays.
 */
export function preparedSwagger(document: SchemaObject): SchemaObject {
  const root = objectOf(withNullable(document))
  return {
    ...root,
    ...(own(root, 'schemes') !== undefined && { schemes: httpsFirst(root) }),
    ...mappedAt(root, 'paths', (item) => preparedItem(item, root)),
    ...mappedAt(root, 'responses', (response) => preparedResponse(response, {}, root)),
    ...mappedAt(root, 'parameters', preparedParameter),
  }
}

function parametersOf(object: SchemaObject, root: SchemaObject): readonly Json[] {
  const parameters = own(object, 'parameters')
  return (Array.isArray(parameters) ? parameters : []).map((parameter: Json) => {
    const ref = String(own(objectOf(parameter), '$ref'))
    const name = /^#\/parameters\/([^/]+)$/.exec(ref)?.[1]
    const target = name === undefined ? undefined : own(objectOf(own(root, 'parameters')), name)
    return target !== undefined && (isIn('formData', target) || isIn('body', target)) ? target : parameter
  })
}

function isIn(location: string, parameter: Json): parameter is SchemaObject {
  return isObject(parameter) && own(parameter, 'in') === location
}

function preparedItem(item: SchemaObject, root: SchemaObject): SchemaObject {
  const shared = parametersOf(item, root)
  const operations = mapObjects(item, (operation, key) =>
    key.startsWith('x-') ? operation : preparedOperation(operation, shared, root),
  )
  if (shared.length === 0) return operations
  return { ...operations, parameters: shared.filter((each) => !isIn('formData', each)).map(preparedValue) }
}

function preparedOperation(operation: SchemaObject, shared: readonly Json[], root: SchemaObject): SchemaObject {
  const parameters = parametersOf(operation, root)
  const form = [...shared, ...parameters].filter((each) => isIn('formData', each))
  const kept = parameters.filter((each) => !isIn('formData', each)).map(preparedValue)
  // A request has either a form or a body. The invalid location is reported later, when parameters are read.
  const located = kept.map((each) => (isIn('body', each) ? { ...each, in: 'body beside formData' } : each))
  const [host, path] = [own(root, 'host'), own(root, 'basePath')]
  const [scheme] = httpsFirst(operation)
  // Version 3 has no `schemes`. An operation whose scheme differs from the document's needs its own server.
  const hasServer = typeof host === 'string' && scheme !== undefined && scheme !== httpsFirst(root)[0]
  return {
    ...operation,
    ...(parameters.length > 0 && { parameters: form.length > 0 ? located : kept }),
    ...(hasServer && { servers: [{ url: `${scheme}://${host}${typeof path === 'string' ? path : ''}` }] }),
    ...(form.length > 0 && { requestBody: swaggerForm(form, mediaTypes('consumes', operation, root)) }),
    ...mappedAt(operation, 'responses', (response) => preparedResponse(response, operation, root)),
  }
}

function httpsFirst(object: SchemaObject): readonly string[] {
  const schemes = stringsOf(object, 'schemes')
  return [...schemes.filter((scheme) => scheme === 'https'), ...schemes.filter((scheme) => scheme !== 'https')]
}

/**
 * Styles of arrays in version 3, by the `collectionFormat` of version 2. `multi` is missing, because it repeats the field. Version 3 has no
 * style for `tsv`: `tabDelimited` is invalid and reported later.
 */
const styles: Readonly<Record<string, string>> = {
  csv: 'form',
  ssv: 'spaceDelimited',
  pipes: 'pipeDelimited',
  tsv: 'tabDelimited',
}

function preparedValue(parameter: Json): Json {
  return isObject(parameter) ? preparedParameter(parameter) : parameter
}

function preparedParameter(parameter: SchemaObject): SchemaObject {
  const format = String(own(parameter, 'collectionFormat'))
  const style = own(parameter, 'type') === 'array' && format !== 'csv' ? styles[format] : undefined
  return style === undefined ? parameter : { ...parameter, style }
}

function preparedResponse(response: SchemaObject, operation: SchemaObject, root: SchemaObject): SchemaObject {
  const schema = own(response, 'schema')
  if (!isObject(schema)) return response
  const types = mediaTypes('produces', operation, root)
  const isFile = own(schema, 'type') === 'file'
  const fitting = isFile ? types.filter((type) => kindOf(type) === 'bytes') : types
  const used = fitting.length > 0 ? fitting : [isFile ? 'application/octet-stream' : 'application/json']
  const content = objectFrom(used.map((type) => [type, { schema }] as const))
  return { ...without(response, ['schema', 'examples']), content }
}

function mediaTypes(key: 'consumes' | 'produces', operation: SchemaObject, root: SchemaObject): readonly string[] {
  return stringsOf(own(operation, key) === undefined ? root : operation, key)
}

/** Copies a value, because the converter changes its input. Adds `nullable` for `x-nullable`. */
function withNullable(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withNullable(item))
  if (!isObject(value)) return value
  const copied = objectFrom(Object.entries(value).map(([key, item]) => [key, withNullable(item)] as const))
  return own(value, 'x-nullable') === true ? { ...copied, nullable: true } : copied
}

function mapObjects(object: SchemaObject, change: (part: SchemaObject, key: string) => SchemaObject): SchemaObject {
  return mapValues(object, (part, key) => (isObject(part) ? change(part, key) : part))
}

function mappedAt(object: SchemaObject, key: string, change: (part: SchemaObject) => SchemaObject): SchemaObject {
  const value = own(object, key)
  return isObject(value) ? { [key]: mapObjects(value, change) } : {}
}

const form = 'application/x-www-form-urlencoded'

const multipart = 'multipart/form-data'

const parameterKeywords: readonly string[] = ['name', 'in', 'required', 'collectionFormat', 'allowEmptyValue']

/** Returns the version 3 body for the form parameters of version 2. Files need a multipart body. */
function swaggerForm(parameters: readonly SchemaObject[], consumes: readonly string[]): SchemaObject {
  const fields = [...new Map(parameters.map((parameter) => [String(own(parameter, 'name')), parameter]))]
  const hasFile = fields.some(([, parameter]) => own(parameter, 'type') === 'file')
  const isMultipart = hasFile || (consumes.includes(multipart) && !consumes.includes(form))
  const required = fields.filter(([, parameter]) => own(parameter, 'required') === true).map(([name]) => name)
  const encoding = fields.flatMap(([name, parameter]) => {
    const format = String(own(parameter, 'collectionFormat') ?? 'csv')
    const style = own(parameter, 'type') === 'array' ? styles[format] : undefined
    return style === undefined ? [] : [[name, { style, explode: false }] as const]
  })
  const schema = {
    type: 'object',
    properties: objectFrom(fields.map(([name, parameter]) => [name, without(parameter, parameterKeywords)] as const)),
    ...(required.length > 0 && { required }),
  }
  const media = { schema, ...(encoding.length > 0 && { encoding: objectFrom(encoding) }) }
  return {
    ...(required.length > 0 && { required: true }),
    content: objectFrom([[isMultipart ? multipart : form, media] as const]),
  }
}
