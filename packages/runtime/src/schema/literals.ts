import type { Listed } from '../types/codec.js'
import type { JsonValue } from '../types/json.js'
import type { AllowedValues } from './allowed-values.js'
import { Choices } from './choices.js'
import type { Run, Site } from './evaluation.js'
import { wrongLiteralMessage } from './issue-messages.js'
import { boundedReceived } from './issues.js'
import { cloneJson, deepEqual, equalityKey, freezeJson, isContainer } from './json-values.js'
import { asJson, isJson, literalsOf } from './keywords.js'
import { either, kindInWords, quotedList } from './wording.js'

export type LiteralTest = (value: unknown) => boolean

export function prepareLiterals(site: Site): ((value: unknown, run: Run) => boolean) | undefined {
  const allowed = literalsOf(site)
  if (allowed === undefined) return undefined
  const isAllowed = literalTest(allowed)
  if (allowed.length === 0) return (_value, run) => run.report({ constraint: 'not_allowed' })
  const choices = literalChoices(allowed)
  return (value, run) => isAllowed(value) || reportWrongLiteral(choices, value, run)
}

export function reportWrongLiteral(choices: Choices, value: unknown, run: Run): false {
  if (run.quiet) return false
  const facts = enumFacts(choices, value, run)
  const { constraint, allowed, more, received, receivedLength, nearest } = facts
  if (more !== undefined || receivedLength !== undefined || nearest !== undefined) return run.report(facts)
  // The usual case is written without a copy, which is faster.
  const message = wrongLiteralMessage(facts, choices.words)
  return run.add({ path: run.pointer, constraint, allowed, received, message }, run.about)
}

/** Freezes copies of the values, so that code which changes an issue cannot change the schema. */
export function literalChoices(literals: readonly JsonValue[]): Choices {
  return new Choices(asJson(literals.map((literal) => freezeJson(cloneJson(literal)))) ?? [])
}

export function enumFacts(
  choices: Choices,
  value: unknown,
  run: Run,
): Listed<JsonValue> & {
  constraint: 'invalid_enum_value'
  received: JsonValue
  receivedLength?: number
  nearest?: JsonValue
} {
  const nearest = nearestLiteral(choices, value, run)
  const { received, receivedLength } = boundedReceived(isJson(value) ? value : null)
  const listed = choices.listed(nearest)
  const constraint = 'invalid_enum_value'
  // The usual case is written without a spread, which is faster.
  if (listed.more === undefined && nearest === undefined && receivedLength === undefined) {
    return { constraint, allowed: listed.allowed, received }
  }
  return {
    constraint,
    ...listed,
    received,
    ...(receivedLength === undefined ? {} : { receivedLength }),
    ...(nearest === undefined ? {} : { nearest }),
  }
}

export function literalTest(allowed: readonly JsonValue[]): LiteralTest {
  const [only] = allowed
  if (allowed.length === 1) return isContainer(only) ? (value) => deepEqual(only, value) : (value) => value === only
  const literals = new LiteralSet(allowed)
  return (value) => literals.has(value)
}

function nearestLiteral(choices: Choices, received: unknown, run: Run): JsonValue | undefined {
  if (isContainer(received)) return undefined
  const sameText = choices.writtenAs(String(received))
  return sameText !== undefined || typeof received !== 'string' ? sameText : run.nearest(received, choices)
}

export interface ExpectedFacts {
  readonly expected?: string
  readonly allowed?: readonly JsonValue[]
  readonly more?: number
}

export function expectedFacts({ literals, kinds }: AllowedValues, format?: string): ExpectedFacts {
  const choices = literals && literalChoices(literals)
  if (choices !== undefined && choices.all.length > 0) {
    const words = quotedList(choices.all)
    return { expected: choices.all.length === 1 ? words : `one of ${words}`, ...choices.listed() }
  }
  return kinds === undefined || kinds.length === 0
    ? {}
    : { expected: either(kinds.map((kind) => kindInWords(kind, format))) }
}

/** Set of values that are compared as JSON. The time of a lookup does not depend on the size of the set. */
export class LiteralSet {
  readonly #scalars: Set<unknown> = new Set()
  readonly #containers: Map<string, unknown[]> = new Map()

  constructor(values: Iterable<unknown>) {
    for (const value of values) {
      if (!isContainer(value)) {
        this.#scalars.add(value)
        continue
      }
      const key = equalityKey(value)
      const known = this.#containers.get(key)
      if (known === undefined) this.#containers.set(key, [value])
      else if (!known.some((other) => deepEqual(other, value))) known.push(value)
    }
  }

  has(value: unknown): boolean {
    if (!isContainer(value)) return this.#scalars.has(value)
    if (this.#containers.size === 0) return false
    // A typed value has the same key as its string form but does not equal it, so `deepEqual` decides.
    return this.#containers.get(equalityKey(value))?.some((other) => deepEqual(other, value)) === true
  }
}
