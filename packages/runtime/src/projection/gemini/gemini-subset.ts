/**
 * What Gemini reads of `parametersJsonSchema`, as its API reference says in autumn 2026: the keywords below; `enum` of
 * texts and numbers; `oneOf` as `anyOf`; a `$ref` alone; recursion only within fields that are not required. Function
 * names begin with a letter or `_`.
 */
export const geminiKeywords: ReadonlySet<string> = new Set([
  ...['$defs', '$ref', 'type', 'format', 'title', 'description', 'enum', 'anyOf', 'oneOf'],
  ...['properties', 'additionalProperties', 'required', 'items', 'prefixItems', 'minItems', 'maxItems'],
  ...['minimum', 'maximum'],
])
