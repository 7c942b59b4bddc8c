/**
 * What OpenAI's strict mode ("Structured Outputs") takes, as its guide "Supported schemas" and its errors say in
 * autumn 2026:
 *
 * - The root is an object and no `anyOf`; every object lists all of its fields in `required` and has
 *   `additionalProperties: false`. An optional field is a required one that may be null.
 * - Types: string, number, integer, boolean, null, object, array; `enum`, `const`, nested `anyOf`, `$ref` into `$defs`,
 *   recursion. Every schema states its type ("schema must have a 'type' key"), every array its items. A `$ref` stands
 *   alone ("$ref cannot have keywords").
 * - Strings: `pattern` without look-arounds ("regex lookaround is not supported") and nine formats ("'uri' is not a
 *   valid format"). Numbers: bounds and `multipleOf`. Arrays: `minItems`, `maxItems`.
 * - Not `oneOf`, `allOf`, `not`, `if`, `dependent*`, `minLength`, `maxLength`, `uniqueItems`, `default`, `prefixItems`
 *   and whatever else is not named here ("is not permitted").
 * - At most 5,000 fields, 10 levels of objects, 120,000 characters of names and literals, 1,000 enum values, and 15,000
 *   characters in an enum of more than 250 texts.
 */
export const strictKeywords: Readonly<Record<'string' | 'number' | 'array', readonly string[]>> = {
  string: ['pattern', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: ['minItems', 'maxItems'],
}

/** The formats that strict mode takes. */
export const strictFormats: ReadonlySet<string> = new Set([
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'],
])

/** How large a schema may be. */
export const strictLimits = {
  fields: 5_000,
  levels: 10,
  characters: 120_000,
  enumValues: 1_000,
  longEnum: 250,
  longEnumCharacters: 15_000,
} as const

/** Whether a pattern looks ahead or behind. An escaped parenthesis that looks like it counts too. */
export function looksAround(pattern: string): boolean {
  return /\(\?<?[=!]/.test(pattern)
}
