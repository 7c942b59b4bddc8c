import type { Decoded, Encoded, Issue } from '../types/codec.js'
import type { JsonSchema, JsonText } from '../types/json.js'
import {
  ArrayTrace,
  type Fallback,
  isKnownField,
  ObjectTrace,
  pathItem,
  Run,
  reportUndeclared,
  ScalarTrace,
  type Trace,
  traceFor,
  traceOfJoint,
} from './evaluation.js'
import { makeIssue } from './issues.js'
import type { Segment } from './json-pointer.js'
import { cloneJson, type Fields, isContainer, isFields, setOwn } from './json-values.js'
import { SchemaError } from './keywords.js'
import { readDocument } from './prepare.js'
import type { Gates } from './references.js'
import { canonicalWireText, isTyped, typedFromText, typedText } from './typed-values.js'
import { type Owned, TypedPart, Unwritable } from './unwritable.js'

export type UnknownFields = 'reject' | 'strip' | 'keep'

export interface InterpreterOptions {
  readonly schema: JsonSchema
  readonly serverOwned: readonly string[]
  readonly unknown: UnknownFields
}

interface CheckOptions {
  readonly onlyIssues?: boolean
  readonly isAccepted?: boolean | undefined
}

interface Checked {
  readonly trace: Trace | undefined
  readonly issues: readonly Issue[]
}

export interface Interpreter {
  /**
   * Does not change the value, which must be plain JSON. For a value with thousands of objects, may return an empty array although the value is
   * invalid. Call `decode` to find the issues of such a value.
   */
  issues(value: unknown): readonly Issue[]
  /** @param isAccepted true if a generated type guard accepted the value, which is then valid and has no fields to remove */
  decode(owned: Owned, isAccepted?: boolean): Decoded<unknown>
  encode(owned: Owned): Decoded<JsonText>
  decodeAndEncode(owned: Owned): Encoded<unknown>
}

export function prepareInterpreter({ schema, serverOwned, unknown }: InterpreterOptions, gates?: Gates): Interpreter {
  const document = readDocument(schema, gates && { gates })
  const root = document.node(document.index.root)
  const completion = { defaults: new Defaults(), keepsUnknown: unknown === 'keep' }

  function check({ value, hasUnwritable }: Owned, options: CheckOptions = {}): Checked {
    const sent = takeServerOwned(value, serverOwned)
    // A typed value (`Date`, bigint, bytes) is first checked in its string form, so that encoding selects the same
    // variants as decoding. This check can fail, for example because an earlier variant is a plain string. A second
    // check then begins with the variants that name the JavaScript type.
    const asText = checkOnce({ value, hasUnwritable }, sent, options)
    if (asText.issues.length === 0 || !hasUnwritable || !document.index.typed) return asText
    return checkOnce({ value, hasUnwritable }, sent, { ...options, judgesTypes: true })
  }

  function checkOnce(
    { value, hasUnwritable }: Owned,
    sent: readonly string[],
    { onlyIssues = false, isAccepted = false, judgesTypes = false }: CheckOptions & { readonly judgesTypes?: boolean },
  ): Checked {
    const run = new Run({ hasUnwritable, rejectsUnknown: unknown === 'reject', onlyIssues, isAccepted, judgesTypes })
    for (const name of sent) run.report({ constraint: 'server_owned_field', field: name }, { name })
    const trace = onlyIssues ? traceOfJoint(value, root, run) : traceOfAll(value)
    root.check(value, run, trace)
    if (run.postponed.isOver) return { trace, issues: [] }
    if (onlyIssues) run.postponed.report(run.path)
    else if (unknown === 'reject' && !isAccepted && trace !== undefined) reportUndeclared(value, trace, run)
    if (hasUnwritable) reportUnwritable(value, trace, run, unknown === 'keep')
    if (run.exhaustedAt === undefined) return { trace, issues: run.issues.closed('') }
    return { trace, issues: [makeIssue({ constraint: 'too_deep', maximum: run.exhaustedAt }, { path: '' })] }
  }

  function traceOfAll(value: unknown): Trace | undefined {
    return isContainer(value) || root.typed ? traceFor(value) : undefined
  }

  return {
    issues: (value) => {
      const hasServerOwned = isFields(value) && serverOwned.some((name) => Object.hasOwn(value, name))
      return check({ value: hasServerOwned ? { ...value } : value, hasUnwritable: false }, { onlyIssues: true }).issues
    },
    decode: (owned, isAccepted) => {
      const { trace, issues } = check(owned, { isAccepted })
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
      // The input is valid, so the result with defaults and without undeclared fields needs no second check.
      return { ok: true, value, json: canonicalText(value, trace, unknown === 'keep') }
    },
  }
}

function takeServerOwned(value: unknown, serverOwned: readonly string[]): readonly string[] {
  if (!isFields(value) || value instanceof Unwritable) return []
  const sent = serverOwned.filter((name) => Object.hasOwn(value, name))
  for (const name of sent) Reflect.deleteProperty(value, name)
  return sent
}

function canonicalText(value: unknown, trace: Trace | undefined, keepsUnknown: boolean): JsonText {
  if (trace instanceof ObjectTrace && isFields(value)) {
    const fields = canonicalKeys(value, trace, keepsUnknown).map(
      (key) => `${JSON.stringify(key)}:${canonicalText(value[key], trace.children?.get(key), keepsUnknown)}`,
    )
    return `{${fields.join(',')}}`
  }
  if (trace instanceof ArrayTrace && Array.isArray(value) && trace.children !== undefined) {
    const items = value.map((item, index) => canonicalText(item, trace.children?.get(index), keepsUnknown))
    return `[${items.join(',')}]`
  }
  return JSON.stringify(trace instanceof ScalarTrace ? wireText(value, trace) : value)
}

function wireText(value: unknown, { type }: ScalarTrace): unknown {
  if (isTyped(value)) return typedText(value)
  const text = value instanceof TypedPart ? value.text : value
  return type === undefined || typeof text !== 'string' ? text : canonicalWireText(type, text)
}

function canonicalKeys(value: Fields, trace: ObjectTrace, keepsUnknown: boolean): readonly string[] {
  const keys = new Set<string>()
  for (const { fields } of trace.tables) {
    for (const { name } of fields) if (Object.hasOwn(value, name)) keys.add(name)
  }
  for (const key of Object.keys(value)) if (keepsUnknown || isKnownField(trace, key)) keys.add(key)
  return [...keys]
}

function reportUnwritable(value: unknown, trace: Trace | undefined, run: Run, keepsUnknown: boolean): void {
  if (value instanceof Unwritable) {
    const isTyped = value instanceof TypedPart && trace instanceof ScalarTrace && trace.type === value.type
    if (isTyped) return
    // The issue is reported at the top-level field: the full pointer would have hundreds of segments.
    const hidden = value.facts.constraint === 'too_deep' ? run.path.splice(1) : []
    run.report(value.facts)
    run.path.push(...hidden)
  } else if (Array.isArray(value)) {
    const children = trace instanceof ArrayTrace ? trace.children : undefined
    for (const [index, item] of value.entries()) below(item, index, children?.get(index), run, keepsUnknown)
  } else if (isFields(value)) {
    const known = trace instanceof ObjectTrace ? trace : undefined
    for (const key of Object.keys(value)) {
      if (known !== undefined && !keepsUnknown && !isKnownField(known, key)) continue
      below(value[key], key, known?.children?.get(key), run, keepsUnknown)
    }
  }
}

function below(part: unknown, key: Segment, trace: Trace | undefined, run: Run, keepsUnknown: boolean): void {
  run.path.push(pathItem(key))
  reportUnwritable(part, trace, run, keepsUnknown)
  run.path.pop()
}

interface Completion {
  readonly defaults: Defaults
  readonly keepsUnknown: boolean
}

function decodedValue(value: unknown, trace: Trace | undefined, completion: Completion): unknown {
  if (trace instanceof ObjectTrace && isFields(value)) return decodedFields(value, trace, completion)
  if (trace instanceof ArrayTrace && Array.isArray(value) && trace.children !== undefined) {
    return value.map((item, index) => decodedValue(item, trace.children?.get(index), completion))
  }
  if (!(trace instanceof ScalarTrace) || trace.type === undefined) return value
  const text = value instanceof TypedPart ? value.text : value
  return typeof text === 'string' ? typedFromText(trace.type, text) : value
}

function decodedFields(input: Fields, trace: ObjectTrace, completion: Completion): unknown {
  const decoded: Record<string, unknown> = {}
  for (const table of trace.tables) {
    const hasDefaults = trace.hasDefaults(table)
    for (const { name, fallback } of table.fields) {
      if (Object.hasOwn(decoded, name)) continue
      if (Object.hasOwn(input, name)) {
        setOwn(decoded, name, decodedValue(input[name], trace.children?.get(name), completion))
      } else if (hasDefaults && fallback !== undefined) {
        const computed = completion.defaults.of(fallback, (part, found) => decodedValue(part, found, completion))
        if (computed === undefined) continue
        setOwn(decoded, name, computed.value)
        // The trace of the default has the JavaScript types that serialization needs.
        if (computed.trace !== undefined) trace.adopt(name, computed.trace)
      }
    }
  }
  for (const key of Object.keys(input)) {
    if (Object.hasOwn(decoded, key) || !(completion.keepsUnknown || isKnownField(trace, key))) continue
    setOwn(decoded, key, decodedValue(input[key], trace.children?.get(key), completion))
  }
  return decoded
}

type Computed = { readonly value: unknown; readonly trace: Trace | undefined } | undefined

class Defaults {
  readonly #computed: Map<Fallback, Computed> = new Map()
  readonly #active: Set<Fallback> = new Set()

  of(fallback: Fallback, complete: (value: unknown, trace: Trace | undefined) => unknown): Computed {
    if (!this.#computed.has(fallback)) this.#computed.set(fallback, this.#compute(fallback, complete))
    const computed = this.#computed.get(fallback)
    return computed === undefined ? undefined : { value: cloneJson(computed.value), trace: computed.trace }
  }

  #compute(fallback: Fallback, complete: Parameters<Defaults['of']>[1]): Computed {
    const { node } = fallback
    if (this.#active.has(fallback)) {
      const problem = 'the default contains itself through the defaults of its fields.'
      throw new SchemaError(`${node.pointer}/default`, problem)
    }
    const value = cloneJson(fallback.value)
    const trace = isContainer(value) || node.typed ? traceFor(value) : undefined
    const run = new Run({ hasUnwritable: false, rejectsUnknown: false })
    run.quiet = true
    if (!node.check(value, run, trace)) return undefined
    this.#active.add(fallback)
    try {
      return { value: complete(value, trace), trace }
    } finally {
      this.#active.delete(fallback)
    }
  }
}
