import type { JsonKind } from '../types/codec.js'
import { type NumberCheck, type Run, ScalarTrace, type Site, type StringCheck, type Trace } from './evaluation.js'
import { formats } from './formats.js'
import {
  boundWords,
  expectedKinds,
  type IssueFacts,
  lengthMessage,
  rangeMessage,
  rangeWords,
  wrongKindMessage,
} from './issue-messages.js'
import { boundedReceived, lengthFacts } from './issues.js'
import { kindOf } from './json-values.js'
import { countKeyword, keyword, kindsOf, numberKeyword, SchemaError, textKeyword } from './keywords.js'
import { compilePattern, type Pattern, UnsupportedPatternError } from './pattern.js'
import { isWireText, type JsType, jsTypes, wireFormats } from './typed-values.js'

/** Prepares `type`. A number is an `integer` where it has no fraction, however it is written: `1.0` is one. */
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

/** Pattern of bigints in schemas: a violation is reported once, by the type. */
const bigintPattern = '^-?(0|[1-9][0-9]*)$'

/** Says whether a text is the wire form of a type, and records the type. */
export type TypedCheck = (text: string, run: Run, trace: Trace | undefined) => boolean

/** Prepares `x-js`: the JavaScript type that a text is decoded to. */
export function prepareTyped(site: Site): TypedCheck | undefined {
  const type = namedType(site)
  if (type === undefined) return undefined
  const format = wireFormats[type]
  return (text, run, trace) => {
    if (trace instanceof ScalarTrace) trace.type ??= type
    return (
      isWireText(type, text) ||
      (!run.quiet && run.report({ constraint: 'invalid_format', format, ...boundedReceived(text) }))
    )
  }
}

/** Returns whether `x-js` of a schema checks all that its `format` or `pattern` says. */
function isSaidByType(site: Site, name: 'format' | 'pattern', value: string): boolean {
  const type = namedType(site)
  return name === 'format' ? type === 'Date' && value === 'date-time' : type === 'bigint' && value === bigintPattern
}

function namedType(site: Pick<Site, 'schema' | 'pointer'>): JsType | undefined {
  const name = keyword(site.schema, 'x-js') === undefined ? undefined : textKeyword(site, 'x-js')
  const type = jsTypes.find((known) => known === name)
  if (name === undefined || type !== undefined) return type
  throw new SchemaError(`${site.pointer}/x-js`, `${JSON.stringify(name)} is none of ${jsTypes.join(', ')}.`)
}

const boundNames = ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum', 'multipleOf'] as const

type Bounds = { [Name in (typeof boundNames)[number]]?: number }

/** Prepares the bounds of numbers. One issue names them all. */
export function prepareNumbers(site: Site): readonly NumberCheck[] {
  const bounds: Bounds = {}
  for (const name of boundNames) {
    const bound = numberKeyword(site, name)
    if (bound !== undefined) bounds[name] = bound
  }
  if (Object.keys(bounds).length === 0) return []
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = bounds
  if (multipleOf !== undefined && multipleOf <= 0) {
    throw new SchemaError(`${site.pointer}/multipleOf`, '`multipleOf` must be more than 0.')
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
  // The usual bounds are written out: to spread them takes several times as long.
  if (!isUsual || minimum === undefined) return { constraint, received, ...bounds }
  return maximum === undefined ? { constraint, received, minimum } : { constraint, received, minimum, maximum }
}

/** Prepares what constrains texts: lengths in code points, `pattern`, and the asserted formats. */
export function prepareStrings(site: Site): readonly StringCheck[] {
  return [lengthCheck(site), formatCheck(site), patternCheck(site)].filter((check) => check !== undefined)
}

function lengthCheck(site: Site): StringCheck | undefined {
  const check = prepareLength(site, 'Length')
  if (check === undefined) return undefined
  const min = countKeyword(site, 'minLength') ?? 0
  const max = countKeyword(site, 'maxLength') ?? Number.POSITIVE_INFINITY
  // A code point takes one or two units: most strings need not be counted.
  return (value, run) => (value.length <= max && value.length >= min * 2) || check(codePoints(value), run)
}

function patternCheck(site: Site): StringCheck | undefined {
  const pattern = textKeyword(site, 'pattern')
  if (pattern === undefined || !site.patterns || isSaidByType(site, 'pattern', pattern)) return undefined
  const expression = preparePattern(pattern, `${site.pointer}/pattern`)
  return (value, run) =>
    expression.test(value) ||
    (!run.quiet && run.report({ constraint: 'invalid_pattern', pattern, ...boundedReceived(value) }))
}

function formatCheck(site: Site): StringCheck | undefined {
  const format = textKeyword(site, 'format')
  const test = format === undefined ? undefined : formats.get(format)
  if (format === undefined || test === undefined || isSaidByType(site, 'format', format)) return undefined
  return (value, run) =>
    test(value) || (!run.quiet && run.report({ constraint: 'invalid_format', format, ...boundedReceived(value) }))
}

/**
 * Compiles a pattern as JSON Schema means it: Unicode-aware; patterns that are legal only without that, without. To match a
 * text takes time linear in its length.
 *
 * @throws {SchemaError}
 */
export function preparePattern(pattern: string, pointer: string): Pattern {
  try {
    return compilePattern(pattern)
  } catch (error) {
    const shown = JSON.stringify(pattern.length > 200 ? `${pattern.slice(0, 200)}...` : pattern)
    if (error instanceof SyntaxError) throw new SchemaError(pointer, `${shown} is not a regular expression.`)
    if (!(error instanceof UnsupportedPatternError)) throw error
    throw new SchemaError(pointer, `${error.message}. Rewrite ${shown}, or check the value in the tool.`)
  }
}

/**
 * Prepares the check of a length.
 *
 * @param suffix of the keywords: `Length` of `minLength` and `maxLength`
 */
export function prepareLength(
  site: Site,
  suffix: 'Length' | 'Items' | 'Properties',
): ((received: number, run: Run) => boolean) | undefined {
  const minimum = countKeyword(site, `min${suffix}`)
  const maximum = countKeyword(site, `max${suffix}`)
  if (minimum === undefined && maximum === undefined) return undefined
  const unit = lengthUnits[suffix]
  const allowed = boundWords({ minimum, maximum }, unit)
  const [min, max] = [minimum ?? 0, maximum ?? Number.POSITIVE_INFINITY]
  return (received, run) =>
    (received >= min && received <= max) ||
    (!run.quiet &&
      run.report(lengthFacts(unit, received, minimum, maximum), undefined, lengthMessage(allowed, received)))
}

const lengthUnits = { Length: 'characters', Items: 'items', Properties: 'properties' } as const

/**
 * Returns whether a number is a whole multiple of another, reckoned in decimals as both are written: 0.3 is a multiple of 0.1,
 * although 0.3 % 0.1 is not 0.
 */
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

/** Returns the number of code points of a string; a lone surrogate counts as one. */
export function codePoints(text: string): number {
  let count = 0
  for (let index = 0; index < text.length; index++) {
    const isPair = isHighSurrogate(text.charCodeAt(index)) && isLowSurrogate(text.charCodeAt(index + 1))
    if (isPair) index++
    count++
  }
  return count
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
