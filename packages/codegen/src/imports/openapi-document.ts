import { pointerOf } from '@toolgen/runtime/schema'
import type { Checked, SourceLocation } from '../diagnostics/diagnostic.js'
import { isRounded, jsonLocations, jsonLosses, type TextLoss, tallyJson } from '../schema/json-losses.js'
import { isObject, type Json, objectFrom, own, type SchemaObject, stringsOf } from '../schema/json-schema.js'
import { toJson } from '../schema/json-values.js'
import { jsonFault } from './json-error.js'
import { isImported } from './names.js'
import { noOpenApi } from './openapi-diagnostics.js'
import { kindOf, type PartKeys } from './openapi-references.js'
import { brokenJson, type ImportSource } from './read-source.js'

/** An OpenAPI document of version 3, whatever it was before. */
interface OpenApiDocument {
  readonly root: SchemaObject
  /** What reading its text has lost. */
  readonly losses: readonly TextLoss[]
  /** Whether it was brought up to version 3: then the keys of its losses are those of the older one. */
  readonly isUpgraded: boolean
  /** Where parts are written: of each the innermost part around it that is. */
  locationsOf(parts: readonly PartKeys[]): readonly SourceLocation[]
}

/** Reads a document as JSON or YAML, and brings one of version 2 up to version 3. */
export async function readDocument(source: ImportSource): Promise<Checked<OpenApiDocument>> {
  const parsed = /^\s*[[{]/.test(source.text) ? readJson(source) : await readYaml(source)
  if (parsed.value === undefined) return { diagnostics: parsed.diagnostics }
  const { json, locationsOf, lossesIn } = parsed.value
  const copied = toJson(json)
  if (!copied.ok) return { diagnostics: [noOpenApi(source.shown, decapitalised(copied.message))] }
  const written = documentIn(copied.json, source.text)
  const root = own(written, 'swagger') === '2.0' ? await upgraded(written) : written
  if (root === undefined) return { diagnostics: [noOpenApi(source.shown, 'it cannot be brought up to version 3')] }
  const why = foreign(root)
  if (why !== undefined) return { diagnostics: [noOpenApi(source.shown, why)] }
  const at = written === copied.json ? [] : ['document']
  const value: OpenApiDocument = {
    root,
    losses: lossesIn(copied.json)
      .filter(({ keys }) => at.every((key, index) => keys[index] === key))
      .map((loss) => ({ ...loss, keys: loss.keys.slice(at.length) })),
    isUpgraded: root !== written,
    locationsOf: (parts) => locationsOf(parts.map((keys) => [...at, ...keys])),
  }
  return { value, diagnostics: [] }
}

/** A parsed text, and where its parts stand. */
interface ParsedText {
  readonly json: unknown
  /** What reading the text has lost of a value that is JSON, see `json`. */
  lossesIn(json: Json): readonly TextLoss[]
  locationsOf(parts: readonly PartKeys[]): readonly SourceLocation[]
}

function readJson(source: ImportSource): Checked<ParsedText> {
  const { text, file } = source
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    const fault = jsonFault(text)
    if (fault === undefined) throw error
    return { diagnostics: [brokenJson(source, fault)] }
  }
  const locationsOf = (parts: readonly PartKeys[]): readonly SourceLocation[] => {
    if (parts.length === 0) return []
    const locations = jsonLocations(text, new Set(parts.flatMap(waysTo)))
    return parts.map((keys) => {
      const written = waysTo(keys).find((pointer) => locations.has(pointer))
      return { file, ...(locations.get(written ?? '') ?? { line: 1, column: 1 }) }
    })
  }
  return { value: { json, lossesIn: (copied) => jsonLosses(text, copied), locationsOf }, diagnostics: [] }
}

/** The pointers to a part and to all that is around it, innermost first. */
function waysTo(keys: PartKeys): readonly string[] {
  return [...keys, ''].map((_, outer) => pointerOf(keys.slice(0, keys.length - outer)))
}

/** A snapshot holds the document of an earlier import. */
function documentIn(json: unknown, text: string): SchemaObject {
  const outer = isObject(json) ? json : {}
  const document = own(outer, 'document')
  return isImported(text) && isObject(document) ? document : outer
}

async function upgraded(document: SchemaObject): Promise<SchemaObject | undefined> {
  const { upgradeFromTwoToThree } = await import('@scalar/openapi-upgrader/2.0-to-3.0')
  try {
    const copied = toJson(upgradeFromTwoToThree({ ...preparedSwagger(document) }))
    return copied.ok && isObject(copied.json) ? copied.json : undefined
  } catch {
    // It is made for documents that are whole; of one that is not it says nothing but that.
    return undefined
  }
}

/** Why a value is no document of OpenAPI 3; `undefined` where it is one. */
function foreign(root: SchemaObject): string | undefined {
  const [version, older] = [own(root, 'openapi'), own(root, 'swagger')]
  const [key, said] = version === undefined ? ['swagger', older] : ['openapi', version]
  if (said === undefined) return 'it has neither `openapi` nor `swagger`'
  if (typeof said === 'number')
    return `its version is a number: write it in quotes, as in \`${key}: '${example(key)}'\``
  if (typeof version !== 'string') return `its version is \`${JSON.stringify(said)}\``
  if (!/^3\.[0-2](?:\.|$)/.test(version)) return `its version is \`${version}\``
  return isObject(own(root, 'paths')) ? undefined : 'it has no `paths`'
}

function example(key: string): string {
  return key === 'swagger' ? '2.0' : '3.1.0'
}

function decapitalised(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}

const tooDeep = 'it nests too deep'

/** Reads a source as YAML; the parser is loaded for the first such source. */
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
    return { diagnostics: [{ ...brokenJson(source, { line, column, why }), next: 'Correct the YAML, or --from.' }] }
  }
  try {
    // Below this level the parser does not tell of a second document.
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
    // Keys that stand several times the parser refuses.
    const lossesIn = (copied: Json): readonly TextLoss[] =>
      tallyJson(copied).unsafe.flatMap((integer) => {
        const node: unknown = document.getIn(integer.keys, true)
        const written = isScalar(node) ? (node.source ?? '') : ''
        return isRounded(written, integer.value) ? [{ kind: 'rounded', ...integer, written }] : []
      })
    return { value: { json, lossesIn, locationsOf }, diagnostics: [] }
  } catch (error) {
    // How the parser says that aliases would make too much of a small text, and how the engine says that it nests too deep.
    if (error instanceof ReferenceError) return broken(0, 'its aliases lead to too many values')
    if (error instanceof RangeError) return broken(0, tooDeep)
    throw error
  }
}

function whyBroken({ code, message }: { readonly code: string; readonly message: string }): string {
  if (code === 'MULTIPLE_DOCS') return 'a second document begins here, and an import reads one'
  return code === 'RESOURCE_EXHAUSTION' ? tooDeep : `it is no YAML: ${sentence(message)}`
}

function sentence(message: string): string {
  const [first = ''] = message.split('\n')
  return first.slice(0, 1).toLowerCase() + first.slice(1).replace(/[.:]$/, '')
}

/**
 * A document of version 2 with the parts that the upgrade to version 3 would lose said in the words of version 3: forms, files
 * that are answered, what may be null, and how lists are written.
 */
function preparedSwagger(document: SchemaObject): SchemaObject {
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
    ...(parameters.length > 0 && { parameters: inForm.length > 0 ? kept.map(withoutLocation) : kept }),
    ...serversOf(operation, root),
    ...(inForm.length > 0 && { requestBody: swaggerForm(inForm, mediaTypes('consumes', operation, root)) }),
    ...(isObject(responses) && {
      responses: mapped(responses, (each) => preparedAnswer(each, producedBy(operation, root))),
    }),
  }
}

/** A body beside a form is in no place: a request has one of them, and it is told when parameters are read. */
function withoutLocation(parameter: Json): Json {
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

const form = 'application/x-www-form-urlencoded'
const multipart = 'multipart/form-data'

/** What a parameter says that is no part of its schema. */
const ofParameters: readonly string[] = ['name', 'in', 'required', 'collectionFormat', 'allowEmptyValue']

/** How lists are written that are no repeated fields. Version 2 has a way that version 3 has no style for: `tsv`. */
const styles: Readonly<Record<string, string>> = {
  csv: 'form',
  ssv: 'spaceDelimited',
  pipes: 'pipeDelimited',
  tsv: 'tabDelimited',
}

/** The body of version 3 for the parameters of a form of version 2; files go in a multipart body alone. */
function swaggerForm(parameters: readonly SchemaObject[], consumes: readonly string[]): SchemaObject {
  const fields = new Map(parameters.map((parameter) => [String(own(parameter, 'name')), parameter] as const))
  const all = [...fields]
  const hasFile = all.some(([, parameter]) => own(parameter, 'type') === 'file')
  const isMultipart = hasFile || (consumes.includes(multipart) && !consumes.includes(form))
  const required = all.flatMap(([name, parameter]) => (own(parameter, 'required') === true ? [name] : []))
  const encoding = all.flatMap(([name, parameter]) => {
    const style =
      own(parameter, 'type') === 'array' ? styles[String(own(parameter, 'collectionFormat') ?? 'csv')] : undefined
    return style === undefined ? [] : [[name, { style, explode: false }] as const]
  })
  const schema = {
    type: 'object',
    properties: objectFrom(all.map(([name, parameter]) => [name, schemaOf(parameter)] as const)),
    ...(required.length > 0 && { required }),
  }
  const media = { schema, ...(encoding.length > 0 && { encoding: objectFrom(encoding) }) }
  return {
    ...(required.length > 0 && { required: true }),
    content: objectFrom([[isMultipart ? multipart : form, media] as const]),
  }
}

function schemaOf(parameter: SchemaObject): SchemaObject {
  return objectFrom(Object.entries(parameter).filter(([key]) => !ofParameters.includes(key)))
}
