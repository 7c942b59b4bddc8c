import type { SchemaObject } from '../schema/json-schema.js'
import { type JsonType, listedBy } from './json-types.js'
import { type Mismatch, wholeMismatch } from './mismatch.js'
import { numbersOf } from './schema-parts.js'

/** `isAbove` excludes the number `least`, and `isBelow` excludes the number `most`. Integer ranges always include both numbers. */
interface Range {
  readonly least: number
  readonly isAbove: boolean
  readonly most: number
  readonly isBelow: boolean
}

export function numberMismatches(
  source: readonly SchemaObject[],
  types: readonly JsonType[],
  target: readonly SchemaObject[],
): readonly Mismatch[] {
  const isInteger = !types.includes('fraction')
  const [from, to] = [rangeOf(source, isInteger), rangeOf(target, isInteger)]
  if (from.least > from.most) return []
  const fitsLeast = from.least > to.least || (from.least === to.least && (from.isAbove || !to.isAbove))
  const fitsMost = from.most < to.most || (from.most === to.most && (from.isBelow || !to.isBelow))
  const steps = numbersOf(source, 'multipleOf')
  const known = isInteger ? [...steps, 1] : steps
  const broken = numbersOf(target, 'multipleOf').filter((step) => !known.some((each) => isMultipleOf(each, step)))
  return [
    ...(fitsLeast && fitsMost ? [] : [wholeMismatch('range', rangeText(from), rangeText(to))]),
    ...broken.map((step) => wholeMismatch('range', stepsText(steps), stepsText([step]))),
  ]
}

export function hasNumbers(plain: readonly SchemaObject[], type: 'integer' | 'fraction'): boolean {
  const { least, isAbove, most, isBelow } = rangeOf(plain, type === 'integer')
  if (least > most || (least === most && (isAbove || isBelow))) return false
  if (type === 'integer') return true
  const isInteger = numbersOf(plain, 'multipleOf').some((step) => isMultipleOf(step, 1) === true)
  return !isInteger && !(least === most && Number.isInteger(least))
}

function rangeOf(plain: readonly SchemaObject[], isInteger: boolean): Range {
  const [minimums, above] = [numbersOf(plain, 'minimum'), numbersOf(plain, 'exclusiveMinimum')]
  const [maximums, below] = [numbersOf(plain, 'maximum'), numbersOf(plain, 'exclusiveMaximum')]
  const [least, most] = [Math.max(...minimums, ...above), Math.min(...maximums, ...below)]
  const [isAbove, isBelow] = [above.includes(least), below.includes(most)]
  if (!isInteger) return { least, isAbove, most, isBelow }
  return {
    least: isAbove ? Math.floor(least) + 1 : Math.ceil(least),
    isAbove: false,
    most: isBelow ? Math.ceil(most) - 1 : Math.floor(most),
    isBelow: false,
  }
}

function rangeText({ least, isAbove, most, isBelow }: Range): string {
  const ends = [
    ...(Number.isFinite(least) ? [`${isAbove ? '>' : '>='} ${least}`] : []),
    ...(Number.isFinite(most) ? [`${isBelow ? '<' : '<='} ${most}`] : []),
  ]
  return ends.join(' and ') || 'any number'
}

function stepsText(steps: readonly number[]): string {
  return steps.length === 0 ? 'any number' : `a multiple of ${steps.join(' and of ')}`
}

const maxListed = 200

const bounds = ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum']

/** Each range of numbers can match another variant of a union. An empty array means that the numbers cannot be divided. */
export function numberParts(
  plain: readonly SchemaObject[],
  types: readonly JsonType[],
  near: readonly SchemaObject[],
): readonly SchemaObject[] {
  const isInteger = !types.includes('fraction')
  const range = rangeOf(plain, isInteger)
  const listed = near
    .flatMap(listedBy)
    .flat()
    .filter((value) => typeof value === 'number')
  const parts = isInteger
    ? integerParts(range, plain, near, listed)
    : fractionParts(range, [...bounds.flatMap((keyword) => numbersOf(near, keyword)), ...listed])
  return parts.length > 1 || parts.some((part) => Object.hasOwn(part, 'enum')) ? parts : []
}

function integerParts(
  range: Range,
  plain: readonly SchemaObject[],
  near: readonly SchemaObject[],
  listed: readonly number[],
): readonly SchemaObject[] {
  const step = Math.max(1, ...numbersOf(plain, 'multipleOf').filter(Number.isSafeInteger))
  const starts = [
    ...numbersOf(near, 'minimum').map(Math.ceil),
    ...numbersOf(near, 'exclusiveMinimum').map((bound) => Math.floor(bound) + 1),
    ...numbersOf(near, 'maximum').map((bound) => Math.floor(bound) + 1),
    ...numbersOf(near, 'exclusiveMaximum').map(Math.ceil),
    ...listed.filter(Number.isInteger).flatMap((value) => [value, value + 1]),
  ]
  return dividedAt(starts, range.least, range.most).map(([start, end]) => {
    const [first, last] = [Math.ceil(start / step), Math.floor(end / step)]
    if (!(last - first < maxListed) || !Number.isSafeInteger(first * step) || !Number.isSafeInteger(last * step)) {
      return rangeSchema({ minimum: start, maximum: end })
    }
    // `+ 0` converts -0, which JSON does not have.
    return { enum: Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * step + 0) }
  })
}

export function dividedAt(
  starts: readonly number[],
  least: number,
  most: number,
): readonly (readonly [start: number, end: number])[] {
  const cuts = [...new Set(starts)].filter((start) => Number.isSafeInteger(start) && start > least && start <= most)
  cuts.sort((a, b) => a - b)
  return [least, ...cuts].map((start, index) => {
    const next = cuts[index]
    return [start, next === undefined ? most : next - 1]
  })
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

const maxExponent = 60

/** Calculates in decimal arithmetic, so that 0.3 is a multiple of 0.1. */
export function isMultipleOf(value: number, step: number): boolean | undefined {
  const [a, b] = [decimalOf(value), decimalOf(step)]
  const exponent = Math.min(a.exponent, b.exponent)
  if (Math.max(a.exponent, b.exponent) - exponent > maxExponent || b.digits === 0n) return undefined
  const [scaledValue, scaledStep] = [a, b].map((each) => each.digits * 10n ** BigInt(each.exponent - exponent))
  return scaledValue !== undefined && scaledStep !== undefined && scaledValue % scaledStep === 0n
}

function decimalOf(value: number): { readonly digits: bigint; readonly exponent: number } {
  const [mantissa = '0', exponent = '0'] = String(value).split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}
