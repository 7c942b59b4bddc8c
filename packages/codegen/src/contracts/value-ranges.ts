import type { Json, SchemaObject } from '../schema/json-schema.js'
import { numbersOf, textsOf } from './flatten.js'
import { type Aspect, type JsonType, listedBy, type Refusal } from './schema-view.js'

/** The ends of a range; whole numbers have closed ends alone. */
interface Range {
  readonly least: number
  readonly isAbove: boolean
  readonly most: number
  readonly isBelow: boolean
}

/** Numbers that are taken and refused, by their size or their steps. */
export function refusedNumbers(
  taken: readonly SchemaObject[],
  types: readonly JsonType[],
  taker: readonly SchemaObject[],
): readonly Refusal[] {
  const isWhole = !types.includes('fraction')
  const [from, to] = [rangeOf(taken, isWhole), rangeOf(taker, isWhole)]
  if (from.least > from.most) return []
  const fitsLeast = from.least > to.least || (from.least === to.least && (from.isAbove || !to.isAbove))
  const fitsMost = from.most < to.most || (from.most === to.most && (from.isBelow || !to.isBelow))
  const range: readonly Refusal[] =
    fitsLeast && fitsMost ? [] : [{ aspect: 'range', pointer: '', taken: rangeText(from), taker: rangeText(to) }]
  const steps = numbersOf(taken, 'multipleOf')
  const broken = numbersOf(taker, 'multipleOf').filter(
    // Of whole numbers each is a multiple of 1.
    (step) => ![...steps, ...(isWhole ? [1] : [])].some((known) => isMultipleOf(known, step) === true),
  )
  return [
    ...range,
    ...broken.map(
      (step): Refusal => ({
        aspect: 'range',
        pointer: '',
        taken: stepsOf(steps),
        taker: stepsOf([step]),
      }),
    ),
  ]
}

/** Whether a number of a type can fit schemas, as far as their bounds tell. */
export function hasNumbers(plain: readonly SchemaObject[], type: 'integer' | 'fraction'): boolean {
  const { least, isAbove, most, isBelow } = rangeOf(plain, type === 'integer')
  if (least > most || (least === most && (isAbove || isBelow))) return false
  if (type === 'integer') return true
  const isWhole = numbersOf(plain, 'multipleOf').some((step) => isMultipleOf(step, 1) === true)
  return !isWhole && !(least === most && Number.isInteger(least))
}

/** As many numbers are listed in place of their range. */
const mostListed = 200

/**
 * Divides the numbers that fit schemas at the bounds and listed values of other schemas: each part is a schema that applies in
 * addition. A whole range may fit no variant of a union where each of its parts fits one. Few integers are listed. Empty where
 * there is nothing to divide.
 */
export function numberParts(
  plain: readonly SchemaObject[],
  types: readonly JsonType[],
  near: readonly SchemaObject[],
): readonly SchemaObject[] {
  const isWhole = !types.includes('fraction')
  const range = rangeOf(plain, isWhole)
  const parts = isWhole
    ? integerParts(range, largestStep(plain), near)
    : fractionParts(range, [...bounds.flatMap((keyword) => numbersOf(near, keyword)), ...listedNumbers(near)])
  return parts.length > 1 || parts.some((part) => Object.hasOwn(part, 'enum')) ? parts : []
}

const bounds = ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum']

function integerParts({ least, most }: Range, step: number, near: readonly SchemaObject[]): readonly SchemaObject[] {
  const starts = [
    ...numbersOf(near, 'minimum').map(Math.ceil),
    ...numbersOf(near, 'exclusiveMinimum').map((bound) => Math.floor(bound) + 1),
    ...numbersOf(near, 'maximum').map((bound) => Math.floor(bound) + 1),
    ...numbersOf(near, 'exclusiveMaximum').map(Math.ceil),
    ...listedNumbers(near)
      .filter(Number.isInteger)
      .flatMap((value) => [value, value + 1]),
  ]
  return dividedAt(starts, { least, most }).map(
    ([start, end]) => integersBetween(start, end, step) ?? rangeSchema({ minimum: start, maximum: end }),
  )
}

/** Divides a range of integers, or of lengths, in front of some of them. */
function dividedAt(
  starts: readonly number[],
  { least, most }: Pick<Range, 'least' | 'most'>,
): readonly (readonly [start: number, end: number])[] {
  const cuts = [...new Set(starts)].filter((start) => Number.isSafeInteger(start) && start > least && start <= most)
  cuts.sort((a, b) => a - b)
  return [least, ...cuts].map((start, index) => {
    const next = cuts[index]
    return [start, next === undefined ? most : next - 1]
  })
}

/** A schema that lists the multiples of a step in a range; `undefined` where they are too many. */
function integersBetween(least: number, most: number, step: number): SchemaObject | undefined {
  const [first, last] = [Math.ceil(least / step), Math.floor(most / step)]
  if (!(last - first < mostListed) || !Number.isSafeInteger(first * step) || !Number.isSafeInteger(last * step)) {
    return undefined
  }
  // No number is written as -0.
  return { enum: Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * step + 0) }
}

function largestStep(plain: readonly SchemaObject[]): number {
  return Math.max(1, ...numbersOf(plain, 'multipleOf').filter(Number.isSafeInteger))
}

function fractionParts({ least, isAbove, most, isBelow }: Range, points: readonly number[]): readonly SchemaObject[] {
  const isWithin = (point: number): boolean =>
    (point > least || (point === least && !isAbove)) && (point < most || (point === most && !isBelow))
  const cuts = [...new Set(points)].filter(isWithin).sort((a, b) => a - b)
  const ends = [Number.NEGATIVE_INFINITY, ...cuts, Number.POSITIVE_INFINITY]
  return ends
    .slice(1)
    .flatMap((end, index) => [
      rangeSchema({ exclusiveMinimum: ends[index] ?? Number.NEGATIVE_INFINITY, exclusiveMaximum: end }),
      ...(Number.isFinite(end) ? [{ const: end }] : []),
    ])
}

function rangeSchema(ends: Readonly<Record<string, number>>): SchemaObject {
  return Object.fromEntries(Object.entries(ends).filter(([, end]) => Number.isFinite(end)))
}

function listedNumbers(near: readonly SchemaObject[]): readonly number[] {
  return near
    .flatMap(listedBy)
    .flat()
    .filter((value) => typeof value === 'number')
}

/** The numbers that fit the bounds of schemas. */
function rangeOf(plain: readonly SchemaObject[], isWhole: boolean): Range {
  const least = end(numbersOf(plain, 'minimum'), numbersOf(plain, 'exclusiveMinimum'), 1)
  const most = end(numbersOf(plain, 'maximum'), numbersOf(plain, 'exclusiveMaximum'), -1)
  if (!isWhole) return { least: least.at, isAbove: least.isOpen, most: most.at, isBelow: most.isOpen }
  return {
    least: least.isOpen ? Math.floor(least.at) + 1 : Math.ceil(least.at),
    isAbove: false,
    most: most.isOpen ? Math.ceil(most.at) - 1 : Math.floor(most.at),
    isBelow: false,
  }
}

/** The narrowest of several ends: the highest, or the lowest where the sign is negative. */
function end(closed: readonly number[], open: readonly number[], sign: 1 | -1): { at: number; isOpen: boolean } {
  const at = sign * Math.max(...[...closed, ...open].map((bound) => sign * bound))
  return { at, isOpen: open.includes(at) }
}

function rangeText({ least, isAbove, most, isBelow }: Range): string {
  const ends = [
    ...(Number.isFinite(least) ? [`${isAbove ? '>' : '>='} ${least}`] : []),
    ...(Number.isFinite(most) ? [`${isBelow ? '<' : '<='} ${most}`] : []),
  ]
  return ends.join(' and ') || 'any number'
}

function stepsOf(steps: readonly number[]): string {
  return steps.length === 0 ? 'any number' : `a multiple of ${steps.join(' and of ')}`
}

/** Numbers beyond are not written out in digits. */
const furthest = 60

/**
 * Whether a number is a whole multiple of another, reckoned in decimals as both are written, as codecs do; `undefined` where
 * one has too many digits to say.
 */
export function isMultipleOf(value: number, step: number): boolean | undefined {
  const [a, b] = [decimalOf(value), decimalOf(step)]
  const exponent = Math.min(a.exponent, b.exponent)
  if (Math.max(a.exponent, b.exponent) - exponent > furthest || b.digits === 0n) return undefined
  return scaled(a, exponent) % scaled(b, exponent) === 0n
}

interface Decimal {
  readonly digits: bigint
  /** The power of ten that the digits are multiplied by. */
  readonly exponent: number
}

function decimalOf(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(value).split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}

function scaled({ digits, exponent }: Decimal, target: number): bigint {
  return digits * 10n ** BigInt(exponent - target)
}

/** Texts that are taken and refused. Of two patterns it cannot be told whether one allows what the other does. */
export function refusedTexts(taken: readonly SchemaObject[], taker: readonly SchemaObject[]): readonly Refusal[] {
  const asked: readonly (readonly [keyword: string, aspect: Aspect])[] = [
    ['pattern', 'pattern'],
    ['format', 'format'],
    ['contentEncoding', 'format'],
    ['contentMediaType', 'format'],
  ]
  const [type, wanted] = [textsOf(taken, 'x-js')[0], textsOf(taker, 'x-js')[0]]
  return [
    ...refusedLengths(
      { least: largest(taken, 'minLength'), most: smallest(taken, 'maxLength') },
      { least: largest(taker, 'minLength'), most: smallest(taker, 'maxLength') },
    ),
    ...asked.flatMap(([keyword, aspect]) => {
      const known = textsOf(taken, keyword)
      return textsOf(taker, keyword)
        .filter((text) => !known.includes(text))
        .map((text): Refusal => ({ aspect, pointer: '', taken: known[0], taker: text }))
    }),
    ...(type === wanted ? [] : [jsType(type, wanted)]),
  ]
}

function jsType(taken: Json | undefined, taker: Json | undefined): Refusal {
  return { aspect: 'js-type', pointer: '', taken: taken ?? 'string', taker: taker ?? 'string' }
}

/** How long something may be. */
export interface Lengths {
  readonly least: number
  readonly most: number
}

/** Whether something may be shorter or longer than another schema takes. */
export function refusedLengths(taken: Lengths, taker: Lengths): readonly Refusal[] {
  if (taken.least > taken.most || (taken.least >= taker.least && taken.most <= taker.most)) return []
  return [{ aspect: 'length', pointer: '', taken: lengthText(taken), taker: lengthText(taker) }]
}

/**
 * Divides texts or arrays at the lengths that other schemas name, so that each part may fit another variant of a union.
 *
 * @param keywords the least and the largest length, e.g. `minLength` and `maxLength`
 */
export function lengthParts(
  plain: readonly SchemaObject[],
  near: readonly SchemaObject[],
  [least, most]: readonly [least: string, most: string],
): readonly SchemaObject[] {
  const starts = [...numbersOf(near, least), ...numbersOf(near, most).map((length) => length + 1)]
  const parts = dividedAt(starts, { least: largest(plain, least), most: smallest(plain, most) })
  if (parts.length < 2) return []
  return parts.map(([start, end]) => ({ [least]: start, ...(Number.isFinite(end) && { [most]: end }) }))
}

/** The largest number that a keyword has in several schemas, 0 without one. */
export function largest(plain: readonly SchemaObject[], keyword: string): number {
  return Math.max(0, ...numbersOf(plain, keyword))
}

/** The smallest number that a keyword has in several schemas. */
export function smallest(plain: readonly SchemaObject[], keyword: string): number {
  return Math.min(...numbersOf(plain, keyword))
}

function lengthText({ least, most }: Lengths): string {
  if (most === Number.POSITIVE_INFINITY) return least === 0 ? 'any length' : `${least} or more`
  return least === most ? `${least}` : `${least} to ${most}`
}
