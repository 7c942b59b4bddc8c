import type { Listed } from '../types/codec.js'
import type { JsonValue } from '../types/json.js'
import type { Admitted } from './admitted.js'
import { Choices } from './choices.js'
import type { Run, Site } from './evaluation.js'
import { wrongLiteralMessage } from './issue-messages.js'
import { boundedReceived } from './issues.js'
import { cloneJson, deepEqual, equalityKey, freezeJson, isContainer } from './json-values.js'
import { asJson, isJson, literalsOf } from './keywords.js'
import { either, kindInWords, quotedList } from './wording.js'

/** True if a value is one of the allowed ones. */
export type LiteralTest = (value: unknown) => boolean

/** Prepares `const` and `enum`: equality as JSON sees it. */
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
  // The prepared list is used, unless the nearest value was added to it.
  return run.report(facts, undefined, facts.more === undefined ? wrongLiteralMessage(facts, choices.words) : undefined)
}

/** Literals as issues list them: frozen, and apart from the schema, which is its author's. */
export function literalChoices(literals: readonly JsonValue[]): Choices {
  return new Choices(asJson(literals.map((literal) => freezeJson(cloneJson(literal)))) ?? [])
}

/** Returns the facts of a value that is not allowed. */
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
  // Written out: nearly all lists are short.
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

/** Returns a test whose cost does not grow with the number of allowed values. */
export function literalTest(allowed: readonly JsonValue[]): LiteralTest {
  const [only] = allowed
  if (allowed.length === 1) return isContainer(only) ? (value) => deepEqual(only, value) : (value) => value === only
  const literals = new LiteralSet(allowed)
  return (value) => literals.has(value)
}

/** The allowed value that was probably meant: another spelling, or the same written as another kind. */
function nearestLiteral(choices: Choices, received: unknown, run: Run): JsonValue | undefined {
  if (isContainer(received)) return undefined
  const sameText = choices.writtenAs(String(received))
  return sameText !== undefined || typeof received !== 'string' ? sameText : run.nearest(received, choices)
}

/** Short facts about a valid value of a field. */
export interface ExpectedFacts {
  /** In a few words: `a string`, `one of "a", "b"`. */
  readonly expected?: string
  readonly allowed?: readonly JsonValue[]
  readonly more?: number
}

/** Says what a field must hold that is not there; its `format`, where texts of it have one. */
export function expectedFacts({ literals, kinds }: Admitted, format?: string): ExpectedFacts {
  const choices = literals && literalChoices(literals)
  if (choices !== undefined && choices.all.length > 0) {
    const words = quotedList(choices.all)
    return { expected: choices.all.length === 1 ? words : `one of ${words}`, ...choices.listed() }
  }
  return kinds === undefined || kinds.length === 0
    ? {}
    : { expected: either(kinds.map((kind) => kindInWords(kind, format))) }
}

/**
 * A set of JSON values with JSON's equality. A lookup takes time linear in the size of the value, however many values
 * the set has: arrays and objects are found by their canonical text.
 */
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
    // A typed value has the key of the text that it travels as, and equals no text.
    return this.#containers.get(equalityKey(value))?.some((other) => deepEqual(other, value)) === true
  }
}
