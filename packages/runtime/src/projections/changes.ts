import type { Fields } from '../schema/json-values.js'

/** Effect that the conversion of a tool to a vendor's format has on a keyword; see {@link ProjectionChange}. */
export type ChangeKind = 'removed' | 'changed' | 'moved_to_description' | 'fallback'

/** One difference between the declared arguments of a tool and those that a model receives. */
export interface ProjectionChange {
  /** JSON Pointer of the changed schema in the tool's `arguments`; `''` is the root. */
  readonly pointer: string
  /** Keyword that changes. */
  readonly keyword: string
  /**
   * `removed`: the keyword is left out. `moved_to_description`: the description states its rule. `changed`: the keyword is expressed in
   * another way. `fallback`: a weaker format is used, or the vendor rejects the tool until you change it.
   */
  readonly kind: ChangeKind
  /** Description of the change, for people. */
  readonly message: string
  /** True if the vendor's schema accepts values that the tool rejects. */
  readonly loosens: boolean
}

/** Tool in a vendor's format, with all changes of its schema. */
export interface Projection<Tool> {
  readonly tool: Tool
  /** Changes in the order of the schema; empty if the model receives the declared schema. */
  readonly changes: readonly ProjectionChange[]
}

/** Function that receives each change. */
export type Report = (change: ProjectionChange) => void

/** Keyword that names the JavaScript type of a field in code. It is not sent to models. */
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

/** Returns a copy of a schema without the keywords `names`. */
export function without(schema: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)))
}
