import { createHash } from 'node:crypto'
import type { Agent, Tool, Toolset } from '@toolgen/dsl'
import { type Diagnostic, errorAt, type SourceLocation } from '../diagnostics/diagnostic.js'
import type { Locations, TextPart } from '../load/source-positions.js'
import { shareDefinitions } from '../schema/definitions.js'
import {
  isObject,
  objectFrom,
  own,
  type SchemaDiagnostic,
  type Schema as SchemaReadSchemas,
} from '../schema/json-schema.js'
import { toJson } from '../schema/json-values.js'
import { isPlainSchema } from '../schema/libraries/plain.js'
import { targetsIn } from '../schema/normalize.js'
import { definitionName } from '../schema/references.js'
import { withoutFields } from '../schema/server-owned.js'
import { impossiblePart, isObjectPayload } from '../schema/shape-parts.js'
import { type ReadSchema, toJsonSchema } from '../schema/to-json-schema.js'
import { titleOf } from './names.js'
import {
  checkDeniedResult,
  checkExample,
  defaultsChecker,
  defaultToolName,
  descriptionErrors,
  originalCheck,
  type ServerOwned,
  serverOwnedFields,
  type ToolsetChecks,
  templateErrors,
  toolNameErrors,
  toolsetChecks,
} from './rules.js'
import type {
  Json,
  McpServedToolIr,
  McpSourceIr,
  OpenApiSourceIr,
  Schema,
  Schema as SchemaIr,
  SchemaObject,
  ToolIr,
  ToolsetIr,
} from './types.js'

/** A tool before it has identifiers. */
type UnnamedTool = Omit<ToolIr, 'names'>

/** A toolset before it has identifiers. */
export type UnnamedToolset = Omit<ToolsetIr, 'names' | 'tools'> & { readonly tools: readonly UnnamedTool[] }

interface ToolContext {
  readonly toolset: Toolset
  readonly name: string
  readonly defs: Readonly<Record<string, Schema>>
  readonly checks: ToolsetChecks
  readonly locations: Locations
}

/** A toolset with what was found in it. */
export interface BuiltToolset {
  readonly toolset: UnnamedToolset
  readonly diagnostics: readonly Diagnostic[]
}

/** Builds a toolset and checks every rule that concerns it alone. Tools that cannot be built are missing. */
export function buildToolset(toolset: Toolset, locations: Locations): BuiltToolset {
  const { defs, tools: schemas, diagnostics: schemaDiagnostics } = readSchemas(toolset, locations)
  const location = locations.locationOf(toolset)
  const what = `the toolset \`${toolset.name}\``
  const diagnostics: Diagnostic[] = [
    ...descriptionErrors(what, toolset.description, locations.locationOf(toolset, 'description')),
    ...schemaDiagnostics,
  ]
  const checks = toolsetChecks(defs)
  diagnostics.push(...defaultErrors(toolset, { defs, tools: schemas }, checks, locations))
  const tools: UnnamedTool[] = []
  for (const [name, tool] of Object.entries(toolset.tools)) {
    const built = buildTool(tool, schemas.get(name), { toolset, name, defs, checks, locations })
    diagnostics.push(...built.diagnostics)
    if (built.tool !== undefined) tools.push(built.tool)
  }
  const { name, description, namespace, lint } = toolset
  const silenced = lint === undefined ? {} : { lint: { ...lint } }
  return { toolset: { name, description, namespace, defs, tools, ...silenced, location }, diagnostics }
}

function buildTool(
  tool: Tool,
  schemas: ToolSchemas | undefined,
  context: ToolContext,
): { readonly tool?: UnnamedTool; readonly diagnostics: readonly Diagnostic[] } {
  const { toolset, name, defs, locations } = context
  const locationOf = (...path: readonly (string | number)[]) => locations.locationOf(toolset, 'tools', name, ...path)
  const toolName = tool.toolName ?? defaultToolName(toolset.name, name)
  const diagnostics: Diagnostic[] = [
    ...descriptionErrors(`\`${name}\``, tool.description, locationOf('description')),
    ...toolNameErrors(toolName, name, locationOf('toolName')),
  ]
  if (schemas === undefined) return { diagnostics }
  const { payload, result, updates, needsCheck } = schemas
  if (!isObjectPayload(payload, defs)) {
    const isEmpty = payload === true || (typeof payload === 'object' && Object.keys(payload).length === 0)
    const message = isEmpty
      ? `The payload schema of \`${name}\` is empty: it allows anything.`
      : `The payload of \`${name}\` is not an object, nor a union of objects.`
    const next = 'Give an object with a field for each argument; for a tool without arguments an object without fields.'
    diagnostics.push(errorAt(locationOf('payload'), isEmpty ? 'TG3003' : 'TG3013', message, next))
    return { diagnostics }
  }
  const owned = serverOwnedFields(tool.serverOwned ?? {}, payload, defs, {
    ofField: (field) => locationOf('serverOwned', field),
    ofSource: (field) => locations.valueLocationOf(toolset, ['tools', name, 'serverOwned', field]),
  })
  const args = withoutFields(payload, new Set(owned.fields.map(({ field }) => field)), defs)
  const values = checkedValues(tool, { arguments: args, result, owned }, context)
  diagnostics.push(...owned.diagnostics, ...templates(tool, schemas, context), ...values.diagnostics)
  diagnostics.push(...defaultLayerErrors(tool, name, locationOf('defaultLayers', 'attempts')))
  const { description, callHint, resultHint, tags, readOnly, destructive, idempotent } = tool
  const facts = {
    id: `${toolset.name}.${name}`,
    title: tool.title ?? titleOf(name),
    description,
    arguments: args,
    result,
    ...(updates !== undefined && { updates }),
    serverOwned: owned.fields,
    examples: values.examples,
    ...(callHint !== undefined && { callHint }),
    ...(resultHint !== undefined && { resultHint }),
    tags: tags ?? [],
    annotations: {
      ...(readOnly !== undefined && { readOnly }),
      ...(destructive !== undefined && { destructive }),
      ...(idempotent !== undefined && { idempotent }),
    },
    ...(tool.confirmation === undefined
      ? {}
      : {
          confirmation: {
            prompt: tool.confirmation.prompt,
            ...(values.deniedResult === undefined ? {} : { deniedResult: values.deniedResult }),
          },
        }),
    toolName,
  }
  const seen = { ...facts, serverOwned: owned.fields.map(({ field, from, schema }) => ({ field, from, schema })) }
  const hash = contractHash({
    namespace: toolset.namespace,
    ...seen,
    $defs: reachable([args, result, ...(updates === undefined ? [] : [updates])], defs),
  })
  // Whoever calls the tool sees nothing of these, so that they are no part of the hash.
  const unseen = {
    ...(tool.defaultLayers === undefined ? {} : { defaultLayers: { ...tool.defaultLayers } }),
    ...(tool.lint === undefined ? {} : { lint: { ...tool.lint } }),
  }
  return { tool: { name, ...facts, payload, needsCheck, hash, ...unseen, location: locationOf() }, diagnostics }
}

/** Only a tool that may run twice can have several attempts by default. */
function defaultLayerErrors(tool: Tool, name: string, location: SourceLocation): readonly Diagnostic[] {
  const { defaultLayers, idempotent, readOnly } = tool
  const attempts = defaultLayers?.attempts ?? 1
  if (attempts === 1 || idempotent === true || readOnly === true) return []
  const message = `\`${name}\` has ${attempts} attempts by default, and is neither \`idempotent\` nor \`readOnly\`.`
  const next = 'Declare `idempotent: true` or `readOnly: true` where that is so, or remove `attempts`.'
  return [errorAt(location, 'TG2052', message, next)]
}

/** Defaults of what is sent are checked as what is sent is; those of definitions once, whoever refers to them. */
function defaultErrors(
  toolset: Toolset,
  { defs, tools }: Pick<ToolsetSchemas, 'defs' | 'tools'>,
  checks: ToolsetChecks,
  locations: Locations,
): readonly Diagnostic[] {
  const [sent, returned] = [defaultsChecker(checks.sent), defaultsChecker(checks.returned)]
  const shared = Object.entries(defs).flatMap(([name, schema]) =>
    returned(schema, { what: `The definition \`${name}\``, locationOf: () => locations.locationOf(toolset) }),
  )
  const own = [...tools].flatMap(([name, { payload, result, updates }]) => {
    const at = (...path: readonly string[]) => ({
      what: `\`${name}\`, ${path.at(-1)}`,
      locationOf: (...keys: readonly string[]) => locations.locationOf(toolset, 'tools', name, ...path, ...keys),
    })
    const updating = updates === undefined ? [] : returned(updates, at('streaming', 'updates'))
    return [...sent(payload, at('payload')), ...returned(result, at('result')), ...updating]
  })
  return [...shared, ...own]
}

function templates(tool: Tool, schemas: ToolSchemas, context: ToolContext): readonly Diagnostic[] {
  const { toolset, name, defs, locations } = context
  const { payload, result } = schemas
  const errorsIn = (text: string | undefined, path: readonly string[], fills: 'payload' | 'result') => {
    if (text === undefined) return []
    const locationOf = (part: TextPart) => locations.valueLocationOf(toolset, ['tools', name, ...path], part)
    return templateErrors(
      { text, field: path.join('.'), fills, locationOf },
      fills === 'payload' ? payload : result,
      defs,
    )
  }
  return [
    ...errorsIn(tool.callHint, ['callHint'], 'payload'),
    ...errorsIn(tool.resultHint, ['resultHint'], 'result'),
    ...errorsIn(tool.confirmation?.prompt, ['confirmation', 'prompt'], 'payload'),
  ]
}

function checkedValues(
  tool: Tool,
  schemas: { readonly arguments: Schema; readonly result: Schema; readonly owned: ServerOwned },
  context: ToolContext,
): { readonly examples: readonly Json[]; readonly deniedResult?: Json; readonly diagnostics: readonly Diagnostic[] } {
  const { toolset, name, checks, locations } = context
  const { result, owned } = schemas
  // Under a field that nobody declares, the examples are judged by a schema that is not meant.
  const declared = owned.isDeclared ? (tool.examples ?? []) : []
  const original = declared.length === 0 ? undefined : originalCheck(tool.payload, owned.fields, checks)
  const examples = declared.map((value, index) => {
    const location = locations.locationOf(toolset, 'tools', name, 'examples', index)
    const at = { number: index + 1, tool: name, location, owned: Object.keys(tool.serverOwned ?? {}) }
    return checkExample(value, at, schemas.arguments, { sent: checks.sent, defs: checks.defs, original })
  })
  const denied = tool.confirmation?.deniedResult
  const location = locations.locationOf(toolset, 'tools', name, 'confirmation', 'deniedResult')
  const checked = denied === undefined ? undefined : checkDeniedResult(denied, { tool: name, location }, result, checks)
  return {
    examples: examples.flatMap(({ json }) => (json === undefined ? [] : [json])),
    ...(checked?.json === undefined ? {} : { deniedResult: checked.json }),
    diagnostics: [...examples, ...(checked === undefined ? [] : [checked])].flatMap(({ diagnostics }) => diagnostics),
  }
}

/** Returns the definitions to which schemas lead, in the order of the toolset. */
function reachable(schemas: readonly Schema[], defs: Readonly<Record<string, Schema>>): Json {
  const met = new Set<string>()
  const pending = schemas.flatMap(targetsIn)
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (met.has(name)) continue
    met.add(name)
    pending.push(...targetsIn(Object.hasOwn(defs, name) ? (defs[name] ?? true) : true))
  }
  return Object.fromEntries(Object.entries(defs).filter(([name]) => met.has(name)))
}

/**
 * SHA-256 over compact JSON text with the keys in their declared order (the order is part of what callers and models
 * see): the first 16 hexadecimal characters.
 */
function contractHash(value: Json): string {
  return createHash('sha256').update(JSON.stringify(value), 'utf8').digest('hex').slice(0, 16)
}

/** The schemas of one tool, over the definitions of its toolset. */
interface ToolSchemas {
  readonly payload: SchemaIr
  readonly result: SchemaIr
  readonly updates?: SchemaIr
  readonly needsCheck: boolean
}

/** The schemas of a toolset; a tool with a schema that cannot be read is missing. */
interface ToolsetSchemas {
  readonly defs: Readonly<Record<string, SchemaIr>>
  readonly tools: ReadonlyMap<string, ToolSchemas>
  readonly diagnostics: readonly Diagnostic[]
}

type Part = 'payload' | 'result' | 'updates'

/** Reads every schema of a toolset and puts their definitions together. */
function readSchemas(toolset: Toolset, locations: Locations): ToolsetSchemas {
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
function schemaAt(root: SchemaReadSchemas, index: number): SchemaReadSchemas {
  const properties = isObject(root) ? own(root, 'properties') : undefined
  const schema = isObject(properties) ? own(properties, String(index)) : undefined
  return isObject(schema) || typeof schema === 'boolean' ? schema : true
}

/** Returns the names of the toolsets that an MCP server serves: those with `mcp`, and those that an agent uses so. */
export function mcpServed(toolsets: readonly Toolset[], agents: readonly Agent[]): ReadonlySet<string> {
  const used = agents.flatMap(({ uses }) => uses.filter(({ provider }) => provider === 'mcp'))
  const declared = toolsets.filter(({ mcp }) => mcp !== undefined)
  return new Set([...declared, ...used.map(({ toolset }) => toolset)].map(({ name }) => name))
}

/** Builds the MCP source of the given tools of a toolset. */
export function buildMcpSource(toolset: Toolset, names: readonly string[]): McpSourceIr {
  const { mcp, tools } = toolset
  return {
    ...(mcp?.server !== undefined && { server: { name: mcp.server.name, version: mcp.server.version } }),
    unused: mcp?.unused ?? [],
    tools: names.map((name): McpServedToolIr => {
      const tool = mcp?.captured === true ? own(tools, name) : undefined
      const remote = serverToolName(toolset, name)
      return { tool: name, name: remote, ...(tool !== undefined && captured(tool, remote)) }
    }),
  }
}

/** Returns the server's name of a tool, as the toolset has it. */
export function serverToolName({ mcp }: Toolset, tool: string): string {
  return own(mcp?.names ?? {}, tool) ?? tool
}

/**
 * Returns what the server declared of a tool. The import allows anything as a result that is not described, and uses a
 * tool's title or name in place of a missing description.
 */
function captured(
  { title, description, payload, result }: Tool,
  remote: string,
): Omit<McpServedToolIr, 'tool' | 'name'> {
  const [input, output] = [payload, result].map((schema): SchemaObject | undefined => {
    const copy = toJson(schema)
    return copy.ok && isObject(copy.json) ? copy.json : undefined
  })
  return {
    ...(description !== title && description !== remote && { description }),
    ...(input !== undefined && { inputSchema: input }),
    ...(output !== undefined && { outputSchema: output }),
  }
}

/** Builds the HTTP API of the given tools of a toolset; `undefined` where the toolset has none. */
export function buildOpenApiSource({ openapi }: Toolset, tools: readonly string[]): OpenApiSourceIr | undefined {
  const copied = openapi === undefined ? undefined : toJson(openapi)
  if (copied?.ok !== true || !isObject(copied.json)) return undefined
  const { server, security, operations } = copied.json
  return {
    ...(typeof server === 'string' && { server }),
    ...(isObject(security) && { security }),
    operations: tools.flatMap((tool) => {
      const operation = isObject(operations) ? own(operations, tool) : undefined
      return isObject(operation) ? [{ tool, operation }] : []
    }),
  }
}
