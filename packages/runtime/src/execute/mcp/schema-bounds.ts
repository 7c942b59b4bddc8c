const UPPER: ReadonlySet<string> = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'])

/** The keywords whose number bounds a value from one side. */
export const UPPER_AND_LOWER: readonly string[] = [
  ...UPPER,
  ...['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'],
]

/** Whether two values of a keyword are numbers: in old dialects some were booleans. */
export function isBounds(before: unknown, now: unknown): boolean {
  return typeof before === 'number' && typeof now === 'number'
}

/** Whether a bound lets more through than before. */
export function looserBound(keyword: string, before: unknown, now: unknown): boolean {
  const grown = Number(now) > Number(before)
  return UPPER.has(keyword) ? grown : !grown
}
