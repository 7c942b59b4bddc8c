import { pointerOf } from '@toolgen/runtime/schema'
import { note } from '../diagnostics/diagnostic.js'
import { objectFrom, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { byCodePoint } from '../text.js'
import { readBody } from './openapi-body.js'
import { type PartDiagnostic, unusableError } from './openapi-diagnostics.js'
import { FieldNames, type OperationContext } from './openapi-fields.js'
import { losesSchema, type Media, mediaOf } from './openapi-media.js'
import type { ApiOperation } from './openapi-operations.js'
import { readParameters } from './openapi-parameters.js'
import { type DocumentPart, objectAt, type PartKeys, type PartProblem, partsUnder } from './openapi-parts.js'
import type { SchemaPool } from './openapi-schemas.js'
import type { SecuritySchemes } from './openapi-security.js'
import { namesServers, readServer } from './openapi-servers.js'

export interface DeclareOptions {
  readonly toolset: string
  readonly root: SchemaObject
  readonly base?: string | undefined
}

export interface Draft {
  readonly api: ApiOperation
  readonly row: SchemaObject
  readonly payload: Schema
  readonly result: Schema
  readonly errors: ReadonlyMap<string, string>
  readonly owners: Owners
}

export interface ErrorBody {
  readonly schema: Schema
  readonly keys: PartKeys
  readonly shown: string
}

type Owners = Readonly<Record<'payload' | 'result', string>>

export function draftOf(
  api: ApiOperation,
  owners: Owners,
  { root, base }: DeclareOptions,
  pool: SchemaPool,
  schemes: SecuritySchemes,
  bodies: Map<string, ErrorBody>,
  diagnostics: PartDiagnostic[],
): Draft | PartProblem {
  const { operation, method } = api
  const context: OperationContext = {
    root,
    api,
    names: new FieldNames(),
    schema: (schema, direction = 'sent') => pool.schema(schema, direction, owners.payload),
    report: (diagnostic, keys) => diagnostics.push({ diagnostic, keys }),
  }
  const parameters = readParameters(context)
  if ('why' in parameters) return parameters
  const body = readBody(context)
  if ('why' in body) return body
  const responses = readResponses({
    ...context,
    schema: (schema) => pool.schema(schema, 'returned', owners.result),
  })
  if (responses.problem !== undefined) pool.problems.set(owners.result, responses.problem)
  const errors = readErrors(context, responses.usesDefault, pool, bodies)
  const general = readServer(root, base === undefined ? [] : [base])
  const bases = [base, 'server' in general ? general.server : undefined].filter((each) => each !== undefined)
  const named = [operation, api.item].find(namesServers)
  const server = named && readServer(named, bases)
  // Without a usable server in the document, the application sets the URL for all operations, so this problem does not matter.
  if (server !== undefined && 'why' in server && 'server' in general) return server
  const security = schemes.alternatives(operation)
  const fields = [...parameters.fields, ...body.fields]
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return {
    api,
    owners,
    payload: {
      type: 'object',
      properties: objectFrom(fields.map(({ name, schema }) => [name, schema] as const)),
      ...(required.length > 0 && { required }),
    },
    result: responses.result,
    errors,
    row: {
      method,
      // A part after `#` distinguishes operations of one path, but does not belong to the URL.
      path: api.path.replace(/#.*$/s, ''),
      ...(server !== undefined && 'server' in server && { server: server.server }),
      ...(parameters.table.length > 0 && { parameters: parameters.table }),
      ...(body.row !== undefined && { body: body.row }),
      ...(responses.table !== undefined && { responses: responses.table }),
      ...(security.length > 0 && { security }),
    },
  }
}

interface ReadResponses {
  readonly result: Schema
  readonly table?: SchemaObject
  readonly problem?: PartProblem
  readonly usesDefault: boolean
}

function readResponses({ api, root, schema, report }: OperationContext): ReadResponses {
  const { operation, keys, shown, method } = api
  const all = partsUnder({ value: own(operation, 'responses') ?? {}, keys: [...keys, 'responses'] })
  const withStatus = (pattern: RegExp): readonly DocumentPart[] =>
    all.filter((part) => pattern.test(String(part.keys.at(-1))))
  const successes = withStatus(/^2(?:\d\d|XX)$/i)
  const hasRedirects = withStatus(/^3(?:\d\d|XX)$/i).length > 0
  const usesDefault = successes.length === 0 && !hasRedirects
  const used = usesDefault ? withStatus(/^default$/i) : successes
  if (used.length === 0) return { result: true, usesDefault }
  const schemas = new Map<string, Schema>()
  const table: Record<string, string> = {}
  for (const part of used) {
    const found = objectAt(root, part)
    if ('why' in found) return { result: true, problem: found, usesDefault }
    const content = method === 'HEAD' ? undefined : own(found.object, 'content')
    const media = mediaOf({ value: content ?? {}, keys: [...found.keys, 'content'] })
    const { kind, result } = responseOf(media, schema)
    if (media !== undefined && losesSchema(media, root)) {
      const message = `A response of \`${shown}\` is \`${media.type}\`, which is imported as a plain string. Its schema is not used.`
      const next =
        'If models can read the string, do nothing. Otherwise add a JSON response to the operation and import again.'
      report(note('TG6212', message, next), part.keys)
    }
    table[statusOf(part)] = kind
    schemas.set(JSON.stringify(result), result)
  }
  const results = [...schemas.values()]
  const [only = true] = results
  const result = results.length === 1 ? only : results.includes(true) ? true : { anyOf: results }
  return { result, table, usesDefault }
}

function statusOf({ keys }: DocumentPart): string {
  return String(keys.at(-1)).toUpperCase().replace('DEFAULT', 'default')
}

/** Adds the schemas to `bodies`, and returns the name of the schema for each status. */
function readErrors(
  { api, root, report }: OperationContext,
  usesDefault: boolean,
  pool: SchemaPool,
  bodies: Map<string, ErrorBody>,
): ReadonlyMap<string, string> {
  const all = partsUnder({ value: own(api.operation, 'responses') ?? {}, keys: [...api.keys, 'responses'] })
  const pattern = usesDefault ? /^[45](?:\d\d|XX)$/ : /^(?:[45](?:\d\d|XX)|default)$/
  const used = all.map((part) => [statusOf(part), part] as const).filter(([status]) => pattern.test(status))
  const owners = used.map(([status, part]): readonly [string, string] => {
    const found = objectAt(root, part)
    if ('why' in found) report(unusableError(`${api.shown}, ${status}`, found), part.keys)
    const content = 'why' in found ? {} : (own(found.object, 'content') ?? {})
    const media = mediaOf({ value: content, keys: [...('why' in found ? part.keys : found.keys), 'content'] })
    const isText = media?.kind === 'text' || media?.kind === 'form'
    const isJson = media?.kind === 'json' && media.isDescribed
    if (!isText && !isJson) return [status, 'error any']
    const owner = isText ? 'error text' : `error ${pointerOf(media.schema.keys)}`
    if (!bodies.has(owner)) {
      const schema = isText ? ({ type: 'string' } as const) : pool.schema(media.schema, 'returned', owner)
      bodies.set(owner, { schema, keys: media.schema.keys, shown: `${api.shown}, ${status}` })
    }
    return [status, owner]
  })
  return new Map(owners.sort(([a], [b]) => byCodePoint(a, b)))
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
