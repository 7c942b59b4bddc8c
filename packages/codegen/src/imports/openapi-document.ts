import type { Checked, SourceLocation } from '../diagnostics/diagnostic.js'
import { parseJson } from '../schema/json-error.js'
import { isRounded, jsonLosses, type TextLoss, tallyJson } from '../schema/json-losses.js'
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
import { toJson } from '../schema/json-values.js'
import { isImported } from './imported-files.js'
import { jsonPartLocations } from './json-source.js'
import { notOpenApi } from './openapi-diagnostics.js'
import { kindOf } from './openapi-media.js'
import type { PartKeys } from './openapi-parts.js'
import { type ImportSource, invalidText } from './sources.js'

interface OpenApiDocument {
  readonly root: SchemaObject
  readonly losses: readonly TextLoss[]
  /** `losses` contains paths in the document before the conversion from version 2. */
  readonly isUpgraded: boolean
  /** If a part is missing, returns the location of its nearest existing parent. */
  locationsOf(parts: readonly PartKeys[]): readonly SourceLocation[]
}

export async function readDocument(source: ImportSource): Promise<Checked<OpenApiDocument>> {
  const parsed = /^\s*[[{]/.test(source.text) ? readJson(source) : await readYaml(source)
  if (parsed.value === undefined) return { diagnostics: parsed.diagnostics }
  const { json, locationsOf, lossesIn } = parsed.value
  const refused = (why: string): Checked<never> => ({ diagnostics: [notOpenApi(source.shown, why)] })
  const copied = toJson(json)
  if (!copied.ok) return refused(decapitalized(copied.message))
  if (isImported(source.text)) return refused('it is the snapshot of an import; use its source')
  const written = objectOf(copied.json)
  const root = own(written, 'swagger') === '2.0' ? await upgraded(written) : written
  if (root === undefined) return refused('it cannot be converted to version 3')
  const why = versionProblem(root)
  if (why !== undefined) return refused(why)
  const value = { root, losses: lossesIn(copied.json), isUpgraded: root !== written, locationsOf }
  return { value, diagnostics: [] }
}

interface ParsedText {
  readonly json: unknown
  lossesIn(json: Json): readonly TextLoss[]
  locationsOf(parts: readonly PartKeys[]): readonly SourceLocation[]
}

function readJson(source: ImportSource): Checked<ParsedText> {
  const { text, file } = source
  const parsed = parseJson(text)
  if ('why' in parsed) return { diagnostics: [invalidText(source, parsed)] }
  const locationsOf = (parts: readonly PartKeys[]): readonly SourceLocation[] =>
    jsonPartLocations(text, parts).map((location) => ({ file, ...location }))
  return { value: { json: parsed.json, lossesIn: (copied) => jsonLosses(text, copied), locationsOf }, diagnostics: [] }
}

function versionProblem(root: SchemaObject): string | undefined {
  const [openapi, swagger] = [own(root, 'openapi'), own(root, 'swagger')]
  const version = openapi ?? swagger
  if (version === undefined) return 'it has neither `openapi` nor `swagger`'
  if (typeof version === 'number') {
    const example = openapi === undefined ? "swagger: '2.0'" : "openapi: '3.1.0'"
    return `its version is a number: add quotes, as in \`${example}\``
  }
  if (typeof openapi !== 'string') return `its version is \`${JSON.stringify(version)}\``
  if (!/^3\.[0-2](?:\.|$)/.test(openapi)) return `its version is \`${openapi}\``
  return isObject(own(root, 'paths')) ? undefined : 'it has no `paths`'
}

function decapitalized(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}

const tooDeep = 'it is nested too deeply'

async function readYaml(source: ImportSource): Promise<Checked<ParsedText>> {
  const { LineCounter, isNode, isScalar, parseDocument } = await import('yaml')
  const { text, file } = source
  const lines = new LineCounter()
  const location = (offset: number): SourceLocation => {
    const { line, col } = lines.linePos(offset)
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const broken = (offset: number, why: string): Checked<ParsedText> => {
    const { line, column } = location(offset)
    return { diagnostics: [invalidText(source, { line, column, why }, 'YAML')] }
  }
  try {
    // With the log level `silent`, the parser would ignore a second document instead of reporting an error.
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error', merge: true })
    const [error] = document.errors
    if (error !== undefined) return broken(error.pos[0], whyBroken(error))
    const json: unknown = document.toJS()
    const locationsOf = (parts: readonly PartKeys[]): readonly SourceLocation[] =>
      parts.map((keys) => {
        for (let length = keys.length; length > 0; length -= 1) {
          const node: unknown = document.getIn(keys.slice(0, length), true)
          if (isNode(node) && node.range) return location(node.range[0])
        }
        return { file, line: 1, column: 1 }
      })
    // Duplicate keys need no check here, because the parser rejects them.
    const lossesIn = (copied: Json): readonly TextLoss[] =>
      tallyJson(copied).unsafe.flatMap((integer) => {
        const node: unknown = document.getIn(integer.keys, true)
        const written = isScalar(node) ? (node.source ?? '') : ''
        return isRounded(written, integer.value) ? [{ kind: 'rounded', ...integer, written }] : []
      })
    return { value: { json, lossesIn, locationsOf }, diagnostics: [] }
  } catch (error) {
    // The parser throws a ReferenceError for aliases with too many values, and the engine a RangeError for too many levels.
    if (error instanceof ReferenceError) return broken(0, 'its aliases expand to too many values')
    if (error instanceof RangeError) return broken(0, tooDeep)
    throw error
  }
}

function whyBroken({ code, message }: { readonly code: string; readonly message: string }): string {
  if (code === 'MULTIPLE_DOCS') return 'a second document begins here, but an import reads only one'
  return code === 'RESOURCE_EXHAUSTION'
    ? tooDeep
    : `it is not YAML: ${decapitalized(message.split('\n')[0] ?? '').replace(/[.:]$/, '')}`
}

async function upgraded(document: SchemaObject): Promise<SchemaObject | undefined> {
  const { upgradeFromTwoToThree } = await import('@scalar/openapi-upgrader/2.0-to-3.0')
  try {
    const copied = toJson(upgradeFromTwoToThree({ ...preparedSwagger(document) }))
    return copied.ok && isObject(copied.json) ? copied.json : undefined
  } catch {
    // The converter throws errors without a reason for incomplete documents.
    return undefined
  }
}

/** The converter to version 3 would lose some parts, such as forms, files in responses and nullable values. */
function preparedSwagger(document: SchemaObject): SchemaObject {
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
 * Array styles of version 3 by `collectionFormat` of version 2. `multi` has no style, because `multi` repeats the parameter. Version 3 cannot express
 * `tsv`; the invalid style `tabDelimited` makes a later step report the parameter.
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

/** The converter to version 3 changes its input, so the converter needs a copy. */
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
