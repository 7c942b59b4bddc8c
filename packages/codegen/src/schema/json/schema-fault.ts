import type { Diagnostic } from '../../diagnostics/diagnostic.js'

/** A finding about a schema, before it is known where the schema stands in the design. */
export interface SchemaFault extends Omit<Diagnostic, 'place'> {
  /** The keys that lead to the fault in the source: of a plain JSON Schema all keys, else the names of the fields. */
  readonly trail: readonly (string | number)[]
}

/** A schema and what was found while it was made. `value` is absent when an error makes it meaningless. */
export interface Converted<T> {
  readonly value?: T
  readonly faults: readonly SchemaFault[]
}

/** Whether some fault is an error. */
export function hasErrors(faults: readonly { readonly severity: string }[]): boolean {
  return faults.some((fault) => fault.severity === 'error')
}

/** Where in a schema, for a person: `at /properties/id`, or `at its root`. */
export function atPointer(pointer: string): string {
  return pointer === '' ? 'at its root' : `at ${pointer}`
}
