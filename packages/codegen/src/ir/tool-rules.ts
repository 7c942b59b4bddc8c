import { eachSubschema, exampleOf, pointerOf } from '@toolgen/runtime/schema'
import { type Diagnostic, errorAt, type SourceLocation } from '../diagnostics/diagnostic.js'
import { unknownNameAt } from '../diagnostics/near-names.js'
import { closedSchema, issueText, type ValidateValue, type ValueIssue, valueValidator } from '../schema/definitions.js'
import { atPointer, isObject, type Json, own, type Schema } from '../schema/json-schema.js'
import { toJson } from '../schema/json-values.js'
import { fieldSchema } from '../schema/server-owned.js'
import { resolveShape, type Shape, shapeOf } from '../schema/shape.js'
import { issuesOf, typedValue, wireValue } from '../schema/shape-parts.js'

/** The checks of the values in a toolset's design. */
export interface ToolsetChecks {
  /** For arguments: an object has no fields but those it declares. */
  readonly sent: ValidateValue
  readonly returned: ValidateValue
  /** The definitions to which the toolset's schemas refer. */
  readonly defs: Readonly<Record<string, Schema>>
}

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
  return checkValue('TG2050', what, value, schema, checks.defs, at.location, (json) => {
    const issues = checks.sent(schema, json).map((issue) => withOwner(issue, at.owned))
    // What the JSON Schema refuses, the library would only refuse once more.
    return issues.length > 0 ? issues : (checks.original?.(typedValue(json, schema, checks.defs, value)) ?? [])
  })
}

/** Checks the result of a declined call. */
export function checkDeniedResult(
  value: unknown,
  at: { readonly tool: string; readonly location: SourceLocation },
  schema: Schema,
  { returned, defs }: Pick<ToolsetChecks, 'returned' | 'defs'>,
): CheckedValue {
  const what = `The denied result of \`${at.tool}\``
  return checkValue('TG2051', what, value, schema, defs, at.location, (json) => returned(schema, json))
}

function checkValue(
  code: 'TG2050' | 'TG2051',
  what: string,
  value: unknown,
  schema: Schema,
  defs: Defs,
  location: SourceLocation,
  check: (json: Json) => readonly ValueIssue[],
): CheckedValue {
  const copied = toJson(wireValue(value, schema, defs))
  const issues = copied.ok ? check(copied.json) : [{ path: '', message: copied.message }]
  if (copied.ok && issues.length === 0) return { json: copied.json, diagnostics: [] }
  const [first = '', ...others] = issues.map(issueText)
  const message = `${what} does not fit its schema: ${ended(first)}`
  const related = others.slice(0, 9).map((other) => ({ message: ended(other) }))
  const more = others.length === 0 ? {} : { related }
  return { diagnostics: [errorAt(location, code, message, 'Correct the value, or the schema.', more)] }
}

function withOwner(found: ValueIssue, owned: readonly string[]): ValueIssue {
  const { issue, path } = found
  if (issue?.constraint !== 'unknown_field' || !owned.includes(issue.field) || path.lastIndexOf('/') > 0) return found
  return { path: '', message: `the field \`${issue.field}\` is server-owned, nobody sends it` }
}

/** A library's own message may bring its full stop. */
function ended(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`
}

/** Returns the check of the defaults inside a schema: a default replaces a value that nobody sent, so it must be valid. */
export function defaultsChecker(
  check: ValidateValue,
): (
  schema: Schema,
  at: { readonly what: string; readonly locationOf: (...keys: readonly string[]) => SourceLocation },
) => readonly Diagnostic[] {
  return (schema, { what, locationOf }) => {
    const found: Diagnostic[] = []
    const visit = (inner: Schema, keys: readonly string[]): void => {
      if (typeof inner === 'boolean') return
      const value = own(inner, 'default')
      const [issue] = value === undefined ? [] : check(inner, value)
      if (issue !== undefined) {
        const at = atPointer(pointerOf(keys))
        const message = `${what}: The default ${at} does not fit its own schema: ${issueText(issue)}.`
        found.push(errorAt(locationOf(...keys, 'default'), 'TG3016', message, 'Correct the default, or the schema.'))
      }
      eachSubschema(inner, (subschema, more) => visit(subschema, [...keys, ...more]))
    }
    visit(schema, [])
    return found
  }
}

/** Checks an example's arguments by the schema of the design, refinements in code included. */
type OriginalCheck = (example: unknown) => readonly ValueIssue[]

/**
 * Returns the check by the design's own schema. Server-owned fields are filled with a sample, since refinements see whole
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
 * Returns the server-owned fields of a payload with their schemas.
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
    if (schema !== undefined) fields.push({ field, from, schema })
    else {
      const shape = resolveShape(shapeOf(payload, defs), defs)
      const known = shape.kind === 'object' ? shape.fields.map(({ name }) => name) : []
      const everywhere = shape.kind === 'union' ? ' in every variant' : ''
      const message = `\`${field}\` is server-owned, but the payload does not declare it${everywhere}.`
      const next = 'Declare it as a direct field of the payload.'
      diagnostics.push(unknownNameAt(locations.ofField(field), 'TG2030', message, field, known, next))
    }
    if (!metaFields.includes(from) && !/^labels\..+$/s.test(from)) {
      const message = `\`${field}\` is filled from \`${from}\`, which is no field of a call's meta.`
      const next = `Take one of ${metaFields.join(', ')} or labels.NAME.`
      diagnostics.push(unknownNameAt(locations.ofSource(field), 'TG2031', message, from, metaFields, next))
    }
  }
  return { fields, isDeclared: fields.length === Object.keys(owned).length, diagnostics }
}

/** Checks whether a payload is an object, or a union whose every variant is one. */
export function isObjectPayload(payload: Schema, defs: Defs): boolean {
  const isObject = (shape: Shape): boolean => {
    const resolved = resolveShape(shape, defs)
    if (resolved.kind === 'union') return resolved.variants.every(isObject)
    if (resolved.kind === 'intersection') return resolved.parts.every(isObject)
    return resolved.kind === 'object'
  }
  return isObject(shapeOf(payload, defs))
}
