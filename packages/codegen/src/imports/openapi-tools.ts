import { importedToolNames } from '../ir/identifiers.js'
import { knownElement } from '../ir/reserved-names.js'
import { objectFrom, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { readBody } from './openapi-body.js'
import {
  impossibleVariant,
  openApiDocument,
  operationLeftOut,
  remoteReference,
  repairedSchema,
  repeatedOperation,
  unknownScheme,
  unsendableScheme,
} from './openapi-diagnostics.js'
import type { ApiOperationPart, PartFinding } from './openapi-operations.js'
import type { PartFault } from './openapi-references.js'
import { FieldNames, type OperationScene, readAnswers, readParameters, type ToolField } from './openapi-request.js'
import { SchemaPool, settledSchemas } from './openapi-schemas.js'
import {
  alternativesOf,
  documentServer,
  namesServers,
  readServer,
  schemeKind,
  securitySchemes,
  unknownSchemes,
  unsendableSchemes,
} from './openapi-servers.js'
import { defaultLeftOut, leftOut, renamed, undescribed, unknownResult } from './tool-diagnostics.js'
import type { DeclaredTool } from './toolset-module.js'

/** Operations as the tools of a toolset. */
export interface DeclaredOperations {
  readonly tools: readonly (DeclaredTool & {
    /** Its row of the toolset's table. */
    readonly operation: SchemaObject
    readonly id: string
  })[]
  /** What their schemas refer to, sorted by name. */
  readonly definitions: Readonly<Record<string, Schema>>
  /** The ways in which credentials of these operations are sent. */
  readonly security: Readonly<Record<string, SchemaObject>>
  readonly findings: readonly PartFinding[]
}

/** What operations are read with. */
export interface DeclareOptions {
  readonly toolset: string
  readonly root: SchemaObject
  /** The address of the document. */
  readonly base?: string
}

/** An operation before its schemas are read. */
interface Draft {
  readonly part: ApiOperationPart
  readonly row: SchemaObject
  readonly payload: Schema
  readonly result: Schema
}

/** Declares operations as tools, under names that are legal and unique. What cannot be a tool is left out, and told. */
export function declareOperations(
  operations: readonly ApiOperationPart[],
  options: DeclareOptions,
): DeclaredOperations {
  const { root, toolset } = options
  const pool = new SchemaPool(root)
  const schemes = securitySchemes(root)
  const findings: PartFinding[] = []
  const drafts = operations.flatMap((part, index): readonly Draft[] => {
    const draft = draftOf(part, index, { ...options, pool, schemes, findings })
    if (!('why' in draft)) return [draft]
    findings.push({ finding: leftOutFor(part, draft), keys: part.keys })
    return []
  })
  const nameOf = ({ part }: Draft, side: Side): string => ownerOf(operations.indexOf(part), side)
  const schemas = new Map(drafts.flatMap((draft) => sides.map((side) => [nameOf(draft, side), draft[side]] as const)))
  const definitions = pool.definitions()
  const settled = settledSchemas(schemas, definitions, pool.faults, (name) => name.endsWith('payload'))
  findings.push(...pool.findings)
  const shown = drafts.map(({ part }) => part.id)
  const locals = importedToolNames(shown)
  const wanted = shown.map((id) => `${toolset}_${id.replace(/[^a-zA-Z0-9_-]+/g, '_')}`)
  const wired = importedToolNames(wanted)
  const seen = new Set<string>()
  const unproven = new Map<string, string[]>()
  const tools = drafts.flatMap((draft, index): DeclaredOperations['tools'] => {
    const { part, row } = draft
    const find = (finding: PartFinding['finding']): void => {
      findings.push({ finding, keys: part.keys })
    }
    const { toolName } = knownElement(wired, index)
    const names = { name: part.id, wanted: knownElement(wanted, index), toolName }
    if (seen.has(part.id)) find(repeatedOperation(part.shown, part.id, toolName))
    else if (toolName !== names.wanted) find(renamed(openApiDocument, names))
    seen.add(part.id)
    const [fault, lost] = sides.map((side) => settled.faults.get(nameOf(draft, side)))
    if (fault !== undefined) {
      find(fault.remote === undefined ? leftOut(openApiDocument, part.id, fault.why) : leftOutFor(part, fault))
      return []
    }
    if (lost !== undefined) find(lostResult(part, lost))
    for (const side of sides) {
      const misfit = settled.misfits.get(nameOf(draft, side))
      if (misfit !== undefined) find(defaultLeftOut(openApiDocument, part.id, misfit))
    }
    for (const name of unknownSchemes(part.operation, root, schemes)) {
      unproven.set(name, [...(unproven.get(name) ?? []), part.shown])
    }
    const [summary, description] = [textOf(part.operation, 'summary'), textOf(part.operation, 'description')]
    if (summary === undefined && description === undefined) find(undescribed(openApiDocument, part.id))
    return [
      {
        id: part.id,
        tool: knownElement(locals, index).tool,
        toolName,
        ...(summary !== undefined && { title: summary }),
        description: described(part, description ?? summary ?? part.id),
        payload: settled.schemas.get(nameOf(draft, 'payload')) ?? draft.payload,
        result: settled.schemas.get(nameOf(draft, 'result')) ?? true,
        facts: flagsOf(part),
        operation: row,
      },
    ]
  })
  const owners = new Map(drafts.flatMap((draft) => sides.map((side) => [nameOf(draft, side), draft.part] as const)))
  const known = new Set<string>()
  const findIn = (owner: string, findingOf: (shown: string) => PartFinding['finding']): void => {
    const part = owners.get(owner)
    const keys = part === undefined ? pool.keysOf(owner) : part.keys
    const finding = findingOf(part === undefined ? String(keys.at(-1)) : part.shown)
    // A definition can be there for both directions.
    if (!known.has(finding.message)) findings.push({ finding, keys })
    known.add(finding.message)
  }
  for (const [owner, repairs] of settled.repairs) {
    for (const repair of repairs) findIn(owner, (shown) => repairedSchema(shown, repair))
  }
  for (const [owner, variants] of settled.impossible) {
    for (const variant of variants) findIn(owner, (shown) => impossibleVariant(shown, variant))
  }
  for (const [name, shownOnes] of unproven) {
    const keys = ['components', 'securitySchemes', name]
    findings.push({ finding: unknownScheme(name, schemeKind(root, name), shownOnes), keys })
  }
  const used = new Set(tools.flatMap(({ operation }) => [own(operation, 'security') ?? []].flat(2).map(String)))
  const wantedOperations = operations.map(({ operation }) => operation)
  for (const scheme of unsendableSchemes(wantedOperations, root, schemes)) {
    findings.push({ finding: unsendableScheme(scheme), keys: scheme.keys })
  }
  const security = objectFrom(Object.entries(schemes).filter(([name]) => used.has(name)))
  return { tools, definitions: settled.definitions, security, findings }
}

const sides = ['payload', 'result'] as const
type Side = (typeof sides)[number]

function ownerOf(index: number, side: Side): string {
  return `operation ${index} ${side}`
}

interface DraftContext extends DeclareOptions {
  readonly pool: SchemaPool
  readonly schemes: Readonly<Record<string, SchemaObject>>
  readonly findings: PartFinding[]
}

function draftOf(part: ApiOperationPart, index: number, context: DraftContext): Draft | PartFault {
  const { root, base, pool, schemes, findings } = context
  const scene: OperationScene = {
    root,
    names: new FieldNames(),
    schema: (schema, direction = 'sent') => pool.schema(schema, direction, ownerOf(index, 'payload')),
    find: (finding, keys) => findings.push({ finding, keys }),
  }
  const parameters = readParameters(part, scene)
  if ('why' in parameters) return parameters
  const body = readBody(part, scene)
  if ('why' in body) return body
  const answers = readAnswers(part, {
    ...scene,
    schema: (schema) => pool.schema(schema, 'returned', ownerOf(index, 'result')),
  })
  if (answers.fault !== undefined) pool.faults.set(ownerOf(index, 'result'), answers.fault)
  const around = [part.operation, part.item].find(namesServers)
  const read = documentServer(root, base)
  const ofAll = 'server' in read ? read.server : undefined
  const named =
    around === undefined
      ? undefined
      : readServer(
          around,
          [base, ofAll].filter((each) => each !== undefined),
        )
  // Where the document has no server either, applications say for all operations where they are.
  if (named !== undefined && 'why' in named && ofAll !== undefined) return named
  const server = named !== undefined && 'server' in named ? named.server : undefined
  const security = alternativesOf(part.operation, root, schemes)
  return {
    part,
    payload: payloadOf([...parameters.fields, ...body.fields]),
    result: answers.result,
    row: {
      method: part.method,
      // What follows `#` tells operations of one path apart, and is no part of an address.
      path: part.path.replace(/#.*$/s, ''),
      ...(server !== undefined && { server }),
      ...(parameters.table.length > 0 && { parameters: parameters.table }),
      ...(body.row !== undefined && { body: body.row }),
      ...(answers.table !== undefined && { answers: answers.table }),
      ...(security.length > 0 && { security }),
    },
  }
}

function payloadOf(fields: readonly ToolField[]): Schema {
  const required = fields.flatMap(({ name, isRequired }) => (isRequired ? [name] : []))
  return {
    type: 'object',
    properties: objectFrom(fields.map(({ name, schema }) => [name, schema] as const)),
    ...(required.length > 0 && { required }),
  }
}

function leftOutFor({ shown }: ApiOperationPart, { why, remote }: PartFault): PartFinding['finding'] {
  return remote === undefined ? operationLeftOut(shown, why) : remoteReference(shown, remote, 'it is left out')
}

function lostResult({ id, shown }: ApiOperationPart, { why, remote }: PartFault): PartFinding['finding'] {
  return remote === undefined
    ? unknownResult(openApiDocument, id, why)
    : remoteReference(shown, remote, 'its result may be any JSON')
}

/** What the method promises, in the words of a design. */
function flagsOf({ method }: ApiOperationPart): SchemaObject {
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

function described({ operation }: ApiOperationPart, text: string): string {
  return own(operation, 'deprecated') === true ? `Deprecated. ${text}` : text
}

/** A text that says something. */
function textOf(object: SchemaObject, key: string): string | undefined {
  const value = own(object, key)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}
