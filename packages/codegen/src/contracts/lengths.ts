import type { SchemaObject } from '../schema/json-schema.js'
import { type Aspect, type Mismatch, wholeMismatch } from './mismatch.js'
import { dividedAt } from './number-ranges.js'
import { numbersOf, textsOf } from './schema-parts.js'

const textKeywords: readonly (readonly [keyword: string, aspect: Aspect])[] = [
  ['pattern', 'pattern'],
  ['format', 'format'],
  ['contentEncoding', 'format'],
  ['contentMediaType', 'format'],
]

export function stringMismatches(
  source: readonly SchemaObject[],
  target: readonly SchemaObject[],
): readonly Mismatch[] {
  const [type = 'string', wanted = 'string'] = [textsOf(source, 'x-js')[0], textsOf(target, 'x-js')[0]]
  return [
    ...lengthMismatches(lengthsOf(source, 'minLength', 'maxLength'), lengthsOf(target, 'minLength', 'maxLength')),
    ...textKeywords.flatMap(([keyword, aspect]) => {
      const known = textsOf(source, keyword)
      return textsOf(target, keyword)
        .filter((text) => !known.includes(text))
        .map((text) => wholeMismatch(aspect, known[0], text))
    }),
    ...(type === wanted ? [] : [wholeMismatch('js-type', type, wanted)]),
  ]
}

export interface Lengths {
  readonly least: number
  readonly most: number
}

export function lengthsOf(plain: readonly SchemaObject[], min: string, max: string): Lengths {
  return { least: largest(plain, min), most: Math.min(...numbersOf(plain, max)) }
}

export function largest(plain: readonly SchemaObject[], keyword: string): number {
  return Math.max(0, ...numbersOf(plain, keyword))
}

export function lengthMismatches(source: Lengths, target: Lengths): readonly Mismatch[] {
  if (source.least > source.most || (source.least >= target.least && source.most <= target.most)) return []
  return [wholeMismatch('length', lengthText(source), lengthText(target))]
}

function lengthText({ least, most }: Lengths): string {
  if (most === Number.POSITIVE_INFINITY) return least === 0 ? 'any length' : `${least} or more`
  return least === most ? `${least}` : `${least} to ${most}`
}

export function lengthParts(
  plain: readonly SchemaObject[],
  near: readonly SchemaObject[],
  min: string,
  max: string,
): readonly SchemaObject[] {
  const starts = [...numbersOf(near, min), ...numbersOf(near, max).map((length) => length + 1)]
  const { least, most } = lengthsOf(plain, min, max)
  const parts = dividedAt(starts, least, most)
  if (parts.length < 2) return []
  return parts.map(([start, end]) => ({ [min]: start, ...(Number.isFinite(end) && { [max]: end }) }))
}
