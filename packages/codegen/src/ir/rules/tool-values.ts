import type { Diagnostic, SourcePlace } from '../../diagnostics/diagnostic.js'
import type { Json, Schema } from '../../schema/json/json-schema.js'
import { toJson } from '../../schema/json/to-json.js'
import { type CheckValue, type ValueFault, valueChecker } from '../../schema/values/check-value.js'
import { timelyPattern } from '../../schema/values/timely-pattern.js'
import { typedValue, wireValue } from '../../schema/values/typed-value.js'
import type { OriginalCheck } from './original-check.js'

/** Tests the values that a toolset's design gives. */
export interface ToolsetChecks {
  /** For arguments: an object has no fields but those it declares. */
  readonly sent: CheckValue
  readonly returned: CheckValue
  /** The definitions to which the toolset's schemas refer. */
  readonly defs: Readonly<Record<string, Schema>>
}

/** The checks of a toolset. */
export function toolsetChecks(defs: Readonly<Record<string, Schema>>): ToolsetChecks {
  return {
    sent: valueChecker(defs, 'refuse', timelyPattern),
    returned: valueChecker(defs, 'allow', timelyPattern),
    defs,
  }
}

/** A value of the design as JSON that fits its schema; `json` is absent when it does not. */
export interface CheckedValue {
  readonly json?: Json
  readonly diagnostics: readonly Diagnostic[]
}

/** Checks an example of a tool's arguments. */
export function checkExample(
  value: unknown,
  at: {
    readonly number: number
    readonly tool: string
    readonly place: SourcePlace
    readonly owned: readonly string[]
  },
  schema: Schema,
  checks: Pick<ToolsetChecks, 'sent' | 'defs'> & { readonly original: OriginalCheck | undefined },
): CheckedValue {
  const what = `Example ${at.number} of \`${at.tool}\``
  const copied = toJson(wireValue(value, schema, checks.defs))
  if (!copied.ok) return { diagnostics: [misfit('TG2050', what, [{ pointer: '', message: copied.message }], at.place)] }
  const json = copied.json
  const said = checks.sent(schema, json).map((fault) => withOwner(fault, at.owned))
  // What the JSON Schema refuses, the library would only refuse once more.
  const faults = said.length > 0 ? said : (checks.original?.(typedValue(json, schema, checks.defs, value)) ?? [])
  return faults.length === 0 ? { json, diagnostics: [] } : { diagnostics: [misfit('TG2050', what, faults, at.place)] }
}

/** Checks the result of a declined call. */
export function checkDeniedResult(
  value: unknown,
  at: { readonly tool: string; readonly place: SourcePlace },
  schema: Schema,
  checks: Pick<ToolsetChecks, 'returned' | 'defs'>,
): CheckedValue {
  const what = `The denied result of \`${at.tool}\``
  const copied = toJson(wireValue(value, schema, checks.defs))
  if (!copied.ok) return { diagnostics: [misfit('TG2051', what, [{ pointer: '', message: copied.message }], at.place)] }
  const faults = checks.returned(schema, copied.json)
  return faults.length === 0
    ? { json: copied.json, diagnostics: [] }
    : { diagnostics: [misfit('TG2051', what, faults, at.place)] }
}

function withOwner(fault: ValueFault, owned: readonly string[]): ValueFault {
  const field = owned.find((name) => fault.message === `there is no field \`${name}\``)
  return field === undefined || fault.pointer !== ''
    ? fault
    : { pointer: '', message: `the field \`${field}\` is server-owned, nobody sends it` }
}

function misfit(
  code: 'TG2050' | 'TG2051',
  what: string,
  faults: readonly ValueFault[],
  place: SourcePlace,
): Diagnostic {
  const [first, ...others] = faults.map(({ pointer, message }) => (pointer === '' ? message : `${pointer} ${message}`))
  return {
    code,
    severity: 'error',
    message: `${what} does not fit its schema: ${ended(first ?? '')}`,
    place,
    next: 'Correct the value, or the schema.',
    ...(others.length === 0 ? {} : { related: others.slice(0, 9).map((message) => ({ message: ended(message) })) }),
  }
}

/** A library's own message may bring its full stop. */
function ended(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`
}
