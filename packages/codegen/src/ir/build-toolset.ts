import { createHash } from 'node:crypto'
import type { Tool, Toolset } from '@toolgen/dsl'
import { exampleOf, pointerOf } from '@toolgen/runtime/schema'
import { jsonText } from '../cache.js'
import { defined } from '../defined.js'
import { type Diagnostic, errorAt, type SourceLocation } from '../diagnostics/diagnostic.js'
import { unknownNameAt } from '../diagnostics/near-names.js'
import type { Locations, TextPart } from '../load/source-positions.js'
import {
  closedSchema,
  issueText,
  misfittingDefaults,
  type ValidateValue,
  type ValueIssue,
  valueValidator,
} from '../schema/definitions.js'
import { isObjectPayload } from '../schema/impossible-part.js'
import { type Defs, isObject, type Json, objectFrom, type Schema } from '../schema/json-schema.js'
import { toJson } from '../schema/json-values.js'
import { resolveShape, shapeOf } from '../schema/read-shape.js'
import { definitionsUsed } from '../schema/references.js'
import { pathExists, type SensitiveIr, withDeclared } from '../schema/sensitive.js'
import { fieldSchema, withoutFields } from '../schema/server-owned.js'
import { issuesOf, typedValue, wireValue } from '../schema/shape-parts.js'
import { toJsonSchema } from '../schema/to-json-schema.js'
import { byCodePoint } from '../text.js'
import { titleOf } from './letter-case.js'
import { failureNameErrors, statusFailures, toolNameErrors } from './name-rules.js'
import { pagingOf } from './paging.js'
import { descriptionErrors, templateErrors } from './text-rules.js'
import { defaultToolName } from './tool-names.js'
import { partPath, readSchemas, schemaParts, type ToolSchemas } from './tool-schemas.js'
import { buildMcpSource, buildOpenApiSource } from './tool-sources.js'
import type { FailureIr, ServerOwnedIr, ToolIr, ToolsetIr } from './types.js'

type UnnamedTool = Omit<ToolIr, 'names'>

export type UnnamedToolset = Omit<ToolsetIr, 'names' | 'tools'> & { readonly tools: readonly UnnamedTool[] }

export interface BuiltToolset {
  readonly toolset: UnnamedToolset
  readonly diagnostics: readonly Diagnostic[]
}

/** Omits invalid tools from the toolset, and reports them in `diagnostics`. `isServed` is true if an MCP server has the tools. */
export function buildToolset(toolset: Toolset, locations: Locations, isServed: boolean): BuiltToolset {
  const builder = new ToolsetBuilder(toolset, locations)
  return { toolset: builder.build(isServed), diagnostics: builder.diagnostics }
}

const metaFields: readonly string[] = [
  'runId',
  'sessionId',
  'turnId',
  'toolCallId',
  'parentToolCallId',
  'idempotencyKey',
]

class ToolsetBuilder {
  readonly diagnostics: Diagnostic[] = []
  readonly #toolset: Toolset
  readonly #locations: Locations
  readonly #defs: Defs
  readonly #schemas: ReadonlyMap<string, ToolSchemas>
  readonly #validateSent: ValidateValue
  readonly #validateReturned: ValidateValue
  readonly #failuresByName: Map<string, { readonly tool: string; readonly failure: FailureIr }> = new Map()

  constructor(toolset: Toolset, locations: Locations) {
    const { defs, tools, diagnostics } = readSchemas(toolset, locations)
    this.#toolset = toolset
    this.#locations = locations
    this.#defs = defs
    this.#schemas = tools
    this.#validateSent = valueValidator(defs, 'reject')
    this.#validateReturned = valueValidator(defs, 'keep')
    const what = `the toolset \`${toolset.name}\``
    this.diagnostics.push(
      ...descriptionErrors(what, toolset.description, () => locations.locationOf(toolset, 'description')),
      ...diagnostics,
    )
  }

  build(isServed: boolean): UnnamedToolset {
    this.#checkDefaults()
    const { name, description, namespace, lint, imported } = this.#toolset
    const tools = Object.entries(this.#toolset.tools).flatMap(([tool, value]) => this.#tool(tool, value) ?? [])
    const names = tools.map((tool) => tool.name)
    return defined({
      name,
      description,
      namespace,
      defs: this.#defs,
      tools,
      lint: lint && { ...lint },
      imported: imported?.snapshot.kind,
      location: this.#locations.locationOf(this.#toolset),
      mcp: isServed ? buildMcpSource(this.#toolset, names) : undefined,
      openapi: buildOpenApiSource(this.#toolset, names),
    })
  }

  #at(tool: string, ...path: readonly (string | number)[]): SourceLocation {
    return this.#locations.locationOf(this.#toolset, 'tools', tool, ...path)
  }

  #valueAt(tool: string, path: readonly string[], part?: TextPart): SourceLocation {
    return this.#locations.valueLocationOf(this.#toolset, ['tools', tool, ...path], part)
  }

  #tool(name: string, tool: Tool): UnnamedTool | undefined {
    const toolName = tool.toolName ?? defaultToolName(this.#toolset.name, name)
    const schemas = this.#schemas.get(name)
    this.diagnostics.push(
      ...descriptionErrors(`\`${name}\``, tool.description, () => this.#at(name, 'description')),
      ...toolNameErrors(toolName, name, () => this.#at(name, 'toolName')),
    )
    if (schemas === undefined || !this.#isObjectPayload(name, schemas.payload)) return undefined
    const { payload, result, updates, errors, data, needsCheck } = schemas
    const sensitive = this.#sensitive(name, tool, schemas)
    const failures = this.#failures(name, tool, { ...data }, errors)
    const serverOwned = this.#serverOwned(name, tool, payload)
    const args = withoutFields(payload, new Set(serverOwned.map(({ field }) => field)), this.#defs)
    this.#checkTemplate(name, ['callHint'], tool.callHint, 'payload', payload)
    this.#checkTemplate(name, ['resultHint'], tool.resultHint, 'result', result)
    this.#checkTemplate(name, ['confirmation', 'prompt'], tool.confirmation?.prompt, 'payload', payload)
    const examples = this.#examples(name, tool, args, serverOwned)
    const { title = titleOf(name), description, callHint, resultHint, tags = [], confirmation } = tool
    const { readOnly, destructive, idempotent, defaultLayers, maxResult, meta, lint } = tool
    // The labels of the toolset replace those that an import suggested.
    const isDeclared = (label: 'reads' | 'writes'): boolean =>
      this.#toolset[label] === undefined || (tool[label] !== undefined && tool.suggested?.includes(label) !== true)
    const visible = defined({
      id: `${this.#toolset.name}.${name}`,
      title,
      description,
      arguments: args,
      result,
      updates,
      failures,
      serverOwned,
      examples,
      callHint,
      resultHint,
      tags,
      annotations: defined({ readOnly, destructive, idempotent }),
      reads: labelsOf(isDeclared('reads') ? tool.reads : this.#toolset.reads),
      writes: labelsOf(isDeclared('writes') ? tool.writes : this.#toolset.writes),
      confirmation:
        confirmation &&
        defined({
          prompt: confirmation.prompt,
          deniedResult: this.#deniedResult(name, confirmation.deniedResult, result),
          when: this.#condition(name, confirmation.when, args),
        }),
      toolName,
      maxResult: maxResult && { ...maxResult },
      sensitive,
    })
    this.#checkDefaultLayers(name, tool)
    const ofFailures = (failures ?? []).flatMap(({ schema }) => (schema === undefined ? [] : [schema]))
    const schemasSeen = [args, result, ...(updates === undefined ? [] : [updates]), ...ofFailures]
    const used = new Set(schemasSeen.flatMap((schema) => definitionsUsed(schema, this.#defs)))
    // Definitions are sorted by name.
    const $defs = objectFrom(
      [...used].sort(byCodePoint).map((definition) => [definition, this.#defs[definition] ?? true] as const),
    )
    const hash = contractHash({ namespace: this.#toolset.namespace, ...visible }, $defs)
    const others = {
      errors,
      statusFailures: statusFailures(errors, failures, tool.droppedFailures),
      defaultLayers: defaultLayers && { ...defaultLayers },
      paging: pagingOf(args, this.#defs),
      meta: meta && { ...meta },
      suggested: nonEmpty(tool.suggested?.filter((name) => this.#toolset[name] === undefined)),
      lint: lint && { ...lint },
    }
    return { name, ...visible, payload, needsCheck, hash, ...defined(others), location: this.#at(name) }
  }

  #isObjectPayload(name: string, payload: Schema): boolean {
    if (isObjectPayload(payload, this.#defs)) return true
    const isEmpty = payload === true || (typeof payload === 'object' && Object.keys(payload).length === 0)
    const message = isEmpty
      ? `The payload schema of \`${name}\` is empty: it allows any value.`
      : `The payload of \`${name}\` is neither an object nor a union of objects.`
    const next = 'Use an object with a field for each argument. A tool without arguments has an object without fields.'
    this.diagnostics.push(errorAt(this.#at(name, 'payload'), isEmpty ? 'TG3003' : 'TG3013', message, next))
    return false
  }

  #serverOwned(name: string, tool: Tool, payload: Schema): readonly ServerOwnedIr[] {
    return Object.entries(tool.serverOwned ?? {}).flatMap(([field, from]) => {
      const schema = fieldSchema(payload, field, this.#defs)
      if (schema === undefined) {
        const shape = resolveShape(shapeOf(payload, this.#defs), this.#defs)
        const fields = shape.kind === 'object' ? shape.fields.map((each) => each.name) : []
        const everywhere = shape.kind === 'union' ? ' in every variant' : ''
        const message = `\`${field}\` is server-owned, but the payload does not declare it${everywhere}.`
        const next = 'Declare the field directly in the payload.'
        const location = this.#at(name, 'serverOwned', field)
        this.diagnostics.push(unknownNameAt(location, 'TG2030', message, field, fields, next))
      }
      if (!metaFields.includes(from) && !/^labels\..+$/s.test(from)) {
        const message = `\`${field}\` is filled from \`${from}\`, which is not a field of the call's metadata.`
        const next = `Use one of ${metaFields.join(', ')} or labels.NAME.`
        const location = this.#valueAt(name, ['serverOwned', field])
        this.diagnostics.push(unknownNameAt(location, 'TG2031', message, from, metaFields, next))
      }
      if (schema !== undefined && !acceptsString(schema, this.#defs)) {
        const message = `\`${field}\` is filled from \`${from}\`, which is a string, but its schema accepts no string.`
        const next = 'Declare the field as a string. Convert it in the service, if necessary.'
        this.diagnostics.push(errorAt(this.#at(name, 'serverOwned', field), 'TG2032', message, next))
      }
      return schema === undefined ? [] : [{ field, from, schema }]
    })
  }

  #sensitive(name: string, { sensitive }: Tool, schemas: ToolSchemas): SensitiveIr | undefined {
    for (const part of schemaParts) {
      for (const path of Object.keys(sensitive?.[part] ?? {})) {
        const schema = schemas[part]
        if (schema !== undefined && pathExists(schema, path, this.#defs)) continue
        const message =
          schema === undefined
            ? `\`${name}\` has no ${part}, but \`sensitive.${part}\` names \`${path}\`.`
            : `\`${path}\` is sensitive, but the ${part} of \`${name}\` has no such field.`
        const next = 'Write the path of a field as a JSON Pointer, with `*` for items of arrays: `/lines/*/name`.'
        this.diagnostics.push(errorAt(this.#at(name, 'sensitive', part, path), 'TG2056', message, next))
      }
    }
    return withDeclared(schemas.marked, sensitive)
  }

  #failures(
    name: string,
    tool: Tool,
    data: ToolSchemas['data'],
    errors: ToolSchemas['errors'] = {},
  ): readonly FailureIr[] | undefined {
    const failures = Object.entries(tool.failures ?? {}).map(
      ([failure, { hint, action = 'replan', description, status }]) => {
        const schema = data?.[failure] ?? errors[String(status)]
        this.#checkTemplate(name, ['failures', failure, 'hint'], hint, 'data', schema ?? { properties: {} })
        this.diagnostics.push(...failureNameErrors(failure, () => this.#at(name, 'failures', failure)))
        const built: FailureIr = defined({ name: failure, hint, action, schema, description, status })
        this.#checkSameFailure(name, built)
        return built
      },
    )
    this.#checkDropped(name, tool, errors)
    return failures.length === 0 ? undefined : failures
  }

  #checkDropped(name: string, { droppedFailures = [], failures }: Tool, errors: ToolSchemas['errors']): void {
    const ofStatuses = Object.values(statusFailures(errors) ?? {})
    for (const failure of droppedFailures) {
      if (ofStatuses.includes(failure)) continue
      const known = [...ofStatuses, ...Object.keys(failures ?? {})]
      const message = `The import of \`${name}\` has no failure \`${failure}\`.`
      const next = 'Remove the entry. A later import can remove failures.'
      const location = this.#at(name, 'failures', failure)
      this.diagnostics.push(unknownNameAt(location, 'TG2025', message, failure, known, next))
    }
  }

  #checkSameFailure(tool: string, failure: FailureIr): void {
    const first = this.#failuresByName.get(failure.name)
    if (first === undefined) this.#failuresByName.set(failure.name, { tool, failure })
    if (first === undefined || JSON.stringify(first.failure) === JSON.stringify(failure)) return
    const message = `The failure \`${failure.name}\` of \`${tool}\` differs from the failure with this name of \`${first.tool}\`.`
    const next = 'Rename one of them. Or define the failure once, in a constant, and use the constant in both tools.'
    const related = [{ message: 'The other definition.', location: this.#at(first.tool, 'failures', failure.name) }]
    this.diagnostics.push(errorAt(this.#at(tool, 'failures', failure.name), 'TG2054', message, next, { related }))
  }

  #checkTemplate(
    name: string,
    path: readonly string[],
    text: string | undefined,
    fills: 'payload' | 'result' | 'data',
    schema: Schema,
  ): void {
    if (text === undefined) return
    const locationOf = (part: TextPart) => this.#valueAt(name, path, part)
    const template = { text, field: path.join('.'), fills, locationOf }
    this.diagnostics.push(...templateErrors(template, schema, this.#defs))
  }

  #examples(name: string, tool: Tool, args: Schema, serverOwned: readonly ServerOwnedIr[]): readonly Json[] {
    const fields = Object.keys(tool.serverOwned ?? {})
    // Skips the examples if a server-owned field has no schema, because the schema of the arguments is then wrong.
    if (serverOwned.length < fields.length || tool.examples === undefined) return []
    const validate = originalValidator(tool.payload, serverOwned, this.#defs)
    return tool.examples.flatMap((value, index) => {
      const what = `Example ${index + 1} of \`${name}\``
      const locationOf = () => this.#at(name, 'examples', index)
      const json = this.#checkedValue('TG2050', what, value, args, locationOf, (json) => {
        const issues = this.#validateSent(args, json).map((issue) => withOwner(issue, fields))
        // If there are JSON Schema issues, the library is not asked, because it would report the same issues again.
        return issues.length > 0 ? issues : validate(typedValue(json, args, this.#defs, value))
      })
      return json === undefined ? [] : [json]
    })
  }

  #deniedResult(name: string, value: unknown, result: Schema): Json | undefined {
    if (value === undefined) return undefined
    const locationOf = () => this.#at(name, 'confirmation', 'deniedResult')
    return this.#checkedValue('TG2051', `The denied result of \`${name}\``, value, result, locationOf, (json) =>
      this.#validateReturned(result, json),
    )
  }

  /** A mistake in the schema, such as an unknown field, is an error, because a schema that never matches would silently disable the confirmation. */
  #condition(name: string, value: unknown, args: Schema): Schema | undefined {
    if (value === undefined) return undefined
    const at = (...path: readonly (string | number)[]) => this.#at(name, 'confirmation', 'when', ...path)
    const what = `The condition \`confirmation.when\` of \`${name}\``
    const { value: read, diagnostics } = toJsonSchema(value, { io: 'input', hint: 'Condition' })
    for (const { trail, ...diagnostic } of diagnostics) {
      this.diagnostics.push({ ...diagnostic, message: `${what}: ${diagnostic.message}`, location: at(...trail) })
    }
    if (read === undefined) return undefined
    const { root, refinements } = read
    const defs = Object.fromEntries(read.defs)
    const refuse = (message: string, next: string): undefined => {
      this.diagnostics.push(errorAt(at(), 'TG2055', `${what} ${message}`, next))
    }
    if (refinements.length > 0) {
      const next =
        'Use constraints of JSON Schema. For other conditions, attach `approval({ when })` in the application.'
      return refuse('has checks that JSON Schema cannot express.', next)
    }
    if (!isObjectPayload(root, defs)) {
      return refuse(
        'is not a schema of objects.',
        'Write a schema of arguments, for example `z.object({ amount: z.number().gt(100) })`.',
      )
    }
    const known = namedFields(args, this.#defs)
    for (const field of namedFields(root, defs)) {
      if (fieldSchema(args, field, this.#defs) !== undefined || known.includes(field)) continue
      const message = `${what} names the field \`${field}\`, which is not an argument.`
      this.diagnostics.push(
        unknownNameAt(
          at(),
          'TG2055',
          message,
          field,
          known,
          'Name fields of the arguments. Server-owned fields are not arguments.',
        ),
      )
    }
    return closedSchema(root, defs)
  }

  #checkedValue(
    code: string,
    what: string,
    value: unknown,
    schema: Schema,
    locationOf: () => SourceLocation,
    validate: (json: Json) => readonly ValueIssue[],
  ): Json | undefined {
    const copied = toJson(wireValue(value, schema, this.#defs))
    const issues = copied.ok ? validate(copied.json) : [{ path: '', message: copied.message }]
    if (copied.ok && issues.length === 0) return copied.json
    // Messages of libraries may already end with a full stop.
    const [first = '', ...others] = issues.map(issueText).map((text) => (/[.!?]$/.test(text) ? text : `${text}.`))
    const message = `${what} does not match its schema: ${first}`
    const related = others.slice(0, 9).map((other) => ({ message: other }))
    const more = others.length === 0 ? {} : { related }
    this.diagnostics.push(errorAt(locationOf(), code, message, 'Correct the value or the schema.', more))
    return undefined
  }

  #checkDefaultLayers(name: string, { defaultLayers, idempotent, readOnly, serverOwned = {} }: Tool): void {
    const attempts = defaultLayers?.attempts ?? 1
    if (attempts === 1 || idempotent === true || readOnly === true) return
    if (Object.values(serverOwned).includes('idempotencyKey')) return
    const message = `\`${name}\` has ${attempts} attempts by default, and is neither \`idempotent\` nor \`readOnly\`.`
    const next =
      "Set `idempotent: true` or `readOnly: true` if the tool may run twice. Or pass a key to the service: `serverOwned: { FIELD: 'idempotencyKey' }`. Otherwise remove `attempts`."
    this.diagnostics.push(errorAt(this.#at(name, 'defaultLayers', 'attempts'), 'TG2052', message, next))
  }

  #checkDefaults(): void {
    const check = (
      schema: Schema,
      validate: ValidateValue,
      what: string,
      locationOf: (keys: readonly string[]) => SourceLocation,
    ): void => {
      for (const { keys, message } of misfittingDefaults(schema, validate)) {
        const text = `${what}: The ${message}.`
        this.diagnostics.push(errorAt(locationOf(keys), 'TG3016', text, 'Correct the default or the schema.'))
      }
    }
    for (const [name, schema] of Object.entries(this.#defs)) {
      const locationOf = () => this.#locations.locationOf(this.#toolset)
      check(schema, this.#validateReturned, `The definition \`${name}\``, locationOf)
    }
    for (const [name, schemas] of this.#schemas) {
      for (const part of schemaParts) {
        const schema = schemas[part]
        if (schema === undefined) continue
        const validate = part === 'payload' ? this.#validateSent : this.#validateReturned
        check(schema, validate, `\`${name}\`, ${part}`, (keys) => this.#at(name, ...partPath(part), ...keys))
      }
    }
  }
}

function namedFields(schema: Schema, defs: Defs): readonly string[] {
  const shapes = [resolveShape(shapeOf(schema, defs), defs)]
  const names = new Set<string>()
  for (const shape of shapes) {
    if (shape.kind === 'object') for (const { name } of shape.fields) names.add(name)
    const parts = shape.kind === 'union' ? shape.variants : shape.kind === 'intersection' ? shape.parts : []
    shapes.push(...parts.map((part) => resolveShape(part, defs)).filter((part) => !shapes.includes(part)))
  }
  return [...names]
}

function nonEmpty<Item>(items: readonly Item[] | undefined): readonly Item[] | undefined {
  return items === undefined || items.length === 0 ? undefined : items
}

function labelsOf<Label extends string>(labels: Label | readonly Label[] | undefined): readonly Label[] | undefined {
  return typeof labels === 'string' ? [labels] : labels && [...new Set(labels)].sort(byCodePoint)
}

function withOwner(found: ValueIssue, owned: readonly string[]): ValueIssue {
  const { issue, path } = found
  if (issue?.constraint !== 'unknown_field' || !owned.includes(issue.field) || path.lastIndexOf('/') > 0) return found
  return { path: '', message: `the field \`${issue.field}\` is server-owned and must not be in an example` }
}

/**
 * Examples have no server-owned fields, but refinements (for example of Zod) need the whole payload. The returned function therefore adds sample
 * values for these fields, and ignores issues about the sample values. If one field has no sample value, every example passes.
 */
function originalValidator(
  payload: unknown,
  serverOwned: readonly ServerOwnedIr[],
  defs: Defs,
): (example: unknown) => readonly ValueIssue[] {
  const samples = serverOwned.flatMap(({ field, schema }) => {
    const sample = exampleOf(closedSchema(schema, defs))
    return sample === undefined ? [] : [[field, typedValue(sample, schema, defs)] as const]
  })
  if (samples.length < serverOwned.length) return () => []
  const names = new Set<unknown>(serverOwned.map(({ field }) => field))
  return (example) => {
    const value = isObject(example) ? Object.fromEntries([...Object.entries(example), ...samples]) : example
    return issuesOf(payload, value)
      .filter(({ path }) => !names.has(path[0]))
      .map(({ path, message }) => ({ path: pointerOf(path), message }))
  }
}

function acceptsString(schema: Schema, defs: Defs): boolean {
  const shape = resolveShape(shapeOf(schema, defs), defs)
  if (shape.kind === 'literals') return shape.values.some((value) => typeof value === 'string')
  return !['null', 'boolean', 'number', 'array', 'tuple', 'object', 'never'].includes(shape.kind)
}

function contractHash(contract: object, $defs: Defs): string {
  const hash = createHash('sha256')
  // The order of keys affects the hash, because callers and models see the order.
  hash.update(`${JSON.stringify(contract).slice(0, -1)},"$defs":{`, 'utf8')
  // Many tools have the same definitions, whose texts are cached.
  for (const [index, [name, schema]] of Object.entries($defs).entries()) {
    const text = typeof schema === 'boolean' ? String(schema) : jsonText(schema)
    hash.update(`${index === 0 ? '' : ','}${JSON.stringify(name)}:`, 'utf8').update(text, 'utf8')
  }
  return hash.update('}}', 'utf8').digest('hex').slice(0, 16)
}
