import type { Fields } from '../../codec/json/kind.js'

/** Says which JavaScript value a field becomes: it is about code, and no model is told of it. */
export const codeKeyword = 'x-js'

/** Keywords that restrict nothing. */
export const annotationKeywords: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
  ...['contentEncoding', 'contentMediaType', 'contentSchema', '$comment', '$schema', '$id', '$anchor'],
  ...['$defs', 'definitions', codeKeyword],
])

/** The keywords of a schema that restrict its values. */
export function restrictingKeywords(schema: Fields): readonly string[] {
  return Object.keys(schema).filter((name) => !annotationKeywords.has(name))
}

/** A copy of a schema without some keywords. */
export function without(schema: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)))
}
