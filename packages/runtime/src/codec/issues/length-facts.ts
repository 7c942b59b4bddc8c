import type { IssueFacts } from './facts.js'

/** The facts of a text, an array or an object that is too short or too long. */
export function lengthFacts(
  unit: 'characters' | 'items' | 'properties',
  received: number,
  minimum: number | undefined,
  maximum: number | undefined,
): IssueFacts {
  const constraint = 'invalid_length'
  if (minimum === undefined) {
    return maximum === undefined ? { constraint, unit, received } : { constraint, unit, received, maximum }
  }
  return maximum === undefined
    ? { constraint, unit, received, minimum }
    : { constraint, unit, received, minimum, maximum }
}
