import type { Listed } from '../../contract/issue.js'
import type { JsonValue } from '../../contract/json.js'
import { Choices } from '../issues/choices.js'
import { wrongLiteralMessage } from '../issues/message.js'
import { boundedReceived } from '../issues/received.js'
import { cloneJson } from '../json/clone.js'
import { deepEqual } from '../json/deep-equal.js'
import { freezeJson } from '../json/freeze.js'
import { isContainer } from '../json/kind.js'
import { LiteralSet } from '../json/literal-set.js'
import { filledListKeyword, keyword } from './keywords.js'
import type { Run } from './run.js'
import type { Site } from './site.js'

/** Whether a value is one of the allowed ones. */
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

/** Reports a value that is none of the allowed ones. */
export function reportWrongLiteral(choices: Choices, value: unknown, run: Run): false {
  if (run.quiet) return false
  const facts = enumFacts(choices, value, run)
  // What is listed is as prepared, unless the nearest one had to be put among it.
  return run.report(facts, undefined, facts.more === undefined ? wrongLiteralMessage(facts, choices.words) : undefined)
}

/** The values that `const` and `enum` of a schema allow; `undefined`: all. */
export function literalsOf(place: Pick<Site, 'schema' | 'pointer'>): readonly JsonValue[] | undefined {
  const only = keyword(place.schema, 'const')
  const listed = filledListKeyword(place, 'enum')
  if (only === undefined) return asJson(listed)
  return asJson(listed === undefined || listed.some((value) => deepEqual(value, only)) ? [only] : [])
}

/** Literals as issues list them: frozen, and apart from the schema, which is its author's. */
export function literalChoices(literals: readonly JsonValue[]): Choices {
  return new Choices(asJson(literals.map((literal) => freezeJson(cloneJson(literal)))) ?? [])
}

/** The facts of a value that is none of the allowed ones. */
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

/** The values of a schema are JSON, and so is what is decoded. */
function asJson(values: readonly unknown[] | undefined): readonly JsonValue[] | undefined {
  return values?.filter(isJson)
}

function isJson(value: unknown): value is JsonValue {
  return value !== undefined
}
