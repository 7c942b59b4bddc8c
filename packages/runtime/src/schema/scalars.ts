import type { JsonKind } from '../types/codec.js'
import type { NumberCheck, Run, Site } from './evaluation.js'
import { type IssueFacts, rangeMessage, rangeWords, wrongKindMessage } from './issue-messages.js'
import { kindOf } from './json-values.js'
import { kindsOf, numberKeyword, SchemaError } from './keywords.js'
import { expectedKinds } from './wording.js'

/** Returns the check of `type`; `undefined` if there is no `type`. A number without a fraction is an `integer`, even `1.0`. */
export function prepareType(site: Site): ((value: unknown, run: Run) => boolean) | undefined {
  const expected = kindsOf(site)
  if (expected === undefined) return undefined
  const test = kindTest(expected)
  const format = site.facts.format(site)
  const words = expectedKinds(expected, format)
  const constraint = 'invalid_type'
  return (value, run) => {
    if (test(value)) return true
    if (run.quiet) return false
    const received = kindOf(value)
    const facts: IssueFacts =
      format === undefined ? { constraint, expected, received } : { constraint, expected, format, received }
    return run.report(facts, undefined, wrongKindMessage(words, received))
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

/** Returns the check of the bounds of numbers, such as `minimum`. An issue names all bounds of the schema. */
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
  const allowed = rangeWords(bounds)
  return [
    (value, run) =>
      (value >= least &&
        value <= most &&
        value > above &&
        value < below &&
        (multipleOf === undefined || isMultipleOf(value, multipleOf))) ||
      (!run.quiet && run.report(rangeFacts(value, bounds), undefined, rangeMessage(allowed, value))),
  ]
}

function rangeFacts(received: number, bounds: Bounds): IssueFacts {
  const constraint = 'invalid_range'
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = bounds
  const isUsual = exclusiveMinimum === undefined && exclusiveMaximum === undefined && multipleOf === undefined
  // The usual bounds are written without a spread, which is several times faster.
  if (!isUsual || minimum === undefined) return { constraint, received, ...bounds }
  return maximum === undefined ? { constraint, received, minimum } : { constraint, received, minimum, maximum }
}

/** Returns whether `value` is a multiple of `step` in decimal arithmetic: 0.3 is a multiple of 0.1, although `0.3 % 0.1` is not 0. */
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
