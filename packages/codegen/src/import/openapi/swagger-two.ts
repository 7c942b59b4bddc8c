import { isObject, objectFrom, own, stringsOf } from '../../schema/json/json.js'
import type { Json, SchemaObject } from '../../schema/json/json-schema.js'
import { kindOf } from './media-types.js'
import { swaggerForm } from './swagger-form.js'

/**
 * A document of version 2 with the parts that the upgrade to version 3 would lose said in the words of version 3: forms, files
 * that are answered, what may be null, and how lists are written.
 */
export function preparedSwagger(document: SchemaObject): SchemaObject {
  const nullable = withNullable(document)
  const root = isObject(nullable) ? nullable : document
  const paths = own(root, 'paths')
  const responses = own(root, 'responses')
  const shared = own(root, 'parameters')
  return {
    ...root,
    ...(own(root, 'schemes') !== undefined && { schemes: secretFirst(root) }),
    ...(isObject(paths) && { paths: mapped(paths, (item) => preparedItem(item, root)) }),
    ...(isObject(responses) && { responses: mapped(responses, (each) => preparedAnswer(each, producedBy({}, root))) }),
    ...(isObject(shared) && { parameters: mapped(shared, preparedParameter) }),
  }
}

function preparedItem(item: SchemaObject, root: SchemaObject): SchemaObject {
  const around = listAt(item, 'parameters').map((each) => referred(each, root))
  const operations = mapped(item, (operation, key) => preparedOperation(operation, key, around, root))
  return around.length === 0
    ? operations
    : { ...operations, parameters: around.filter((each) => !isOfForm(each)).map(preparedPart) }
}

function preparedOperation(
  operation: SchemaObject,
  key: string,
  around: readonly Json[],
  root: SchemaObject,
): SchemaObject {
  if (key.startsWith('x-')) return operation
  const parameters = listAt(operation, 'parameters').map((each) => referred(each, root))
  const inForm = [...around, ...parameters].filter(isOfForm)
  const kept = parameters.filter((each) => !isOfForm(each)).map(preparedPart)
  const responses = own(operation, 'responses')
  return {
    ...operation,
    ...(parameters.length > 0 && { parameters: inForm.length > 0 ? kept.map(withoutPlace) : kept }),
    ...serversOf(operation, root),
    ...(inForm.length > 0 && { requestBody: swaggerForm(inForm, mediaTypes('consumes', operation, root)) }),
    ...(isObject(responses) && {
      responses: mapped(responses, (each) => preparedAnswer(each, producedBy(operation, root))),
    }),
  }
}

/** A body beside a form is in no place: a request has one of them, and it is told when parameters are read. */
function withoutPlace(parameter: Json): Json {
  return isObject(parameter) && isOfBody(parameter) ? { ...parameter, in: 'body beside formData' } : parameter
}

/** The first server is the one that is asked: a secret connection, where there is one. */
function secretFirst(object: SchemaObject): readonly string[] {
  const schemes = stringsOf(object, 'schemes')
  return [...schemes.filter((scheme) => scheme === 'https'), ...schemes.filter((scheme) => scheme !== 'https')]
}

/** Version 3 has no `schemes`: an operation that is asked by another one than the document has a server of its own. */
function serversOf(operation: SchemaObject, root: SchemaObject): SchemaObject {
  const [host, path] = [own(root, 'host'), own(root, 'basePath')]
  const [scheme] = secretFirst(operation)
  if (typeof host !== 'string' || scheme === undefined || scheme === secretFirst(root)[0]) return {}
  return { servers: [{ url: `${scheme}://${host}${typeof path === 'string' ? path : ''}` }] }
}

/** Parameters of forms and bodies are read where they are used; others stay references. */
function referred(parameter: Json, root: SchemaObject): Json {
  const ref = isObject(parameter) ? own(parameter, '$ref') : undefined
  const name = typeof ref === 'string' ? /^#\/parameters\/([^/]+)$/.exec(ref)?.[1] : undefined
  const shared = own(root, 'parameters')
  const target = name === undefined || !isObject(shared) ? undefined : own(shared, name)
  return target !== undefined && (isOfForm(target) || isOfBody(target)) ? target : parameter
}

function isOfForm(parameter: Json): parameter is SchemaObject {
  return isObject(parameter) && own(parameter, 'in') === 'formData'
}

function isOfBody(parameter: Json): boolean {
  return isObject(parameter) && own(parameter, 'in') === 'body'
}

function preparedPart(parameter: Json): Json {
  return isObject(parameter) ? preparedParameter(parameter) : parameter
}

const delimited: Readonly<Record<string, string>> = {
  ssv: 'spaceDelimited',
  pipes: 'pipeDelimited',
  tsv: 'tabDelimited',
}

/** Version 3 has styles for some of these in some places; it is told of the others when parameters are read. */
function preparedParameter(parameter: SchemaObject): SchemaObject {
  const style = own(parameter, 'type') === 'array' ? delimited[String(own(parameter, 'collectionFormat'))] : undefined
  return style === undefined ? parameter : { ...parameter, style }
}

function preparedAnswer(answer: SchemaObject, types: readonly string[]): SchemaObject {
  const schema = own(answer, 'schema')
  if (!isObject(schema)) return answer
  const isFile = own(schema, 'type') === 'file'
  const fitting = isFile ? types.filter((type) => kindOf(type) === 'bytes') : types
  const used = fitting.length > 0 ? fitting : [isFile ? 'application/octet-stream' : 'application/json']
  const others = Object.entries(answer).filter(([key]) => key !== 'schema' && key !== 'examples')
  return { ...objectFrom(others), content: objectFrom(used.map((type) => [type, { schema }] as const)) }
}

function producedBy(operation: SchemaObject, root: SchemaObject): readonly string[] {
  return mediaTypes('produces', operation, root)
}

function mediaTypes(key: 'consumes' | 'produces', operation: SchemaObject, root: SchemaObject): readonly string[] {
  return stringsOf(own(operation, key) === undefined ? root : operation, key)
}

function withNullable(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withNullable(item))
  if (!isObject(value)) return value
  const copied = objectFrom(Object.entries(value).map(([key, item]) => [key, withNullable(item)] as const))
  return own(value, 'x-nullable') === true ? { ...copied, nullable: true } : copied
}

function listAt(object: SchemaObject, key: string): readonly Json[] {
  const value = own(object, key)
  return Array.isArray(value) ? value : []
}

function mapped(object: SchemaObject, change: (part: SchemaObject, key: string) => SchemaObject): SchemaObject {
  return objectFrom(
    Object.entries(object).map(([key, part]) => [key, isObject(part) ? change(part, key) : part] as const),
  )
}
