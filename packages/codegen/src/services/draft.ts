import type { Json } from '../ir/types.js'
import type { Conversion, FieldConversion, RecursiveTypes, ValueKind } from './plan.js'

/**
 * A conversion that can still contain steps without effect. The class `Settled` replaces such steps with `pass`. If `identity` is true, generated
 * code uses the original object or array, unless a field or item changes.
 */
export type Draft =
  | Exclude<
      Conversion,
      { readonly kind: 'object' | 'array' | 'record' | 'nullable' | 'orNull' | 'switch' | 'byKind' | 'named' }
    >
  | (Pick<Conversion & { readonly kind: 'object' }, 'kind' | 'rest' | 'part'> & {
      readonly fields: readonly DraftField[]
      /**
       * `true`: the object needs no copy, unless a field changes. `surplus`: the object needs a copy only if the conversion, and not the result
       * codec, removes undeclared fields.
       */
      readonly identity: boolean | 'surplus'
    })
  | (Omit<Conversion & { readonly kind: 'array' }, 'items'> & { readonly items: Draft; readonly identity: boolean })
  | (Omit<Conversion & { readonly kind: 'record' }, 'values'> & { readonly values: Draft })
  | (Omit<Conversion & { readonly kind: 'nullable' }, 'inner'> & { readonly inner: Draft })
  | { readonly kind: 'orNull'; readonly inner: Draft }
  /** Alternatives of a union. If their conversions differ, generated code distinguishes the alternatives by type or by a field. */
  | {
      readonly kind: 'choice'
      readonly field: string | undefined
      readonly cases: readonly DraftCase[]
      /**
       * True if all alternatives have the same object type and differ only in the value of `field`. If no alternative changes the object, generated
       * code uses the original object.
       */
      readonly splitsField: boolean
    }
  | {
      readonly kind: 'named'
      readonly name: string
      readonly definition?: string
      readonly body: Draft
      /** Source and target type of the recursive conversion. `undefined` if generated code cannot express the types. */
      readonly types: RecursiveTypes | undefined
    }

export interface DraftCase {
  /** Types of the alternative's values at run time, such as `string`. Empty if these types are unknown. */
  readonly kinds: readonly ValueKind[]
  /** Possible values of the distinguishing field in this alternative. Empty if these values are unknown. */
  readonly values: readonly Json[]
  readonly draft: Draft
}

export interface DraftField extends Omit<FieldConversion, 'conversion'> {
  readonly conversion: Draft
}

/**
 * Checks whether a conversion changes dates to strings. Such a conversion also works for a union of dates and strings, because the runtime function
 * for the conversion returns strings unchanged.
 */
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
