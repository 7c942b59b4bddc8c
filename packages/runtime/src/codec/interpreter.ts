import type { Decoded, Encoded } from '../contract/codec.js'
import type { Issue } from '../contract/issue.js'
import type { JsonSchema, JsonText } from '../contract/json.js'
import type { Gates } from './evaluate/gates.js'
import { readDocument } from './evaluate/prepare.js'
import { Run } from './evaluate/run.js'
import { type Trace, traceFor } from './evaluate/trace.js'
import { reportUndeclared, traceOfJoint } from './evaluate/undeclared.js'
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

/** What was found out about a value. */
interface Checked {
  readonly trace: Trace | undefined
  readonly issues: readonly Issue[]
}

/** A prepared schema: checks values that the codec owns, and makes of them what is decoded or encoded. */
export interface Interpreter {
  /**
   * The issues of plain JSON, which stays as it is; what gates accept is not looked into. None where it is valid, and where
   * it takes a whole `decode` to find them.
   */
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
  const document = readDocument(schema, gates)
  const root = document.node(document.index.root)
  const completion = { defaults: new Defaults(), keepsUnknown: unknown === 'keep' }

  function check({ value, faulty }: Owned, onlyIssues = false): Checked {
    const sent = takeServerOwned(value, serverOwned)
    // A typed value that was decoded comes back by the variants that its text took. Where that does not do, e.g. where
    // it is also a plain text by an earlier variant, the variants that name its type come first.
    const asText = checkOnce({ value, faulty }, sent, { onlyIssues, judgesTypes: false })
    if (asText.issues.length === 0 || !faulty || !document.index.typed) return asText
    return checkOnce({ value, faulty }, sent, { onlyIssues, judgesTypes: true })
  }

  function checkOnce(
    { value, faulty }: Owned,
    sent: readonly string[],
    { onlyIssues, judgesTypes }: { readonly onlyIssues: boolean; readonly judgesTypes: boolean },
  ): Checked {
    const run = new Run({ faulty, rejectsUnknown: unknown === 'reject', onlyIssues, judgesTypes })
    for (const name of sent) run.report({ constraint: 'server_owned_field', field: name }, { name })
    const trace = onlyIssues ? traceOfJoint(value, root, run) : traceOfAll(value)
    root.check(value, run, trace)
    if (run.postponed.isOver) return { trace, issues: [] }
    if (onlyIssues) run.postponed.report(run.path)
    else if (unknown === 'reject' && trace !== undefined) reportUndeclared(value, trace, run)
    if (faulty) reportUnwritable(value, trace, run, unknown === 'keep')
    return { trace, issues: run.exhaustedAt === undefined ? run.issues.closed('') : [tooDeep(run.exhaustedAt)] }
  }

  function traceOfAll(value: unknown): Trace | undefined {
    return isContainer(value) || root.typed ? traceFor(value) : undefined
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

/** Takes out the fields that the sender must not give, so that nothing else is said about them; their names. */
function takeServerOwned(value: unknown, serverOwned: readonly string[]): readonly string[] {
  if (!isFields(value) || value instanceof Unwritable) return []
  const sent = serverOwned.filter((name) => Object.hasOwn(value, name))
  for (const name of sent) Reflect.deleteProperty(value, name)
  return sent
}

function tooDeep(maximum: number): Issue {
  return makeIssue({ constraint: 'too_deep', maximum }, { path: '' })
}
