import type { Issue } from '../../contract/issue.js'

/** `1 to 20`, `at least 1`, `at most 20`, `exactly 3`. */
export function countText(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum === undefined) return `at most ${maximum ?? 0}`
  if (maximum === undefined) return `at least ${minimum}`
  return minimum === maximum ? `exactly ${minimum}` : `${minimum} to ${maximum}`
}

/** The bounds of a number: `1 to 100`, `more than 0 and at most 5`, `a multiple of 5`. */
export function rangeText(issue: Extract<Issue, { constraint: 'invalid_range' }>): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = issue
  const bounds: string[] = []
  if (minimum !== undefined && maximum !== undefined) bounds.push(countText(minimum, maximum))
  else if (minimum !== undefined) bounds.push(`at least ${minimum}`)
  else if (maximum !== undefined) bounds.push(`at most ${maximum}`)
  if (exclusiveMinimum !== undefined) bounds.push(`more than ${exclusiveMinimum}`)
  if (exclusiveMaximum !== undefined) bounds.push(`less than ${exclusiveMaximum}`)
  if (multipleOf !== undefined) bounds.push(`a multiple of ${multipleOf}`)
  return bounds.join(' and ')
}
