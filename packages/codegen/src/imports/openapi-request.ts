import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { isObject, type Json, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { unusedName } from '../schema/references.js'
import {
  ownHeader,
  parameterLeftOut,
  renamedField,
  styleLeftOut,
  textAnswer,
  textParameter,
} from './openapi-diagnostics.js'
import type { ApiOperationPart } from './openapi-operations.js'
import {
  type DocumentPart,
  headerName,
  losesSchema,
  type Media,
  mediaOf,
  objectAt,
  type PartFault,
  type PartKeys,
  partsUnder,
} from './openapi-references.js'
import type { Direction } from './openapi-schemas.js'

/** The parameters of an operation as fields of a payload, and as a table of the API. */
interface ReadParameters {
  readonly fields: readonly ToolField[]
  readonly table: readonly SchemaObject[]
}

interface Parameter {
  readonly name: string
  readonly location: 'path' | 'query' | 'header' | 'cookie'
  readonly object: SchemaObject
  readonly keys: DocumentPart['keys']
}

/** Headers that OpenAPI says are no parameters. */
const ignoredHeaders: readonly string[] = ['accept', 'content-type', 'authorization']
/** Those that belong to the connection or to the application. */
const ownHeaders: readonly string[] = [
  ...['connection', 'content-length', 'cookie', 'host', 'transfer-encoding', 'upgrade', 'te', 'trailer', 'expect'],
]

const styles: Readonly<Record<Parameter['location'], readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}

/** Reads the parameters of an operation and of the path around it. */
export function readParameters(part: ApiOperationPart, scene: OperationScene): ReadParameters | PartFault {
  const declared = declaredParameters(part, scene)
  if ('why' in declared) return declared
  const inPath = [...part.path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name)
  const known = declared.flatMap((each) => (each.location === 'path' ? [each.name] : []))
  const unknown = inPath.find((name) => !known.includes(name))
  if (unknown !== undefined) return { why: `its path has \`{${unknown}}\`, and no parameter in path has that name` }
  const nameless = declared.find(
    ({ location, name, object }) => location === 'header' && !headerName.test(name) && own(object, 'required') === true,
  )
  if (nameless !== undefined) return { why: `no header can have the name of its parameter \`${nameless.name}\`` }
  const lost = declared.find((each) => own(each.object, 'required') === true && unwritable(each) !== undefined)
  if (lost !== undefined) return { why: `${unwritable(lost)}, as its required parameter \`${lost.name}\` is` }
  const used = declared.filter((each) => {
    const { location, name, object, keys } = each
    const why = unwritable(each)
    if (why !== undefined) {
      scene.find(parameterLeftOut(part.shown, name, why), keys)
      return false
    }
    if (location === 'header' && ignoredHeaders.includes(name.toLowerCase())) return false
    if (location === 'header' && ownHeaders.includes(name.toLowerCase())) {
      scene.find(ownHeader(part.shown, name), keys)
      return false
    }
    if (location === 'header' && !headerName.test(name)) {
      scene.find(parameterLeftOut(part.shown, name, 'no header can have its name'), keys)
      return false
    }
    if (location === 'path' && !inPath.includes(name)) {
      scene.find(parameterLeftOut(part.shown, name, `the path has no \`{${name}}\``), keys)
      return false
    }
    // One that is required leaves out the operation.
    if (location === 'path' || own(object, 'required') === true || !isImpossible(own(object, 'schema'))) return true
    scene.find(parameterLeftOut(part.shown, name, 'no value fits it'), keys)
    return false
  })
  const read = used.map((each) => readParameter(each, part, scene))
  return { fields: read.map(({ field }) => field), table: read.map(({ row }) => row) }
}

/** Whether a schema says at once that there is no value of it. */
function isImpossible(schema: Json | undefined): boolean {
  const listed = isObject(schema) ? own(schema, 'enum') : undefined
  return schema === false || (Array.isArray(listed) && listed.length === 0)
}

/** Those of the operation take the place of those of its path; of several in one list the first counts. */
function declaredParameters(part: ApiOperationPart, scene: OperationScene): readonly Parameter[] | PartFault {
  const found = new Map<string, Parameter>()
  for (const [object, keys] of [
    [part.item, part.itemKeys],
    [part.operation, part.keys],
  ] as const) {
    const here = new Set<string>()
    for (const each of partsUnder({ value: own(object, 'parameters') ?? [], keys: [...keys, 'parameters'] })) {
      const parameter = declaredParameter(each, scene)
      if ('why' in parameter) return parameter
      const key = `${parameter.location} ${parameter.name}`
      if (here.has(key)) {
        const why = `there is another one of its name in ${parameter.location}, which counts`
        scene.find(parameterLeftOut(part.shown, parameter.name, why), each.keys)
      } else found.set(key, parameter)
      here.add(key)
    }
  }
  return [...found.values()]
}

function declaredParameter(part: DocumentPart, { root }: OperationScene): Parameter | PartFault {
  const found = objectAt(root, part)
  if ('why' in found) return found
  const [name, location] = [own(found.object, 'name'), own(found.object, 'in')]
  if (typeof name !== 'string' || name === '') return { why: 'one of its parameters has no `name`' }
  if (location !== 'path' && location !== 'query' && location !== 'header' && location !== 'cookie') {
    return { why: `its parameter \`${name}\` is \`in\` no place that OpenAPI knows` }
  }
  const style = own(found.object, 'style')
  // Of others the usual style of the place is meant: for values without parts they all say the same.
  if (typeof style === 'string' && style.endsWith('Delimited') && !styles[location].includes(style)) {
    return { why: `no request can have its parameter \`${name}\`, which is \`${style}\` in ${location}` }
  }
  return { name, location, ...found }
}

function readParameter(
  { name, location, object, keys }: Parameter,
  part: ApiOperationPart,
  scene: OperationScene,
): { readonly field: ToolField; readonly row: SchemaObject } {
  const { field, why } = scene.names.claim(name, location)
  if (why !== undefined)
    scene.find(renamedField(part.shown, `The parameter \`${name}\` in ${location}`, field, why), keys)
  const content = contentOf(object, keys)
  const isJson = content?.kind === 'json'
  const schema: DocumentPart = content?.schema ?? { value: own(object, 'schema') ?? {}, keys: [...keys, 'schema'] }
  const isOther = content !== undefined && losesSchema(content, scene.root)
  if (isOther) scene.find(textParameter(part.shown, name, content.type), keys)
  const style = own(object, 'style')
  if (typeof style === 'string' && !styles[location].includes(style)) {
    scene.find(styleLeftOut(part.shown, name, style, location), [...keys, 'style'])
  }
  const isUsual = typeof style !== 'string' || style === styles[location][0] || !styles[location].includes(style)
  const isExploded = (isUsual ? styles[location][0] : style) === 'form'
  const explode = own(object, 'explode')
  return {
    field: {
      name: field,
      isRequired: location === 'path' || own(object, 'required') === true,
      schema: described(isOther ? { type: 'string' } : scene.schema(schema), object),
    },
    row: {
      field,
      ...(field !== name && { name }),
      in: location,
      ...(!isUsual && { style }),
      ...(typeof explode === 'boolean' && explode !== isExploded && { explode }),
      ...(location === 'query' && own(object, 'allowReserved') === true && { reserved: true }),
      ...(isJson && { json: true }),
    },
  }
}

/** How a parameter is written that has a media type; `undefined` for those that have a style. */
function contentOf(object: SchemaObject, keys: DocumentPart['keys']): Media | undefined {
  if (own(object, 'schema') !== undefined) return undefined
  return mediaOf({ value: own(object, 'content') ?? {}, keys: [...keys, 'content'] })
}

/** Why no request can have a parameter that its name and its place allow: in words that end "... is left out:". */
function unwritable({ object, keys }: Parameter): string | undefined {
  // Of one that is required the schema says it, and leaves out its operation.
  if (own(object, 'schema') === false && own(object, 'required') !== true) return 'no value fits it'
  const content = contentOf(object, keys)
  if (content === undefined || content.kind === 'json' || content.kind === 'text') return undefined
  return `toolgen writes no parameters of \`${content.type}\``
}

/** A schema with what the part around it says to people and models. */
function described(schema: Schema, around: SchemaObject): Schema {
  if (schema === false) return false
  const [description, example] = [own(around, 'description'), own(around, 'example')]
  const plain = isObject(schema) ? schema : {}
  return {
    ...plain,
    ...(typeof description === 'string' && description.trim() !== '' && { description }),
    ...(isScalar(example) && { examples: [example] }),
    ...(own(around, 'deprecated') === true && { deprecated: true }),
  }
}

function isScalar(value: Json | undefined): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

/** What an operation answers, as the result of a tool and as the table of the API has it. */
interface ReadAnswers {
  readonly result: Schema
  /** Kind by status; absent where the document does not say what comes back. */
  readonly table?: SchemaObject
  readonly fault?: PartFault
}

/** What answers are read with; a schema is one of what comes back. */
type AnswerScene = Pick<OperationScene, 'root' | 'schema' | 'find'>

/** Reads the answers of an operation that are results: those of success, else the one for every status. `HEAD` has no bodies. */
export function readAnswers(
  { operation, keys, shown, method }: ApiOperationPart,
  { root, schema, find }: AnswerScene,
): ReadAnswers {
  const all = partsUnder({ value: own(operation, 'responses') ?? {}, keys: [...keys, 'responses'] })
  const statusOf = ({ keys: at }: DocumentPart): string => String(at.at(-1)).toUpperCase()
  const successes = all.filter((part) => /^2(?:\d\d|XX)$/.test(statusOf(part)))
  const hasOthers = all.some((part) => /^3(?:\d\d|XX)$/.test(statusOf(part)))
  const others = all.filter((part) => !hasOthers && statusOf(part) === 'DEFAULT')
  const used = successes.length > 0 ? successes : others
  if (used.length === 0) return { result: true }
  const schemas = new Map<string, Schema>()
  const table: Record<string, string> = {}
  for (const part of used) {
    const found = objectAt(root, part)
    if ('why' in found) return { result: true, fault: found }
    const content = method === 'HEAD' ? undefined : own(found.object, 'content')
    const media = mediaOf({ value: content ?? {}, keys: [...found.keys, 'content'] })
    const { kind, result } = answerOf(media, schema)
    if (media !== undefined && losesSchema(media, root)) find(textAnswer(shown, media.type), part.keys)
    table[statusOf(part).replace('DEFAULT', 'default')] = kind
    schemas.set(JSON.stringify(result), result)
  }
  const results = [...schemas.values()]
  const [only = true] = results
  return { result: results.length === 1 ? only : results.includes(true) ? true : { anyOf: results }, table }
}

function answerOf(
  media: Media | undefined,
  schema: AnswerScene['schema'],
): { readonly kind: string; readonly result: Schema } {
  if (media === undefined) return { kind: 'none', result: { type: 'null' } }
  switch (media.kind) {
    case 'json':
      return { kind: 'json', result: media.isDescribed ? schema(media.schema) : true }
    case 'text':
    case 'form':
      return { kind: 'text', result: { type: 'string' } }
    case 'bytes':
    case 'multipart':
      return { kind: 'bytes', result: { type: 'string', contentEncoding: 'base64' } }
  }
}

/** What the parts of one operation are read with. */
export interface OperationScene {
  readonly root: SchemaObject
  readonly names: FieldNames
  /** A schema as the toolset has it. Default: of what is sent. */
  schema(part: DocumentPart, direction?: Direction): Schema
  find(finding: Diagnostic, keys: PartKeys): void
}

/** A field of a tool's payload. */
export interface ToolField {
  readonly name: string
  readonly isRequired: boolean
  readonly schema: Schema
}

/** A name that every model vendor takes for a field. */
const legal = /^[a-zA-Z0-9_.-]{1,64}$/

/** A name for a field of a payload, and why it is not the one that was wanted. */
interface FieldName {
  readonly field: string
  readonly why?: string
}

/** Gives parameters and fields of a body names of their own in the one payload of a tool. */
export class FieldNames {
  readonly #taken = new Set<string>()

  /**
   * @param location what a name is told apart by where it was given before, e.g. `query`
   */
  claim(wanted: string, location: string): FieldName {
    const isLegal = legal.test(wanted) && wanted !== '__proto__'
    const plain = isLegal ? wanted : made(wanted)
    const isFree = !this.#taken.has(plain)
    const base = isFree ? plain : `${location}_${plain}`.slice(0, 60)
    const field = unusedName(base, (candidate) => !this.#taken.has(candidate))
    this.#taken.add(field)
    if (field === wanted) return { field }
    return { field, why: isLegal ? 'another field has its name' : 'models take no field of its name' }
  }
}

/** `filter[status]` → `filter_status`. */
function made(name: string): string {
  const words = name.replace(/[^a-zA-Z0-9_.-]+/g, '_').replace(/^_+|_+$/g, '')
  return words.slice(0, 60) || 'field'
}
