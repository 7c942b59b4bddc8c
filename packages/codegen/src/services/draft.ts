import type { Json } from '../ir/types.js'
import type { Conversion, FieldConversion, RecursiveTypes, ValueKind } from './plan.js'

/**
 * A conversion that is not final: it may contain recursive parts, and nobody knows yet whether these change values. If `identity` is true,
 * the object or array itself needs no copy. It is passed unchanged if its fields or items do not change either.
 */
export type Draft =
  | Exclude<
      Conversion,
      { readonly kind: 'object' | 'array' | 'record' | 'nullable' | 'orNull' | 'switch' | 'byKind' | 'named' }
    >
  | (Pick<Conversion & { readonly kind: 'object' }, 'kind' | 'rest' | 'part'> & {
      readonly fields: readonly DraftField[]
      /** `surplus`: the conversion only drops undeclared fields of this object. The codec of the result can drop them instead. */
      readonly identity: boolean | 'surplus'
    })
  | (Omit<Conversion & { readonly kind: 'array' }, 'items'> & { readonly items: Draft; readonly identity: boolean })
  | (Omit<Conversion & { readonly kind: 'record' }, 'values'> & { readonly values: Draft })
  | (Omit<Conversion & { readonly kind: 'nullable' }, 'inner'> & { readonly inner: Draft })
  | { readonly kind: 'orNull'; readonly inner: Draft }
  /** Alternatives of a union. If their conversions differ, generated code distinguishes them by type or by a field. */
  | {
      readonly kind: 'choice'
      readonly field: string | undefined
      readonly cases: readonly DraftCase[]
      /** True if the cases are values of one field of a single object type. If no case changes the object, it is passed unchanged. */
      readonly splitsField: boolean
    }
  | {
      readonly kind: 'named'
      readonly name: string
      readonly definition?: string
      readonly body: Draft
      /** Source and target type of the recursive conversion; `undefined` if generated code cannot name them. */
      readonly types: RecursiveTypes | undefined
    }

export interface DraftCase {
  /** Kinds of value that the alternative can have at run time; empty if they are unknown. */
  readonly kinds: readonly ValueKind[]
  /** Values of the distinguishing field in this alternative; empty if they are unknown. */
  readonly values: readonly Json[]
  readonly draft: Draft
}

export interface DraftField extends Omit<FieldConversion, 'conversion'> {
  readonly conversion: Draft
}

/** Checks whether a conversion turns dates into strings. The runtime function for this also accepts strings. */
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
