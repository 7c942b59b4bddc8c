import type { Json, SchemaObject } from '../../schema/json/json-schema.js'
import { numbersOf, textsOf } from './flatten.js'
import { dividedAt } from './numbers.js'
import type { Aspect, Refusal } from './refusal.js'

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
  return [{ aspect: 'length', pointer: '', taken: wordsOf(taken), taker: wordsOf(taker) }]
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

function wordsOf({ least, most }: Lengths): string {
  if (most === Number.POSITIVE_INFINITY) return least === 0 ? 'any length' : `${least} or more`
  return least === most ? `${least}` : `${least} to ${most}`
}
