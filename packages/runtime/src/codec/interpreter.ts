import type { Decoded, Encoded } from '../contract/codec.js'
import type { Issue } from '../contract/issue.js'
import type { JsonSchema, JsonText } from '../contract/json.js'
import type { Gates } from './evaluate/gates.js'
import { prepareSchema } from './evaluate/prepare.js'
import { Run } from './evaluate/run.js'
import { type Trace, traceFor } from './evaluate/trace.js'
import { reportUndeclared } from './evaluate/undeclared.js'
import { makeIssue } from './issues/make-issue.js'
import { type Fields, isContainer, isFields } from './json/kind.js'
import { type Owned, Unwritable } from './json/unwritable.js'
import { canonicalText } from './shape/canonical-text.js'
import { decodedValue } from './shape/decoded.js'
import { Defaults } from './shape/defaults.js'
import { reportUnwritable } from './shape/unwritable-parts.js'

/** What becomes of fields that no schema declares: they are issues, they are left out, or they stay. */
export type UnknownFields = 'reject' | 'drop' | 'keep'

/** What values are checked against. */
export interface InterpreterOptions {
  readonly schema: JsonSchema
  readonly serverOwned: readonly string[]
  readonly unknown: UnknownFields
}

/** A prepared schema: checks values that the codec owns, and makes of them what is decoded or encoded. */
export interface Interpreter {
  /** The issues of plain JSON, which stays as it is; what gates accept is not looked into. */
  faults(value: unknown): readonly Issue[]
  decode(owned: Owned): Decoded<unknown>
  encode(owned: Owned): Decoded<JsonText>
  decodeAndEncode(owned: Owned): Encoded<unknown>
}

/**
 * Prepares a schema.
 *
 * @param gates generated checks of objects inside, by the pointers of their schemas
 * @throws {SchemaError}
 */
export function prepareInterpreter({ schema, serverOwned, unknown }: InterpreterOptions, gates?: Gates): Interpreter {
  const root = prepareSchema(schema, gates)
  const completion = { defaults: new Defaults(), keepsUnknown: unknown === 'keep' }

  function check(
    { value, faulty }: Owned,
    isGated = false,
  ): { readonly trace: Trace | undefined; readonly issues: readonly Issue[] } {
    const run = new Run({ faulty, rejectsUnknown: unknown === 'reject', isGated })
    takeServerOwned(value, serverOwned, run)
    const trace = isContainer(value) || root.typed ? traceFor(value) : undefined
    root.check(value, run, trace)
    if (unknown === 'reject' && trace !== undefined) reportUndeclared(value, trace, run)
    if (faulty) reportUnwritable(value, trace, run, unknown === 'keep')
    return { trace, issues: run.exhaustedAt === undefined ? run.issues.closed('') : [tooDeep(run.exhaustedAt)] }
  }

  return {
    faults: (value) => check({ value: hasAny(value, serverOwned) ? { ...value } : value, faulty: false }, true).issues,
    decode: (owned) => {
      const { trace, issues } = check(owned)
      if (issues.length > 0) return { ok: false, issues }
      return { ok: true, value: decodedValue(owned.value, trace, completion) }
    },
    encode: (owned) => {
      const { trace, issues } = check(owned)
      if (issues.length > 0) return { ok: false, issues }
      return { ok: true, value: canonicalText(owned.value, trace, unknown === 'keep') }
    },
    decodeAndEncode: (owned) => {
      const { trace, issues } = check(owned)
      if (issues.length > 0) return { ok: false, issues }
      const value = decodedValue(owned.value, trace, completion)
      // What was checked is the given value: what defaults and drops made of it need not pass a second time.
      return { ok: true, value, json: canonicalText(value, trace, unknown === 'keep') }
    },
  }
}

function hasAny(value: unknown, names: readonly string[]): value is Fields {
  return names.length > 0 && isFields(value) && names.some((name) => Object.hasOwn(value, name))
}

/** Reports fields that the sender must not give, and takes them out, so that nothing else is said about them. */
function takeServerOwned(value: unknown, serverOwned: readonly string[], run: Run): void {
  if (!isFields(value) || value instanceof Unwritable) return
  for (const name of serverOwned) {
    if (!Object.hasOwn(value, name)) continue
    run.report({ constraint: 'server_owned_field', field: name }, { name })
    Reflect.deleteProperty(value, name)
  }
}

function tooDeep(maximum: number): Issue {
  return makeIssue({ constraint: 'too_deep', maximum }, { path: '' })
}
