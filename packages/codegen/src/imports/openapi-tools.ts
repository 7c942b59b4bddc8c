import { defined, elementAt } from '../defined.js'
import { type Diagnostic, warning } from '../diagnostics/diagnostic.js'
import { importedToolNames } from '../ir/tool-names.js'
import { isSchema, objectFrom, objectOf, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { definitionsUsed } from '../schema/references.js'
import {
  impossibleVariant,
  openApiDocument,
  type PartDiagnostic,
  remoteReference,
  repairedSchema,
  unusableError,
  unusableOperation,
} from './openapi-diagnostics.js'
import { type DeclareOptions, type Draft, draftOf, type ErrorBody } from './openapi-draft.js'
import type { ApiOperation } from './openapi-operations.js'
import { SchemaPool } from './openapi-schemas.js'
import { SecuritySchemes } from './openapi-security.js'
import { settledSchemas } from './openapi-settled.js'
import type { ListedTool } from './tool-list-changes.js'
import { defaultLeftOut, renamed, textOf, undescribed, unusableSide } from './tool-source.js'
import type { DeclaredTool } from './toolset-module.js'

export function listedTools(snapshot: SchemaObject): readonly ListedTool[] {
  const definitions = objectFrom(
    Object.entries(objectOf(own(snapshot, 'definitions'))).map(([name, schema]) => [
      name,
      isSchema(schema) ? schema : true,
    ]),
  )
  return Object.entries(objectOf(own(snapshot, 'tools'))).map(([tool, raw]) => {
    const { id = tool, payload = true, result = true, operation } = objectOf(raw)
    const errors = Object.values(objectOf(own(objectOf(operation), 'errors')))
    const used = definitionsUsed({ allOf: [payload, result, ...errors] }, definitions)
    return {
      name: String(id),
      raw: { tool: raw, definitions: Object.fromEntries(used.map((name) => [name, own(definitions, name) ?? true])) },
    }
  })
}

export interface DeclaredOperations {
  readonly tools: readonly ApiTool[]
  readonly definitions: Readonly<Record<string, Schema>>
  readonly security: Readonly<Record<string, SchemaObject>>
  readonly diagnostics: readonly PartDiagnostic[]
}

interface ApiTool extends DeclaredTool {
  readonly id: string
  readonly operation: SchemaObject
}

export function declareOperations(operations: readonly ApiOperation[], options: DeclareOptions): DeclaredOperations {
  const { root, toolset } = options
  const pool = new SchemaPool(root)
  const schemes = new SecuritySchemes(root)
  const diagnostics: PartDiagnostic[] = []
  const bodies = new Map<string, ErrorBody>()
  const drafts = operations.flatMap((api, index): readonly Draft[] => {
    const owners = { payload: `operation ${index} payload`, result: `operation ${index} result` }
    const draft = draftOf(api, owners, options, pool, schemes, bodies, diagnostics)
    if (!('why' in draft)) return [draft]
    diagnostics.push({ diagnostic: unusableOperation(api.shown, draft), keys: api.keys })
    return []
  })
  const schemas = new Map([
    ...drafts.flatMap(({ owners, payload, result }) => [
      [owners.payload, payload] as const,
      [owners.result, result] as const,
    ]),
    ...[...bodies].map(([owner, { schema }]) => [owner, schema] as const),
  ])
  const settled = settledSchemas(schemas, pool.definitions(), pool.problems, (name) => name.endsWith(' payload'))
  diagnostics.push(...pool.diagnostics)
  const locals = importedToolNames(drafts.map(({ api }) => api.id))
  const wanted = drafts.map(({ api }) => `${toolset}_${api.id.replace(/[^a-zA-Z0-9_-]+/g, '_')}`)
  const toolNames = importedToolNames(wanted)
  const seen = new Set<string>()
  const unusableSchemes = new Map<string, string[]>()
  const errorSchemas = (errors: ReadonlyMap<string, string>): SchemaObject =>
    objectFrom([...errors].map(([status, owner]) => [status, settled.schemas.get(owner) ?? true] as const))
  for (const [owner, { shown, keys }] of bodies) {
    const problem = settled.problems.get(owner)
    if (problem !== undefined) diagnostics.push({ diagnostic: unusableError(shown, problem), keys })
  }
  const tools = drafts.flatMap(({ api, row, payload, errors, owners }, index): readonly ApiTool[] => {
    const { id, shown, operation, keys } = api
    const report = (diagnostic: Diagnostic): void => {
      diagnostics.push({ diagnostic, keys })
    }
    const [{ tool }, { toolName }] = [elementAt(locals, index), elementAt(toolNames, index)]
    const wantedName = elementAt(wanted, index)
    if (seen.has(id)) {
      const message = `\`${shown}\` has the same \`operationId\` \`${id}\` as another operation; it gets the tool name \`${toolName}\`.`
      report(warning('TG6205', message, `${openApiDocument.fix}: each operation needs a unique \`operationId\`.`))
    } else if (toolName !== wantedName) report(renamed(openApiDocument, id, wantedName, toolName))
    seen.add(id)
    const [problem, lost] = [settled.problems.get(owners.payload), settled.problems.get(owners.result)]
    if (problem !== undefined) {
      const isRemote = problem.remote !== undefined
      report(
        isRemote ? unusableOperation(api.shown, problem) : unusableSide('arguments', openApiDocument, id, problem.why),
      )
      return []
    }
    if (lost?.remote !== undefined) report(remoteReference(shown, lost.remote, 'its result can be any JSON'))
    else if (lost !== undefined) report(unusableSide('result', openApiDocument, id, lost.why))
    for (const owner of Object.values(owners)) {
      const misfit = settled.misfits.get(owner)
      if (misfit !== undefined) report(defaultLeftOut(openApiDocument, id, misfit))
    }
    for (const name of schemes.unusable(operation)) {
      unusableSchemes.set(name, [...(unusableSchemes.get(name) ?? []), shown])
    }
    const [title, text] = ['summary', 'description'].map((key) => textOf(operation, key)?.trim())
    if (title === undefined && text === undefined) report(undescribed(openApiDocument, id))
    const description = text ?? title ?? id
    return [
      defined({
        id,
        tool,
        toolName,
        title,
        description: own(operation, 'deprecated') === true ? `Deprecated. ${description}` : description,
        payload: settled.schemas.get(owners.payload) ?? payload,
        result: settled.schemas.get(owners.result) ?? true,
        facts: methodFlags[api.method] ?? {},
        operation: errors.size === 0 ? row : { ...row, errors: errorSchemas(errors) },
      }),
    ]
  })
  const byOwner = new Map(
    drafts.flatMap(({ api, owners }) => Object.values(owners).map((owner) => [owner, api] as const)),
  )
  const known = new Set<string>()
  const reportOwner = (owner: string, create: (shown: string) => Diagnostic): void => {
    const api = byOwner.get(owner)
    const body = bodies.get(owner)
    const keys = api?.keys ?? body?.keys ?? pool.keysOf(owner)
    const diagnostic = create(api?.shown ?? body?.shown ?? String(keys.at(-1)))
    // The same message can occur twice, because a definition can exist for requests and for responses.
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

const methodFlags: Readonly<Record<string, SchemaObject>> = {
  GET: { readOnly: true },
  HEAD: { readOnly: true },
  OPTIONS: { readOnly: true },
  PUT: { idempotent: true },
  DELETE: { destructive: true, idempotent: true },
}
