import { eachSubschema, exampleOf, pointerOf } from '@toolgen/runtime/schema'
import { type Diagnostic, nearest, type SourceLocation } from '../diagnostics/diagnostic.js'
import { closedSchema } from '../schema/definitions.js'
import { atPointer, isObject, type Json, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { toJson } from '../schema/json-values.js'
import { fieldSchema } from '../schema/server-owned.js'
import { resolveShape, type Shape, shapeOf } from '../schema/shape.js'
import { issuesOf, typedValue, wireValue } from '../schema/typed-value.js'
import { issueText, type ValidateValue, type ValueIssue, valueValidator } from '../schema/validate-value.js'

/** Tests the values that a toolset's design gives. */
export interface ToolsetChecks {
  /** For arguments: an object has no fields but those it declares. */
  readonly sent: ValidateValue
  readonly returned: ValidateValue
  /** The definitions to which the toolset's schemas refer. */
  readonly defs: Readonly<Record<string, Schema>>
}

/** The checks of a toolset. */
export function toolsetChecks(defs: Readonly<Record<string, Schema>>): ToolsetChecks {
  return {
    sent: valueValidator(defs, 'reject'),
    returned: valueValidator(defs, 'keep'),
    defs,
  }
}

/** A value of the design as JSON that fits its schema; `json` is absent when it does not. */
interface CheckedValue {
  readonly json?: Json
  readonly diagnostics: readonly Diagnostic[]
}

/** Checks an example of a tool's arguments. */
export function checkExample(
  value: unknown,
  at: {
    readonly number: number
    readonly tool: string
    readonly location: SourceLocation
    readonly owned: readonly string[]
  },
  schema: Schema,
  checks: Pick<ToolsetChecks, 'sent' | 'defs'> & { readonly original: OriginalCheck | undefined },
): CheckedValue {
  const what = `Example ${at.number} of \`${at.tool}\``
  const copied = toJson(wireValue(value, schema, checks.defs))
  if (!copied.ok) return { diagnostics: [misfit('TG2050', what, [{ path: '', message: copied.message }], at.location)] }
  const json = copied.json
  const said = checks.sent(schema, json).map((fault) => withOwner(fault, at.owned))
  // What the JSON Schema refuses, the library would only refuse once more.
  const faults = said.length > 0 ? said : (checks.original?.(typedValue(json, schema, checks.defs, value)) ?? [])
  return faults.length === 0
    ? { json, diagnostics: [] }
    : { diagnostics: [misfit('TG2050', what, faults, at.location)] }
}

/** Checks the result of a declined call. */
export function checkDeniedResult(
  value: unknown,
  at: { readonly tool: string; readonly location: SourceLocation },
  schema: Schema,
  checks: Pick<ToolsetChecks, 'returned' | 'defs'>,
): CheckedValue {
  const what = `The denied result of \`${at.tool}\``
  const copied = toJson(wireValue(value, schema, checks.defs))
  if (!copied.ok) return { diagnostics: [misfit('TG2051', what, [{ path: '', message: copied.message }], at.location)] }
  const faults = checks.returned(schema, copied.json)
  return faults.length === 0
    ? { json: copied.json, diagnostics: [] }
    : { diagnostics: [misfit('TG2051', what, faults, at.location)] }
}

function withOwner(found: ValueIssue, owned: readonly string[]): ValueIssue {
  const { issue } = found
  if (issue?.constraint !== 'unknown_field' || !owned.includes(issue.field) || issue.path.lastIndexOf('/') > 0)
    return found
  return { path: '', message: `the field \`${issue.field}\` is server-owned, nobody sends it` }
}

function misfit(
  code: 'TG2050' | 'TG2051',
  what: string,
  faults: readonly ValueIssue[],
  location: SourceLocation,
): Diagnostic {
  const [first, ...others] = faults.map(issueText)
  return {
    code,
    severity: 'error',
    message: `${what} does not fit its schema: ${ended(first ?? '')}`,
    location,
    next: 'Correct the value, or the schema.',
    ...(others.length === 0 ? {} : { related: others.slice(0, 9).map((message) => ({ message: ended(message) })) }),
  }
}

/** A library's own message may bring its full stop. */
function ended(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`
}

/** Checks the defaults inside a schema. */
type CheckDefaults = (
  schema: Schema,
  at: { readonly what: string; readonly locationOf: (...keys: readonly string[]) => SourceLocation },
) => readonly Diagnostic[]

/** A default takes the place of a value that nobody sent, so it must be such a value. */
export function defaultsChecker(check: ValidateValue): CheckDefaults {
  const faultOf = (schema: SchemaObject): string | undefined => {
    const value = own(schema, 'default')
    const [fault] = value === undefined ? [] : check(schema, value)
    return fault && issueText(fault)
  }
  return (schema, { what, locationOf }) => {
    const found: Diagnostic[] = []
    const visit = (inner: Schema, keys: readonly string[]): void => {
      if (typeof inner === 'boolean') return
      const fault = faultOf(inner)
      if (fault !== undefined) found.push(defaultMisfit(what, keys, fault, locationOf(...keys, 'default')))
      eachSubschema(inner, (subschema, more) => visit(subschema, [...keys, ...more]))
    }
    visit(schema, [])
    return found
  }
}

function defaultMisfit(what: string, keys: readonly string[], fault: string, location: SourceLocation): Diagnostic {
  return {
    code: 'TG3016',
    severity: 'error',
    message: `${what}: The default ${atPointer(pointerOf(keys))} does not fit its own schema: ${fault}.`,
    location,
    next: 'Correct the default, or the schema.',
  }
}

/** Tests an example's arguments by the schema that the design wrote, refinements in code included. */
type OriginalCheck = (example: unknown) => readonly ValueIssue[]

/**
 * The check by the design's own schema. Server-owned fields are filled with a sample, since refinements see whole
 * payloads alone; what is said about them says nothing about the example.
 *
 * @returns `undefined` where the schema checks nothing itself, or where no sample of a server-owned field is found
 */
export function originalCheck(
  payload: unknown,
  owned: readonly ServerOwnedField[],
  checks: { readonly returned: ValidateValue; readonly defs: Readonly<Record<string, Schema>> },
): OriginalCheck | undefined {
  const samples = owned.map(({ field, schema }) => ({
    field,
    schema,
    sample: exampleOf(closedSchema(schema, checks.defs)),
  }))
  const filling = samples.flatMap(({ field, schema, sample }) =>
    sample === undefined ? [] : [[field, typedValue(sample, schema, checks.defs)] as const],
  )
  if (filling.length < samples.length) return undefined
  const names = new Set<unknown>(owned.map(({ field }) => field))
  return (example) => {
    const value = isObject(example) ? Object.fromEntries([...Object.entries(example), ...filling]) : example
    return issuesOf(payload, value)
      .filter(({ path }) => !names.has(path[0]))
      .map(({ path, message }) => ({ path: pointerOf(path), message }))
  }
}

type Defs = Readonly<Record<string, Schema>>

const metaFields: readonly string[] = ['runId', 'sessionId', 'turnId', 'toolCallId', 'parentToolCallId']

/** A payload field that the runtime fills. */
interface ServerOwnedField {
  readonly field: string
  readonly from: string
  readonly schema: Schema
}

/** The server-owned fields of a payload. */
export interface ServerOwned {
  readonly fields: readonly ServerOwnedField[]
  /** False when the payload does not declare one of them. */
  readonly isDeclared: boolean
}

/**
 * The server-owned fields of a payload with their schemas.
 *
 * @param owned payload field → field of the call's meta
 */
export function serverOwnedFields(
  owned: Readonly<Record<string, string>>,
  payload: Schema,
  defs: Defs,
  locations: {
    readonly ofField: (field: string) => SourceLocation
    readonly ofSource: (field: string) => SourceLocation
  },
): ServerOwned & { readonly diagnostics: readonly Diagnostic[] } {
  const fields: ServerOwnedField[] = []
  const diagnostics: Diagnostic[] = []
  for (const [field, from] of Object.entries(owned)) {
    const schema = fieldSchema(payload, field, defs)
    if (schema === undefined) diagnostics.push(unknownField(field, payload, defs, locations.ofField(field)))
    else fields.push({ field, from, schema })
    if (!metaFields.includes(from) && !/^labels\..+$/s.test(from))
      diagnostics.push(unknownMeta(field, from, locations.ofSource(field)))
  }
  return { fields, isDeclared: fields.length === Object.keys(owned).length, diagnostics }
}

/** Whether a payload is an object, or a union whose every variant is one. */
export function isObjectPayload(payload: Schema, defs: Defs): boolean {
  const isObject = (shape: Shape): boolean => {
    const resolved = resolveShape(shape, defs)
    if (resolved.kind === 'union') return resolved.variants.every(isObject)
    if (resolved.kind === 'intersection') return resolved.parts.every(isObject)
    return resolved.kind === 'object'
  }
  return isObject(shapeOf(payload, defs))
}

function unknownField(field: string, payload: Schema, defs: Defs, location: SourceLocation): Diagnostic {
  const shape = resolveShape(shapeOf(payload, defs), defs)
  const near = nearest(field, shape.kind === 'object' ? shape.fields.map(({ name }) => name) : [])
  const everywhere = shape.kind === 'union' ? ' in every variant' : ''
  return {
    code: 'TG2030',
    severity: 'error',
    message: `\`${field}\` is server-owned, but the payload does not declare it${everywhere}.`,
    location,
    next: near[0] === undefined ? 'Declare it as a direct field of the payload.' : `Did you mean \`${near[0]}\`?`,
    ...(near.length === 0 ? {} : { near }),
  }
}

function unknownMeta(field: string, from: string, location: SourceLocation): Diagnostic {
  const near = nearest(from, metaFields)
  return {
    code: 'TG2031',
    severity: 'error',
    message: `\`${field}\` is filled from \`${from}\`, which is no field of a call's meta.`,
    location,
    next:
      near[0] === undefined ? `Take one of ${metaFields.join(', ')} or labels.NAME.` : `Did you mean \`${near[0]}\`?`,
    ...(near.length === 0 ? {} : { near }),
  }
}
