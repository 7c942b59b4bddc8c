import type { Tool, Toolset } from '@toolgen/dsl'
import { defined } from '../defined.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { Locations } from '../load/source-positions.js'
import { shareDefinitions } from '../schema/definitions.js'
import { impossiblePart } from '../schema/impossible-part.js'
import {
  type Defs,
  isObject,
  isSchema,
  mapValues,
  objectFrom,
  own,
  type Schema,
  type SchemaDiagnostic,
} from '../schema/json-schema.js'
import { isPlainSchema } from '../schema/libraries/plain.js'
import { definitionName } from '../schema/references.js'
import { markedPaths, type SensitiveIr, sensitiveFailure, withoutMarks } from '../schema/sensitive.js'
import { type ReadSchema, toJsonSchema } from '../schema/to-json-schema.js'
import { keyText } from '../text.js'

export const schemaParts = ['payload', 'result', 'updates'] as const

type Part = (typeof schemaParts)[number]

interface DesignSchema {
  readonly name: string
  readonly tool: Tool
  readonly part: Part | `errors.${string}` | `failures.${string}`
  readonly schema: unknown
}

export interface ToolSchemas {
  /** Values with `x-sensitive` in a schema. The schemas in the other properties no longer contain this keyword. */
  readonly marked: SensitiveIr
  readonly payload: Schema
  readonly result: Schema
  readonly updates?: Schema
  readonly errors?: Readonly<Record<string, Schema>>
  readonly data?: Readonly<Record<string, Schema>>
  readonly needsCheck: boolean
}

export function readSchemas(
  toolset: Toolset,
  locations: Locations,
): {
  readonly defs: Defs
  /** Contains no tools with an unreadable payload or result. */
  readonly tools: ReadonlyMap<string, ToolSchemas>
  readonly diagnostics: readonly Diagnostic[]
} {
  const diagnostics: Diagnostic[] = []
  const report = (at: DesignSchema | undefined, { trail, ...diagnostic }: SchemaDiagnostic): void => {
    const path = at === undefined ? [] : schemaPath(at, toolset)
    const message = at === undefined ? diagnostic.message : `\`${at.name}\`, ${at.part}: ${diagnostic.message}`
    diagnostics.push({ ...diagnostic, message, location: locations.locationOf(toolset, ...path, ...trail) })
  }
  const schemas = Object.entries(toolset.tools).flatMap(([name, tool]) => schemasOf(name, tool, toolset))
  const isShared = ({ schema }: DesignSchema): boolean => toolset.definitions !== undefined && usesDefinitions(schema)
  const overDefinitions = schemas.filter(isShared)
  const documents: { readonly of: DesignSchema; readonly document: ReadSchema }[] = []
  for (const of of schemas.filter((each) => !isShared(each))) {
    const hint = `${definitionName(of.name) || 'Tool'}Root`
    const read = toJsonSchema(of.schema, { io: of.part === 'payload' ? 'input' : 'output', hint })
    for (const diagnostic of read.diagnostics) report(of, diagnostic)
    if (read.value === undefined) continue
    documents.push({ of, document: read.value })
    if (read.value.refinements.length > 0) report(of, refinementNote(of, read.value.refinements))
  }
  // A document with all these schemas as properties, named by index.
  const properties = objectFrom(overDefinitions.map(({ schema }, index) => [String(index), schema]))
  const together =
    overDefinitions.length === 0
      ? undefined
      : toJsonSchema(
          { type: 'object', properties, $defs: toolset.definitions ?? {} },
          { io: 'output', hint: 'Definitions' },
        )
  for (const { trail, ...diagnostic } of together?.diagnostics ?? []) {
    const [keyword, key] = trail
    const of = keyword === 'properties' && key !== undefined ? overDefinitions[Number(key)] : undefined
    const path = of === undefined ? ['definitions', ...trail.slice(1)] : trail.slice(2)
    report(of, { ...diagnostic, trail: path })
  }
  const all = [...documents.map(({ document }) => document), ...(together?.value === undefined ? [] : [together.value])]
  const { roots, defs } = shareDefinitions(all)
  const common = roots[documents.length]
  const read = [
    ...documents.map(({ of, document }, index) => ({ of, document, root: roots[index] ?? true })),
    ...(common === undefined
      ? []
      : overDefinitions.map((of, index) => ({ of, document: undefined, root: propertyOf(common, index) }))),
  ]
  const byTool = new Map<string, Partial<ToolSchemas>>()
  for (const { of, document, root } of read) {
    const impossible = impossiblePart(root, defs)
    if (impossible !== undefined) {
      report(of, impossibleSchema(of.part, impossible))
      continue
    }
    const known = byTool.get(of.name)
    const status = errorStatus(of.part)
    const failure = failureName(of.part)
    const { paths, diagnostics: problems } = markedPaths(root, defs)
    for (const problem of problems) report(of, problem)
    const schema = withoutMarks(root)
    if (status !== undefined) byTool.set(of.name, { ...known, errors: { ...known?.errors, [status]: schema } })
    if (failure !== undefined) {
      const [marked] = Object.keys(paths)
      if (marked !== undefined) report(of, sensitiveFailure(marked))
      byTool.set(of.name, { ...known, data: { ...known?.data, [failure]: schema } })
    }
    if (status !== undefined || failure !== undefined) continue
    const needsCheck = (document?.refinements.length ?? 0) > 0
    const part = of.part === 'payload' ? { payload: schema, needsCheck } : { [of.part]: schema }
    const marked = Object.keys(paths).length === 0 ? known?.marked : { ...known?.marked, [of.part]: paths }
    byTool.set(of.name, { ...known, ...part, ...(marked !== undefined && { marked }) })
  }
  const tools = new Map<string, ToolSchemas>()
  for (const [name, { payload, result, updates, errors, data, needsCheck = false, marked = {} }] of byTool) {
    if (payload === undefined || result === undefined) continue
    tools.set(name, defined({ payload, result, updates, errors, data, needsCheck, marked }))
  }
  return {
    defs: mapValues(defs, (schema) => (isSchema(schema) ? withoutMarks(schema) : schema)) as Defs,
    tools,
    diagnostics,
  }
}

function schemasOf(name: string, tool: Tool, { openapi }: Toolset): readonly DesignSchema[] {
  const { payload, result, streaming, failures = {} } = tool
  const parts = { payload, result, ...(streaming !== undefined && { updates: streaming.updates }) }
  const errors = own(openapi?.operations ?? {}, name)?.errors ?? {}
  return [
    ...schemaParts.flatMap((part) => (Object.hasOwn(parts, part) ? [{ name, tool, part, schema: parts[part] }] : [])),
    ...Object.entries(errors).map(([status, schema]) => ({ name, tool, part: `errors.${status}`, schema }) as const),
    ...Object.entries(failures).flatMap(([failure, { schema }]) =>
      schema === undefined ? [] : [{ name, tool, part: `failures.${failure}`, schema } as const],
    ),
  ]
}

function errorStatus(part: DesignSchema['part']): string | undefined {
  return part.startsWith('errors.') ? part.slice('errors.'.length) : undefined
}

function failureName(part: DesignSchema['part']): string | undefined {
  return part.startsWith('failures.') ? part.slice('failures.'.length) : undefined
}

function schemaPath({ name, part }: DesignSchema, { imported }: Toolset): readonly string[] {
  const status = errorStatus(part)
  if (status === undefined) return ['tools', name, ...partPath(part)]
  const operation = imported === undefined ? ['openapi', 'operations', name] : ['tools', name, 'operation']
  return [...operation, 'errors', status]
}

export function partPath(part: DesignSchema['part']): readonly string[] {
  const failure = failureName(part)
  if (failure !== undefined) return ['failures', failure, 'schema']
  return part === 'updates' ? ['streaming', part] : [part]
}

function usesDefinitions(schema: unknown): boolean {
  if (!isPlainSchema(schema) || typeof schema === 'boolean') return false
  return !['$defs', 'definitions', '$id', '$schema', 'components'].some((keyword) => Object.hasOwn(schema, keyword))
}

function propertyOf(root: Schema, index: number): Schema {
  const properties = isObject(root) ? own(root, 'properties') : undefined
  const schema = isObject(properties) ? own(properties, String(index)) : undefined
  return isObject(schema) || typeof schema === 'boolean' ? schema : true
}

function impossibleSchema(part: DesignSchema['part'], fields: readonly string[]): SchemaDiagnostic {
  const cause = fields.length === 0 ? '' : `: the required field \`${fields.join('.')}\` accepts no value`
  const next: Readonly<Record<string, string>> = {
    payload: 'Change the schema. For a tool without arguments, use an object without fields.',
    result: 'Change the schema. For a tool without a result, use null.',
    updates: 'Change the schema. For a tool without updates, remove `streaming`.',
  }
  return {
    code: 'TG3017',
    severity: 'error',
    message: `The schema accepts no value${cause}.`,
    next: next[part] ?? 'Change the schema.',
    trail: [],
  }
}

function refinementNote(
  { part, tool, name }: DesignSchema,
  refinements: readonly (readonly string[])[],
): SchemaDiagnostic {
  const named = refinements.map((names) =>
    names.length === 0 ? 'a refinement of the whole object' : `\`${names.join('.')}\``,
  )
  const fields = [...new Set(named)].join(', ')
  const [trail = []] = refinements
  const message = `The schema has checks that JSON Schema cannot express (${fields})`
  if (part !== 'payload') {
    const next = 'Check the result in the service or in a result mapper.'
    const ending = '; they do not run for results.'
    return { code: 'TG3007', severity: 'warning', message: message + ending, next, trail }
  }
  const option = `toolsets: { TOOLSET: { checks: { ${keyText(name)}: payloadSchema } } }`
  const next = `Export the payload schema and pass it at the registration: \`${option}\`. An executor that has the schema itself, such as \`aiSdkExecutor(tools)\`, needs no \`checks\`.`
  const example =
    ' Add an example that passes the checks. Otherwise, errors for models can contain a generated example that fails them.'
  const hasExamples = tool.examples !== undefined && tool.examples.length > 0
  return {
    code: 'TG3006',
    severity: 'note',
    message: `${message}.`,
    next: hasExamples ? next : next + example,
    trail,
  }
}
