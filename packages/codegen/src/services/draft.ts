import type { Json } from '../ir/types.js'
import type { Conversion, FieldConversion, RecursiveTypes, ValueKind } from './plan.js'

/**
 * A conversion before its recursive parts are known to change something. `identity` says that the node itself changes
 * nothing, so that it passes if all its children pass.
 */
export type Draft =
  | Exclude<
      Conversion,
      { readonly kind: 'object' | 'array' | 'record' | 'nullable' | 'orNull' | 'switch' | 'byKind' | 'named' }
    >
  | (Pick<Conversion & { readonly kind: 'object' }, 'kind' | 'rest' | 'part'> & {
      readonly fields: readonly DraftField[]
      /** `surplus`: the node only leaves undeclared fields out, which the result codec does as well. */
      readonly identity: boolean | 'surplus'
    })
  | (Omit<Conversion & { readonly kind: 'array' }, 'items'> & { readonly items: Draft; readonly identity: boolean })
  | (Omit<Conversion & { readonly kind: 'record' }, 'values'> & { readonly values: Draft })
  | (Omit<Conversion & { readonly kind: 'nullable' }, 'inner'> & { readonly inner: Draft })
  | { readonly kind: 'orNull'; readonly inner: Draft }
  /** Alternatives of a union: fine when all pass or all are the same, else distinguished by their kind or by a field. */
  | {
      readonly kind: 'choice'
      readonly field: string | undefined
      readonly cases: readonly DraftCase[]
      /** True when the cases narrow a field of one object type, not the object: none may pass unless all do. */
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

export interface DraftCase {
  /** The kinds of value that the alternative has at run time; empty when they are not known. */
  readonly kinds: readonly ValueKind[]
  /** The values of the field in this alternative. */
  readonly values: readonly Json[]
  readonly draft: Draft
}

/** See {@link FieldConversion}. */
export interface DraftField extends Omit<FieldConversion, 'conversion'> {
  readonly conversion: Draft
}

/** Returns true for the conversion whose helper takes a string as well as a Date. */
export function isDateToText(draft: Draft): boolean {
  return draft.kind === 'scalar' && draft.name === 'dateToDateTime'
}

export function childrenOf(draft: Draft): readonly Draft[] {
  switch (draft.kind) {
    case 'object':
      return draft.fields.map((field) => field.conversion)
    case 'array':
      return [draft.items]
    case 'record':
      return [draft.values]
    case 'nullable':
    case 'orNull':
      return [draft.inner]
    case 'choice':
      return draft.cases.map((each) => each.draft)
    case 'named':
      return [draft.body]
    default:
      return []
  }
}
