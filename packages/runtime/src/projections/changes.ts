import type { Fields } from '../schema/json-values.js'

export type ChangeKind = 'removed' | 'changed' | 'moved_to_description' | 'fallback'

/** Difference between the declared arguments of a tool and the arguments that a model receives. */
export interface ProjectionChange {
  /** JSON Pointer of the changed schema in the tool's `arguments`. The pointer `''` is the root. */
  readonly pointer: string
  /** JSON Schema keyword that the conversion removed or changed. */
  readonly keyword: string
  /**
   * Kind of the change. `removed`: the vendor's schema does not contain the keyword. `moved_to_description`: the description contains the rule
   * of the keyword. `changed`: another keyword or value expresses the rule. `fallback`: the tool uses a weaker format, or the vendor rejects the
   * tool until you change the tool's design.
   */
  readonly kind: ChangeKind
  /** Description of the change, for developers. */
  readonly message: string
  /** True if the vendor's schema accepts values that the tool rejects. */
  readonly loosens: boolean
}

/** Tool in a vendor's format, and the changes that the conversion made to the schema. */
export interface Projection<Tool> {
  readonly tool: Tool
  /** Changes, in the order in which the schema contains the changed keywords. Empty if the model receives the declared schema. */
  readonly changes: readonly ProjectionChange[]
}

export type Report = (change: ProjectionChange) => void

/** Keyword that contains the JavaScript type of a field in generated code. Models do not receive this keyword. */
export const codeKeyword = 'x-js'

export const annotationKeywords: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
  ...['contentEncoding', 'contentMediaType', 'contentSchema', '$comment', '$schema', '$id', '$anchor'],
  ...['$defs', 'definitions', codeKeyword],
])

export function restrictingKeywords(schema: Fields): readonly string[] {
  return Object.keys(schema).filter((name) => !annotationKeywords.has(name))
}

export function without(schema: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)))
}
