import { note, warning } from '../diagnostics/diagnostic.js'
import { isObject, type Json, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { openApiDocument, parameterLeftOut, renamedField } from './openapi-diagnostics.js'
import type { OperationContext, ToolField } from './openapi-fields.js'
import { losesSchema, type Media, mediaOf } from './openapi-media.js'
import { type DocumentPart, objectAt, type PartKeys, type PartProblem, partsUnder } from './openapi-parts.js'

export const headerName: RegExp = /^[!#$%&'*+.^_`|~\w-]+$/

interface Parameter {
  readonly name: string
  readonly location: 'path' | 'query' | 'header' | 'cookie'
  readonly object: SchemaObject
  readonly keys: PartKeys
  readonly isRequired: boolean
  readonly media: Media | undefined
}

/** OpenAPI does not allow header parameters with these names. */
const ignoredHeaders: readonly string[] = ['accept', 'content-type', 'authorization']
/** The HTTP client or the application sets these headers. */
const reservedHeaders: readonly string[] = [
  ...['connection', 'content-length', 'cookie', 'host', 'transfer-encoding', 'upgrade', 'te', 'trailer', 'expect'],
]

const styles: Readonly<Record<Parameter['location'], readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}

interface ReadParameters {
  readonly fields: readonly ToolField[]
  readonly table: readonly SchemaObject[]
}

export function readParameters(context: OperationContext): ReadParameters | PartProblem {
  const { api } = context
  const declared = declaredParameters(context)
  if ('why' in declared) return declared
  const inPath = [...api.path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name)
  const missing = inPath.find((each) => !declared.some(({ location, name }) => location === 'path' && name === each))
  if (missing !== undefined) return { why: `the parameter \`${missing}\` of its path is not declared` }
  const required = declared.filter(({ isRequired }) => isRequired)
  const nameless = required.find(({ location, name }) => location === 'header' && !headerName.test(name))
  if (nameless !== undefined) return { why: `the name of its parameter \`${nameless.name}\` is not valid for a header` }
  const lost = required.find((each) => unwritable(each) !== undefined)
  if (lost !== undefined) return { why: `${unwritable(lost)}, but its parameter \`${lost.name}\` is required` }
  const used = declared.filter((parameter) => {
    const { location, name, object, keys, isRequired } = parameter
    const lowerCase = name.toLowerCase()
    const isHeader = location === 'header'
    let why = unwritable(parameter)
    if (why === undefined && isHeader && ignoredHeaders.includes(lowerCase)) return false
    if (why === undefined && isHeader && reservedHeaders.includes(lowerCase)) {
      const message = `The parameter \`${name}\` of \`${api.shown}\` is not imported: the HTTP client or the application sets this header.`
      const next =
        'No change is needed. If `fetch` allows the header, the application can set it in `headers` of the registration.'
      context.report(note('TG6209', message, next), keys)
      return false
    }
    if (isHeader && !headerName.test(name)) why ??= 'its name is not valid for a header'
    if (location === 'path' && !inPath.includes(name)) why ??= `the path has no \`{${name}}\``
    // If such a parameter is required, the whole operation is not imported.
    if (location !== 'path' && !isRequired && isImpossible(own(object, 'schema'))) why ??= 'its schema accepts no value'
    if (why !== undefined) context.report(parameterLeftOut(api.shown, name, why), keys)
    return why === undefined
  })
  const read = used.map((parameter) => readParameter(parameter, context))
  return { fields: read.map(({ field }) => field), table: read.map(({ row }) => row) }
}

function isImpossible(schema: Json | undefined): boolean {
  const listed = isObject(schema) ? own(schema, 'enum') : undefined
  return schema === false || (Array.isArray(listed) && listed.length === 0)
}

/** A parameter of the operation replaces a parameter of the path with the same name and location (such as `query`). */
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
      else report(parameterLeftOut(api.shown, name, `another parameter in ${location} has the same name`), part.keys)
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
    return { why: `its parameter \`${name}\` has an unknown location \`in\`` }
  }
  // All other unknown styles are equal to the default style for values that are not arrays or objects.
  if (typeof style === 'string' && style.endsWith('Delimited') && !styles[location].includes(style)) {
    return { why: `its parameter \`${name}\` has the style \`${style}\`, which is not supported in ${location}` }
  }
  const media =
    own(object, 'schema') === undefined
      ? mediaOf({ value: own(object, 'content') ?? {}, keys: [...keys, 'content'] })
      : undefined
  return { name, location, object, keys, isRequired: own(object, 'required') === true, media }
}

/** The returned reason is the end of a message: `... is not imported: <why>`. */
function unwritable({ object, isRequired, media }: Parameter): string | undefined {
  // A required parameter is reported later: its payload schema is not usable.
  if (own(object, 'schema') === false && !isRequired) return 'its schema accepts no value'
  if (media === undefined || media.kind === 'json' || media.kind === 'text') return undefined
  return `toolgen does not support parameters of the type \`${media.type}\``
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
    const message = `The parameter \`${name}\` of \`${api.shown}\` has the media type \`${media.type}\`. It is sent as a plain string, and its schema is not used.`
    report(warning('TG6212', message, 'Add a `description` of the string and import again.'), keys)
  }
  const [style, explode] = [own(object, 'style'), own(object, 'explode')]
  const isKnown = typeof style === 'string' && styles[location].includes(style)
  if (typeof style === 'string' && !isKnown) {
    const message = `The parameter \`${name}\` of \`${api.shown}\` is sent in the default style: OpenAPI does not allow the style \`${style}\` in ${location}.`
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
      in: location,
      ...(field !== name && { name }),
      ...(isKnown && used !== usual && { style: used }),
      ...(typeof explode === 'boolean' && explode !== (used === 'form') && { explode }),
      ...(location === 'query' && own(object, 'allowReserved') === true && { reserved: true }),
      ...(media?.kind === 'json' && { json: true }),
    },
  }
}

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
