import type { Json } from '../../ir/types.js'
import type { DefinitionPart, FieldConversion, RecursiveTypes, ScalarConversion, ValueKind } from './plan.js'

/**
 * A conversion before it is known which of its recursive parts change nothing. `identity` says that the node itself
 * changes nothing, so that it passes if all below it pass.
 */
export type Draft =
  | { readonly kind: 'pass' | 'cast' | 'null' }
  | { readonly kind: 'scalar'; readonly name: ScalarConversion }
  | {
      readonly kind: 'object'
      readonly fields: readonly DraftField[]
      readonly rest: boolean
      /** `surplus`: the node only leaves undeclared fields out, which the result codec does as well. */
      readonly identity: boolean | 'surplus'
      readonly part?: DefinitionPart
    }
  | {
      readonly kind: 'array'
      readonly items: Draft
      readonly from: 'array' | 'set'
      readonly to: 'array' | 'set'
      readonly identity: boolean
    }
  | { readonly kind: 'record'; readonly values: Draft; readonly from: 'record' | 'map'; readonly to: 'record' | 'map' }
  | { readonly kind: 'nullable'; readonly inner: Draft; readonly of: 'null' | 'undefined' | 'both' }
  | { readonly kind: 'orNull'; readonly inner: Draft }
  /** Alternatives of a union: fine when all pass or all are the same, else told apart by their kind or by a field. */
  | {
      readonly kind: 'choice'
      readonly field: string | undefined
      readonly cases: readonly DraftCase[]
      /** The cases narrow a field of one object type, not the object: none may pass unless all do. */
      readonly splitsField: boolean
    }
  | {
      readonly kind: 'named'
      readonly name: string
      readonly definition?: string
      readonly body: Draft
      /** Absent where no generated type text leads to it. */
      readonly types: RecursiveTypes | undefined
    }
  | { readonly kind: 'ref'; readonly name: string }

export interface DraftCase {
  /** The kinds of value that the alternative has at run time; empty when nothing is known. */
  readonly kinds: readonly ValueKind[]
  /** What the field holds in this alternative. */
  readonly values: readonly Json[]
  readonly draft: Draft
}

/** See {@link FieldConversion}. */
export interface DraftField extends Omit<FieldConversion, 'conversion'> {
  readonly conversion: Draft
}

/** Passes. */
export const pass: Draft = { kind: 'pass' }
