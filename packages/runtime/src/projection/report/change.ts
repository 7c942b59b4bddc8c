import type { JsonSchemaObject } from '../../contract/json.js'

/**
 * What a projection did to a keyword: `removed`: it is gone; `changed`: it is said in another way;
 * `moved_to_description`: it is gone, and the description says it in words; `fallback`: the vendor's stricter form
 * cannot say it, so that a weaker form was taken.
 */
export type ChangeKind = 'removed' | 'changed' | 'moved_to_description' | 'fallback'

/** One difference between the arguments as a tool declares them and as a vendor's model is told. */
export interface ProjectionChange {
  /** JSON Pointer into the tool's `arguments`, of the schema that holds the keyword; `''` is the root. */
  readonly pointer: string
  readonly keyword: string
  readonly kind: ChangeKind
  /** One plain sentence. */
  readonly message: string
  /** Whether the vendor's schema now allows values that the tool refuses. */
  readonly loosens: boolean
}

/** A tool in a vendor's form, with everything in which its schema differs from the declared one. */
export interface Projection<Tool> {
  readonly tool: Tool
  /** In the order in which the schema is read; empty: the model is told exactly what the tool declares. */
  readonly changes: readonly ProjectionChange[]
}

/** Receives the changes while a schema is projected. */
export type Report = (change: ProjectionChange) => void

/** A schema while it is written. */
export type DraftSchema = Record<string, unknown>

/** A written schema. */
export type WrittenSchema = JsonSchemaObject
