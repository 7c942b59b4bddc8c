import type { Issue, JsonKind } from '../types/codec.js'
import type { NumberCheck, Run, Site } from './evaluation.js'
import { formats } from './formats.js'
import { rangeProblem, rangeWords, wrongKindMessage } from './issue-messages.js'
import { kindOf } from './json-values.js'
import { countKeyword, keyword, kindsOf, literalsOf, numberKeyword, SchemaError } from './keywords.js'
import { literalTest } from './literals.js'
import { expectedKinds } from './wording.js'

/** Constraints are stored as data, because a test of data is several times faster than a function call for each keyword. */
export class ScalarRule {
  readonly #isNullable: boolean
  readonly #allowsBooleans: boolean
  readonly #isInteger: boolean
  // If strings (or numbers) are not allowed, or this class cannot test them, the bounds exclude all strings (or numbers).
  readonly #shortest: number
  readonly #longest: number
  readonly #least: number
  readonly #most: number
  readonly #test: ((value: unknown) => boolean) | undefined

  /** @param site schema without keywords for arrays and objects */
  constructor(site: Site) {
    const kinds = kindsOf(site)
    const literals = literalsOf(site)
    const has = (name: string): boolean => keyword(site.schema, name) !== undefined
    const allows = (kind: JsonKind): boolean => kinds === undefined || kinds.includes(kind)
    const format = formats.get(String(keyword(site.schema, 'format')))
    const isText = allows('string') && !has('pattern') && (literals === undefined || format === undefined)
    const isNumber = (allows('number') || allows('integer')) && literals === undefined
    const isUnusual = has('exclusiveMinimum') || has('exclusiveMaximum') || has('multipleOf')
    this.#isNullable = allows('null') && literals === undefined
    this.#allowsBooleans = allows('boolean') && literals === undefined
    this.#isInteger = !allows('number')
    // A code point has one or two code units.
    this.#shortest = 2 * (countKeyword(site, 'minLength') ?? 0) - 1
    this.#longest = isText ? (countKeyword(site, 'maxLength') ?? Number.POSITIVE_INFINITY) : -1
    this.#least = numberKeyword(site, 'minimum') ?? Number.NEGATIVE_INFINITY
    this.#most = isNumber && !isUnusual ? (numberKeyword(site, 'maximum') ?? Number.POSITIVE_INFINITY) : Number.NaN
    this.#test = literals === undefined ? format : literalTest(literals)
  }

  /** Returns false also for some valid values. The check of the schema must then decide. */
  fits(value: unknown): boolean {
    switch (typeof value) {
      case 'string':
        if (value.length > this.#longest || value.length < this.#shortest) return false
        return this.#test === undefined || this.#test(value)
      case 'number':
        return value >= this.#least && value <= this.#most && (!this.#isInteger || Number.isInteger(value))
      case 'boolean':
        return this.#allowsBooleans
      default:
        return value === null && this.#isNullable
    }
  }
}

export function prepareType(site: Site): ((value: unknown, run: Run) => boolean) | undefined {
  const expected = kindsOf(site)
  if (expected === undefined) return undefined
  const test = kindTest(expected)
  const format = site.facts.format(site)
  const words = expectedKinds(expected, format)
  const constraint = 'invalid_type'
  const messages: { [Kind in JsonKind]?: string } = {}
  return (value, run) => {
    if (test(value)) return true
    if (run.quiet) return false
    const received = kindOf(value)
    const path = run.pointer
    messages[received] ??= wrongKindMessage(words, received)
    const message = messages[received]
    const issue: Issue =
      format === undefined
        ? { path, constraint, expected, received, message }
        : { path, constraint, expected, format, received, message }
    return run.add(issue, run.about)
  }
}

function kindTest(expected: readonly JsonKind[]): (value: unknown) => boolean {
  const tests = expected.map(testOf)
  const [only] = tests
  return tests.length === 1 && only !== undefined ? only : (value) => tests.some((test) => test(value))
}

function testOf(kind: JsonKind): (value: unknown) => boolean {
  switch (kind) {
    case 'string':
      return (value) => typeof value === 'string'
    case 'number':
      return (value) => typeof value === 'number'
    case 'boolean':
      return (value) => typeof value === 'boolean'
    case 'integer':
      return Number.isInteger
    case 'null':
      return (value) => value === null
    case 'array':
      return Array.isArray
    case 'object':
      return (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
  }
}

const boundNames = ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum', 'multipleOf'] as const

type Bounds = { [Name in (typeof boundNames)[number]]?: number }

export function prepareNumbers(site: Site): readonly NumberCheck[] {
  const bounds: Bounds = {}
  for (const name of boundNames) {
    const bound = numberKeyword(site, name)
    if (bound !== undefined) bounds[name] = bound
  }
  if (Object.keys(bounds).length === 0) return []
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = bounds
  if (multipleOf !== undefined && multipleOf <= 0) {
    throw new SchemaError(`${site.pointer}/multipleOf`, '`multipleOf` must be greater than 0.')
  }
  const least = minimum ?? Number.NEGATIVE_INFINITY
  const most = maximum ?? Number.POSITIVE_INFINITY
  const above = exclusiveMinimum ?? Number.NEGATIVE_INFINITY
  const below = exclusiveMaximum ?? Number.POSITIVE_INFINITY
  const problem = rangeProblem(rangeWords(bounds))
  return [
    (value, run) =>
      (value >= least &&
        value <= most &&
        value > above &&
        value < below &&
        (multipleOf === undefined || isMultipleOf(value, multipleOf))) ||
      (!run.quiet && run.add(rangeIssue(value, bounds, run.pointer, `${value}${problem}`), run.about)),
  ]
}

function rangeIssue(received: number, bounds: Bounds, path: string, message: string): Issue {
  const constraint = 'invalid_range'
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = bounds
  const isUsual = exclusiveMinimum === undefined && exclusiveMaximum === undefined && multipleOf === undefined
  // The usual bounds are written without a spread, which is several times faster.
  if (!isUsual || minimum === undefined) return { path, constraint, received, ...bounds, message }
  return maximum === undefined
    ? { path, constraint, received, minimum, message }
    : { path, constraint, received, minimum, maximum, message }
}

/** Returns whether `value` is a multiple of `step` in decimal arithmetic. For example, 0.3 is a multiple of 0.1, although `0.3 % 0.1` is not 0. */
export function isMultipleOf(value: number, step: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0
  const a = decimal(value)
  const b = decimal(step)
  const exponent = Math.min(a.exponent, b.exponent)
  return scaled(a, exponent) % scaled(b, exponent) === 0n
}

interface Decimal {
  readonly digits: bigint
  readonly exponent: number
}

function decimal(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(value).split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}

function scaled({ digits, exponent }: Decimal, target: number): bigint {
  return digits * 10n ** BigInt(exponent - target)
}
