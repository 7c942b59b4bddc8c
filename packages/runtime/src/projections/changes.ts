import type { Fields } from '../schema/json-values.js'

/**
 * Effect of a projection on a keyword: `removed`; `changed`: expressed in another way; `moved_to_description`: removed,
 * and the description explains it in words; `fallback`: the vendor's stricter form cannot express it, so that a weaker
 * form is used.
 */
export type ChangeKind = 'removed' | 'changed' | 'moved_to_description' | 'fallback'

/** One difference between the arguments that a tool declares and those that a vendor's model sees. */
export interface ProjectionChange {
  /** JSON Pointer into the tool's `arguments`, of the schema that holds the keyword; `''` is the root. */
  readonly pointer: string
  readonly keyword: string
  readonly kind: ChangeKind
  /** One plain sentence. */
  readonly message: string
  /** `true` if the vendor's schema now accepts values that the tool rejects. */
  readonly loosens: boolean
}

/** A tool in a vendor's form, with all differences between its schema and the declared one. */
export interface Projection<Tool> {
  readonly tool: Tool
  /** In the order of the schema; empty if the model sees exactly the declared schema. */
  readonly changes: readonly ProjectionChange[]
}

/** Receives the changes while a schema is projected. */
export type Report = (change: ProjectionChange) => void

/** Keyword that says which JavaScript value a field becomes: it is about code, and no model receives it. */
export const codeKeyword = 'x-js'

/** Keywords that do not restrict values. */
export const annotationKeywords: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
  ...['contentEncoding', 'contentMediaType', 'contentSchema', '$comment', '$schema', '$id', '$anchor'],
  ...['$defs', 'definitions', codeKeyword],
])

/** Returns the keywords of a schema that restrict its values. */
export function restrictingKeywords(schema: Fields): readonly string[] {
  return Object.keys(schema).filter((name) => !annotationKeywords.has(name))
}

/** Returns a copy of a schema without some keywords. */
export function without(schema: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)))
}
