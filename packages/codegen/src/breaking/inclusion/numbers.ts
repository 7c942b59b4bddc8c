import type { SchemaObject } from '../../schema/json/json-schema.js'
import { numbersOf } from './flatten.js'
import type { JsonType } from './json-types.js'
import { isMultipleOf } from './multiples.js'
import type { Refusal } from './refusal.js'

/** The ends of a range; whole numbers have closed ends alone. */
export interface Range {
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
    fitsLeast && fitsMost ? [] : [{ aspect: 'range', pointer: '', taken: wordsOf(from), taker: wordsOf(to) }]
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

/** The numbers that fit the bounds of schemas. */
export function rangeOf(plain: readonly SchemaObject[], isWhole: boolean): Range {
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

function wordsOf({ least, isAbove, most, isBelow }: Range): string {
  const ends = [
    ...(Number.isFinite(least) ? [`${isAbove ? '>' : '>='} ${least}`] : []),
    ...(Number.isFinite(most) ? [`${isBelow ? '<' : '<='} ${most}`] : []),
  ]
  return ends.join(' and ') || 'any number'
}

function stepsOf(steps: readonly number[]): string {
  return steps.length === 0 ? 'any number' : `a multiple of ${steps.join(' and of ')}`
}
