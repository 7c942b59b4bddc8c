import { createHash } from 'node:crypto'
import type { Tool, Toolset } from '@toolgen/dsl'
import { type Diagnostic, errorAt, type SourceLocation } from '../diagnostics/diagnostic.js'
import type { Locations, TextPart } from '../load/source-positions.js'
import { targetsIn } from '../schema/normalize.js'
import { withoutFields } from '../schema/server-owned.js'
import { titleOf } from './identifiers.js'
import { defaultToolName, toolNameErrors } from './name-rules.js'
import { readSchemas, type ToolSchemas, type ToolsetSchemas } from './read-schemas.js'
import { descriptionErrors, templateErrors } from './text-rules.js'
import {
  checkDeniedResult,
  checkExample,
  defaultsChecker,
  isObjectPayload,
  originalCheck,
  type ServerOwned,
  serverOwnedFields,
  type ToolsetChecks,
  toolsetChecks,
} from './tool-rules.js'
import type { Json, Schema, ToolIr, ToolsetIr } from './types.js'

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
