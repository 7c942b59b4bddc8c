import type { Tool, Toolset } from '@toolgen/dsl'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { Locations } from '../load/source-positions.js'
import { shareDefinitions } from '../schema/definitions.js'
import { isObject, objectFrom, own, type Schema, type SchemaDiagnostic } from '../schema/json-schema.js'
import { isPlainSchema } from '../schema/libraries/plain.js'
import { definitionName } from '../schema/references.js'
import { impossiblePart } from '../schema/shape-parts.js'
import { type ReadSchema, toJsonSchema } from '../schema/to-json-schema.js'
import type { Schema as SchemaIr } from './types.js'

/** The schemas of one tool, over the definitions of its toolset. */
export interface ToolSchemas {
  readonly payload: SchemaIr
  readonly result: SchemaIr
  readonly updates?: SchemaIr
  readonly needsCheck: boolean
}

/** The schemas of a toolset; a tool with a schema that cannot be read is missing. */
export interface ToolsetSchemas {
  readonly defs: Readonly<Record<string, SchemaIr>>
  readonly tools: ReadonlyMap<string, ToolSchemas>
  readonly diagnostics: readonly Diagnostic[]
}

type Part = 'payload' | 'result' | 'updates'

/** Reads every schema of a toolset and puts their definitions together. */
export function readSchemas(toolset: Toolset, locations: Locations): ToolsetSchemas {
  const diagnostics: Diagnostic[] = []
  const documents: { readonly tool: string; readonly part: Part; readonly schema: ReadSchema }[] = []
  const together: { readonly tool: string; readonly part: Part; readonly schema: unknown }[] = []
  for (const [tool, value] of Object.entries(toolset.tools)) {
    for (const [part, schema] of partsOf(value)) {
      if (toolset.definitions !== undefined && usesDefinitions(schema)) {
        together.push({ tool, part, schema })
        continue
      }
      const report = (diagnostic: SchemaDiagnostic): void => {
        const { trail, ...finding } = diagnostic
        const location = locations.locationOf(toolset, ...locationPath(tool, part), ...trail)
        diagnostics.push({ ...finding, message: `\`${tool}\`, ${part}: ${finding.message}`, location })
      }
      const hint = `${definitionName(tool) || 'Tool'}Root`
      const read = toJsonSchema(schema, { io: part === 'payload' ? 'input' : 'output', hint })
      read.diagnostics.forEach(report)
      if (read.value === undefined) continue
      documents.push({ tool, part, schema: read.value })
      if (read.value.refinements.length > 0) report(refined(part, read.value.refinements, value))
    }
  }
  const shared = readOverDefinitions(
    together.map(({ schema }) => schema),
    toolset.definitions ?? {},
  )
  for (const { trail, index, ...finding } of shared.diagnostics) {
    const at = index === undefined ? undefined : together[index]
    const path = at === undefined ? [] : locationPath(at.tool, at.part)
    const message = at === undefined ? finding.message : `\`${at.tool}\`, ${at.part}: ${finding.message}`
    diagnostics.push({ ...finding, message, location: locations.locationOf(toolset, ...path, ...trail) })
  }
  const known = documents.map(({ schema }) => schema)
  const { roots, defs } = shareDefinitions(shared.document === undefined ? known : [...known, shared.document])
  const common = roots[known.length]
  const read = [
    ...documents.map(({ tool, part, schema: { refinements } }, index) => ({
      tool,
      part,
      refines: refinements.length > 0,
      root: roots[index] ?? true,
    })),
    ...(common === undefined
      ? []
      : together.map(({ tool, part }, index) => ({ tool, part, refines: false, root: schemaAt(common, index) }))),
  ]
  const byTool = new Map<string, Partial<Record<Part, SchemaIr>> & { needsCheck?: boolean }>()
  for (const { tool, part, refines, root } of read) {
    const impossible = impossiblePart(root, defs)
    if (impossible !== undefined) {
      diagnostics.push({
        ...nothingFits(tool, part, impossible),
        location: locations.locationOf(toolset, ...locationPath(tool, part)),
      })
      continue
    }
    const others = byTool.get(tool) ?? {}
    const needsCheck = part === 'payload' && refines
    byTool.set(tool, { ...others, [part]: root, ...(needsCheck ? { needsCheck } : {}) })
  }
  const tools = new Map<string, ToolSchemas>()
  for (const [tool, { payload, result, updates, needsCheck = false }] of byTool) {
    if (payload === undefined || result === undefined) continue
    tools.set(tool, { payload, result, ...(updates === undefined ? {} : { updates }), needsCheck })
  }
  return { defs, tools, diagnostics }
}

function partsOf(tool: Tool): readonly (readonly [Part, unknown])[] {
  const parts: readonly (readonly [Part, unknown])[] = [
    ['payload', tool.payload],
    ['result', tool.result],
  ]
  return tool.streaming === undefined ? parts : [...parts, ['updates', tool.streaming.updates]]
}

function locationPath(tool: string, part: Part): readonly string[] {
  return part === 'updates' ? ['tools', tool, 'streaming', part] : ['tools', tool, part]
}

/** @param fields the required fields that lead to what is impossible */
function nothingFits(tool: string, part: Part, fields: readonly string[]): Omit<Diagnostic, 'location'> {
  const cause = fields.length === 0 ? '' : `: the required field \`${fields.join('.')}\` allows no value`
  const next = {
    payload: 'Allow a value; for a tool without arguments give an object without fields.',
    result: 'Allow a value; for a tool that answers nothing say null.',
    updates: 'Allow a value; for a tool without updates leave out `streaming`.',
  }
  return {
    code: 'TG3017',
    severity: 'error',
    message: `\`${tool}\`, ${part}: No value fits the schema${cause}.`,
    next: next[part],
  }
}

function refined(part: Part, refinements: readonly (readonly string[])[], { examples }: Tool): SchemaDiagnostic {
  const named = refinements.map((names) =>
    names.length === 0 ? 'a refinement of the whole object' : `\`${names.join('.')}\``,
  )
  const fields = [...new Set(named)].join(', ')
  const [trail = []] = refinements
  if (part === 'payload') {
    return {
      code: 'TG3006',
      severity: 'note',
      message: `The schema checks more than JSON Schema can say (${fields}).`,
      next: `Export the schema and pass it again as a check where the toolset is registered; the generated types ask for it.${
        examples?.length ? '' : ' Give the tool an example that passes: one that is made of the JSON Schema may not.'
      }`,
      trail,
    }
  }
  return {
    code: 'TG3007',
    severity: 'warning',
    message: `The schema checks more than JSON Schema can say (${fields}); these checks do not run on what comes back.`,
    next: 'Let the service make sure of it, or run the checks in a result mapper.',
    trail,
  }
}

/** Several schemas over the definitions of their toolset. */
interface SchemasOverDefinitions {
  /** One document: its root has each schema as a property, under the index that it was given by. */
  readonly document?: ReadSchema
  readonly diagnostics: readonly (SchemaDiagnostic & {
    /** The schema that the diagnostic is in; absent for one in a definition. */
    readonly index?: number
  })[]
}

/** Checks whether a schema may refer to the definitions of its toolset: a plain one that brings none of its own. */
function usesDefinitions(schema: unknown): boolean {
  if (!isPlainSchema(schema) || typeof schema === 'boolean') return false
  return !['$defs', 'definitions', '$id', '$schema', 'components'].some((keyword) => Object.hasOwn(schema, keyword))
}

/** Reads schemas together with the definitions to which they refer, each definition once. */
function readOverDefinitions(
  schemas: readonly unknown[],
  definitions: Readonly<Record<string, unknown>>,
): SchemasOverDefinitions {
  if (schemas.length === 0) return { diagnostics: [] }
  const properties = objectFrom(schemas.map((schema, index) => [String(index), schema]))
  const { value, diagnostics } = toJsonSchema(
    { type: 'object', properties, $defs: definitions },
    { io: 'output', hint: 'Definitions' },
  )
  return {
    ...(value !== undefined && { document: value }),
    diagnostics: diagnostics.map(({ trail, ...diagnostic }) => {
      const [keyword, key] = trail
      const isSchema = keyword === 'properties' && key !== undefined
      return isSchema
        ? { ...diagnostic, trail: trail.slice(2), index: Number(key) }
        : { ...diagnostic, trail: ['definitions', ...trail.slice(1)] }
    }),
  }
}

/** One of the schemas that were read together, after definitions were put together with others. */
function schemaAt(root: Schema, index: number): Schema {
  const properties = isObject(root) ? own(root, 'properties') : undefined
  const schema = isObject(properties) ? own(properties, String(index)) : undefined
  return isObject(schema) || typeof schema === 'boolean' ? schema : true
}
