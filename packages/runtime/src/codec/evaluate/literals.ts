import type { JsonValue } from '../../contract/json.js'
import { nearestNames } from '../issues/nearest.js'
import { deepEqual } from '../json/deep-equal.js'
import { isContainer } from '../json/kind.js'
import { keyword, listKeyword } from './keywords.js'
import type { Run } from './run.js'
import type { Site } from './site.js'

/** Whether a value is one of the allowed ones. */
export type LiteralTest = (value: unknown) => boolean

/** Prepares `const` and `enum`: equality as JSON sees it. */
export function prepareLiterals(site: Site): ((value: unknown, run: Run) => boolean) | undefined {
  const allowed = literalsOf(site)
  if (allowed === undefined) return undefined
  const isAllowed = literalTest(allowed)
  return (value, run) => isAllowed(value) || (!run.quiet && run.report(enumFacts(allowed, value)))
}

/** The values that `const` and `enum` of a schema allow; `undefined`: all. */
export function literalsOf(place: Pick<Site, 'schema' | 'pointer'>): readonly JsonValue[] | undefined {
  const only = keyword(place.schema, 'const')
  const listed = listKeyword(place, 'enum')
  if (only === undefined) return asJson(listed)
  return asJson(listed === undefined || listed.some((value) => deepEqual(value, only)) ? [only] : [])
}

/** The facts of a value that is none of the allowed ones. */
export function enumFacts(
  allowed: readonly JsonValue[],
  received: unknown,
): { constraint: 'invalid_enum_value'; allowed: readonly JsonValue[]; received: JsonValue; nearest?: JsonValue } {
  const nearest = nearestLiteral(allowed, received)
  return {
    constraint: 'invalid_enum_value',
    allowed,
    received: asJson([received])?.[0] ?? null,
    ...(nearest === undefined ? {} : { nearest }),
  }
}

/** A test that is fast for texts, numbers and the like, and deep for others. */
export function literalTest(allowed: readonly JsonValue[]): LiteralTest {
  const [only] = allowed
  if (allowed.length === 1 && !isContainer(only)) return (value) => value === only
  const scalars = new Set<unknown>(allowed.filter((value) => !isContainer(value)))
  const containers = allowed.filter(isContainer)
  return (value) => (isContainer(value) ? containers.some((item) => deepEqual(item, value)) : scalars.has(value))
}

/** The allowed value that was probably meant: another spelling, or the same written as another kind. */
function nearestLiteral(allowed: readonly JsonValue[], received: unknown): JsonValue | undefined {
  if (isContainer(received)) return undefined
  const sameText = allowed.find((value) => !isContainer(value) && String(value) === String(received))
  if (sameText !== undefined || typeof received !== 'string') return sameText
  const texts = allowed.filter((value) => typeof value === 'string')
  return nearestNames(received, texts, 1)[0]
}

/** The values of a schema are JSON, and so is what is decoded. */
function asJson(values: readonly unknown[] | undefined): readonly JsonValue[] | undefined {
  return values?.filter((value): value is JsonValue => value !== undefined)
}
