import { pointerOf } from '@toolgen/runtime/schema'
import { defined } from '../defined.js'
import { elementAt, importedToolNames } from '../ir/names.js'
import {
  atPointer,
  objectFrom,
  own,
  type Schema,
  type SchemaDiagnostic,
  type SchemaObject,
} from '../schema/json-schema.js'
import { readBody } from './openapi-body.js'
import { type ApiOperation, openApiDocument, operationLeftOut, type PartDiagnostic } from './openapi-operations.js'
import { type PartProblem, textOf } from './openapi-references.js'
import { FieldNames, type OperationContext, readParameters, readResponses, type ToolField } from './openapi-request.js'
import { type ImpossibleVariant, SchemaPool, settledSchemas } from './openapi-schemas.js'
import { namesServers, readServer, SecuritySchemes } from './openapi-servers.js'
import { defaultLeftOut, leftOut, renamed, undescribed, unknownResult, warning } from './tool-diagnostics.js'
import type { DeclaredTool } from './toolset-module.js'

/** Operations as the tools of a toolset. */
export interface DeclaredOperations {
  readonly tools: readonly ApiTool[]
  /** Definitions to which their schemas refer, sorted by name. */
  readonly definitions: Readonly<Record<string, Schema>>
  readonly security: Readonly<Record<string, SchemaObject>>
  readonly diagnostics: readonly PartDiagnostic[]
}

interface ApiTool extends DeclaredTool {
  readonly id: string
  /** Row of the API's table. */
  readonly operation: SchemaObject
}

interface DeclareOptions {
  readonly toolset: string
  readonly root: SchemaObject
  readonly base?: string
}

/** An operation before its schemas are settled. */
interface Draft {
  readonly api: ApiOperation
  readonly row: SchemaObject
  readonly payload: Schema
  readonly result: Schema
}

const sides = ['payload', 'result'] as const
type Side = (typeof sides)[number]

/** Declares operations as tools with legal, unique names. What cannot be a tool is left out and reported. */
export function declareOperations(operations: readonly ApiOperation[], options: DeclareOptions): DeclaredOperations {
  const { root, toolset } = options
  const pool = new SchemaPool(root)
  const schemes = new SecuritySchemes(root)
  const diagnostics: PartDiagnostic[] = []
  const ownerOf = (api: ApiOperation, side: Side): string => `operation ${operations.indexOf(api)} ${side}`
  const drafts = operations.flatMap((api): readonly Draft[] => {
    const draft = draftOf(api, options, pool, schemes, (side) => ownerOf(api, side), diagnostics)
    if (!('why' in draft)) return [draft]
    diagnostics.push({ diagnostic: unusableOperation(api, draft), keys: api.keys })
    return []
  })
  const schemas = new Map(
    drafts.flatMap((draft) => sides.map((side) => [ownerOf(draft.api, side), draft[side]] as const)),
  )
  const settled = settledSchemas(schemas, pool.definitions(), pool.problems, (name) => name.endsWith('payload'))
  diagnostics.push(...pool.diagnostics)
  const locals = importedToolNames(drafts.map(({ api }) => api.id))
  const wanted = drafts.map(({ api }) => `${toolset}_${api.id.replace(/[^a-zA-Z0-9_-]+/g, '_')}`)
  const toolNames = importedToolNames(wanted)
  const seen = new Set<string>()
  const unusableSchemes = new Map<string, string[]>()
  const tools = drafts.flatMap(({ api, row, payload }, index): readonly ApiTool[] => {
    const { id, shown, operation, keys } = api
    const report = (diagnostic: PartDiagnostic['diagnostic']): void => {
      diagnostics.push({ diagnostic, keys })
    }
    const { toolName } = elementAt(toolNames, index)
    const wantedName = elementAt(wanted, index)
    if (seen.has(id)) {
      const message = `\`${shown}\` has the \`operationId\` \`${id}\` of another operation; models see it as \`${toolName}\`.`
      report(warning('TG6205', message, `${openApiDocument.fix}: each operation has an \`operationId\` of its own.`))
    } else if (toolName !== wantedName) report(renamed(openApiDocument, id, wantedName, toolName))
    seen.add(id)
    const [sent, returned] = [ownerOf(api, 'payload'), ownerOf(api, 'result')]
    const [problem, lost] = [settled.problems.get(sent), settled.problems.get(returned)]
    if (problem !== undefined) {
      report(problem.remote === undefined ? leftOut(openApiDocument, id, problem.why) : unusableOperation(api, problem))
      return []
    }
    if (lost !== undefined) {
      report(
        lost.remote === undefined
          ? unknownResult(openApiDocument, id, lost.why)
          : remoteReference(shown, lost.remote, 'its result may be any JSON'),
      )
    }
    for (const owner of [sent, returned]) {
      const misfit = settled.misfits.get(owner)
      if (misfit !== undefined) report(defaultLeftOut(openApiDocument, id, misfit))
    }
    for (const name of schemes.unusable(operation)) {
      unusableSchemes.set(name, [...(unusableSchemes.get(name) ?? []), shown])
    }
    const [summary, text] = [textOf(operation, 'summary'), textOf(operation, 'description')]
    if (summary === undefined && text === undefined) report(undescribed(openApiDocument, id))
    const description = text ?? summary ?? id
    return [
      defined({
        id,
        tool: elementAt(locals, index).tool,
        toolName,
        title: summary,
        description: own(operation, 'deprecated') === true ? `Deprecated. ${description}` : description,
        payload: settled.schemas.get(sent) ?? payload,
        result: settled.schemas.get(returned) ?? true,
        facts: flagsOf(api),
        operation: row,
      }),
    ]
  })
  const owners = new Map(drafts.flatMap(({ api }) => sides.map((side) => [ownerOf(api, side), api] as const)))
  const known = new Set<string>()
  const reportOwner = (owner: string, create: (shown: string) => PartDiagnostic['diagnostic']): void => {
    const api = owners.get(owner)
    const keys = api === undefined ? pool.keysOf(owner) : api.keys
    const diagnostic = create(api === undefined ? String(keys.at(-1)) : api.shown)
    // A definition can exist for both directions.
    if (!known.has(diagnostic.message)) diagnostics.push({ diagnostic, keys })
    known.add(diagnostic.message)
  }
  for (const [owner, repairs] of settled.repairs) {
    for (const repair of repairs) reportOwner(owner, (shown) => repairedSchema(shown, repair))
  }
  for (const [owner, variants] of settled.impossible) {
    for (const variant of variants) reportOwner(owner, (shown) => impossibleVariant(shown, variant))
  }
  for (const [name, shown] of unusableSchemes) diagnostics.push(schemes.unusableDiagnostic(name, shown))
  diagnostics.push(...schemes.invalidNames(operations.map(({ operation }) => operation)))
  const used = new Set(tools.flatMap(({ operation }) => [own(operation, 'security') ?? []].flat(2).map(String)))
  return { tools, definitions: settled.definitions, security: objectFrom(schemes.named(used)), diagnostics }
}

function draftOf(
  api: ApiOperation,
  { root, base }: DeclareOptions,
  pool: SchemaPool,
  schemes: SecuritySchemes,
  ownerOf: (side: Side) => string,
  diagnostics: PartDiagnostic[],
): Draft | PartProblem {
  const context: OperationContext = {
    root,
    api,
    names: new FieldNames(),
    schema: (schema, direction = 'sent') => pool.schema(schema, direction, ownerOf('payload')),
    report: (diagnostic, keys) => diagnostics.push({ diagnostic, keys }),
  }
  const parameters = readParameters(context)
  if ('why' in parameters) return parameters
  const body = readBody(context)
  if ('why' in body) return body
  const responses = readResponses({
    ...context,
    schema: (schema) => pool.schema(schema, 'returned', ownerOf('result')),
  })
  if (responses.problem !== undefined) pool.problems.set(ownerOf('result'), responses.problem)
  const named = [api.operation, api.item].find(namesServers)
  const general = readServer(root, base === undefined ? [] : [base])
  const ofAll = 'server' in general ? general.server : undefined
  const server =
    named &&
    readServer(
      named,
      [base, ofAll].filter((each) => each !== undefined),
    )
  // Without a server of the document, applications give the address for all operations.
  if (server !== undefined && 'why' in server && ofAll !== undefined) return server
  const security = schemes.alternatives(api.operation)
  return {
    api,
    payload: payloadOf([...parameters.fields, ...body.fields]),
    result: responses.result,
    row: {
      method: api.method,
      // A part after `#` distinguishes operations of one path, and is not part of an address.
      path: api.path.replace(/#.*$/s, ''),
      ...(server !== undefined && 'server' in server && { server: server.server }),
      ...(parameters.table.length > 0 && { parameters: parameters.table }),
      ...(body.row !== undefined && { body: body.row }),
      ...(responses.table !== undefined && { answers: responses.table }),
      ...(security.length > 0 && { security }),
    },
  }
}

function payloadOf(fields: readonly ToolField[]): Schema {
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return {
    type: 'object',
    properties: objectFrom(fields.map(({ name, schema }) => [name, schema] as const)),
    ...(required.length > 0 && { required }),
  }
}

function unusableOperation({ shown }: ApiOperation, { why, remote }: PartProblem): PartDiagnostic['diagnostic'] {
  return remote === undefined ? operationLeftOut(shown, why) : remoteReference(shown, remote, 'it is left out')
}

/** Reports a reference to another document, which is not fetched. */
function remoteReference(operation: string, ref: string, consequence: string): PartDiagnostic['diagnostic'] {
  const message = `\`${operation}\` refers to \`${ref}\`, which is not in the document and is not fetched: ${consequence}.`
  return warning('TG6203', message, 'Bundle the document into one, and import that.')
}

/**
 * Reports a schema of a loose dialect that was repaired.
 *
 * @param owner schema or operation with the repaired part
 * @param repair its trail begins with the two keys of the owner
 */
function repairedSchema(owner: string, { code, message, next, trail }: SchemaDiagnostic): PartDiagnostic['diagnostic'] {
  const [outer, inner] = [trail.slice(0, -1), trail.slice(2, -1)].map((keys) => atPointer(pointerOf(keys)))
  const text = `\`${owner}\`: ${message.replace(outer ?? '', inner ?? '')}`
  return warning(code, text, next ?? `${openApiDocument.fix}.`)
}

function impossibleVariant(owner: string, { variant, fields }: ImpossibleVariant): PartDiagnostic['diagnostic'] {
  const why = fields.length === 0 ? '' : `: its required field \`${fields.join('.')}\` has no allowed value`
  const message = `No value fits the variant \`${variant}\` of a union in \`${owner}\`${why}.`
  const next = `${openApiDocument.fix}: calls cannot send this variant, and results with it are refused.`
  return warning('TG6215', message, next)
}

/** Returns what a method promises, in the words of a design. */
function flagsOf({ method }: ApiOperation): SchemaObject {
  switch (method) {
    case 'GET':
    case 'HEAD':
    case 'OPTIONS':
      return { readOnly: true }
    case 'PUT':
      return { idempotent: true }
    case 'DELETE':
      return { destructive: true, idempotent: true }
    default:
      return {}
  }
}
