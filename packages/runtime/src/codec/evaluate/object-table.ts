import type { Choices } from '../issues/choices.js'
import type { Node } from './node.js'

/** A default of a field, as the schema gives it. */
export interface Fallback {
  /** Checks the default itself: one that breaks its own schema is not used. */
  readonly node: Node
  readonly value: unknown
}

/** One declared field. */
export interface DeclaredField {
  readonly name: string
  readonly node: Node
  /** Whether every object inherits something of this name. */
  readonly inherited: boolean
  readonly fallback?: Fallback
}

/** What the `properties` of one schema declare, in declared order. */
export interface ObjectTable {
  readonly fields: readonly DeclaredField[]
  readonly names: ReadonlySet<string>
  readonly choices: Choices<string>
}
