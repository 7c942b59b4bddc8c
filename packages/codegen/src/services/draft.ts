import type { Json } from '../ir/types.js'
import type { Conversion, FieldConversion, RecursiveTypes, ValueKind } from './plan.js'

/**
 * A conversion that is not final, because it is not known yet which of its parts (some are recursive) change values. `Settled` decides this
 * later. If `identity` is true, the object or array itself needs no copy. It is then passed unchanged if its fields or items do not change
 * either.
 */
export type Draft =
  | Exclude<
      Conversion,
      { readonly kind: 'object' | 'array' | 'record' | 'nullable' | 'orNull' | 'switch' | 'byKind' | 'named' }
    >
  | (Pick<Conversion & { readonly kind: 'object' }, 'kind' | 'rest' | 'part'> & {
      readonly fields: readonly DraftField[]
      /**
       * `true`: the object itself needs no copy. `surplus`: the conversion only drops undeclared fields, so that no copy is needed if the
       * codec of the result drops them instead.
       */
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
      /**
       * True if all alternatives have the same object type and differ only in the value of `field`. If none of their conversions changes
       * the object, it is passed unchanged.
       */
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

/** An alternative of a union, with its conversion. */
export interface DraftCase {
  /** Kinds of value, such as `string`, that the alternative can have at run time; empty if they are unknown. */
  readonly kinds: readonly ValueKind[]
  /** Values that the distinguishing field can have in this alternative; empty if they are unknown. */
  readonly values: readonly Json[]
  readonly draft: Draft
}

export interface DraftField extends Omit<FieldConversion, 'conversion'> {
  readonly conversion: Draft
}

/** Checks whether a conversion turns dates into strings. The runtime function for such a conversion also accepts strings. */
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
