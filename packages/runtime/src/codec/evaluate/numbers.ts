import type { IssueFacts } from '../issues/facts.js'
import { rangeMessage, rangeWords } from '../issues/message.js'
import { isMultipleOf } from '../json/multiple-of.js'
import { numberKeyword } from './keywords.js'
import type { NumberCheck } from './node.js'
import { SchemaError } from './schema-error.js'
import type { Site } from './site.js'

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
