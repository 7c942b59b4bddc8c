import type { Json } from '../ir/types.js'
import type { Conversion, FieldConversion, RecursiveTypes, ValueKind } from './plan.js'

/** A conversion before simplification: some of its steps can have no effect. The class `Settled` replaces these steps with `pass`. */
export type Draft =
  | Exclude<
      Conversion,
      { readonly kind: 'object' | 'array' | 'record' | 'nullable' | 'orNull' | 'switch' | 'byKind' | 'named' }
    >
  | (Pick<Conversion & { readonly kind: 'object' }, 'kind' | 'rest' | 'part'> & {
      readonly fields: readonly DraftField[]
      /**
       * `false`: the conversion always copies the object. `true`: the conversion returns the original object if no field changes. `surplus`: like
       * `true` if the result codec removes undeclared fields, and otherwise like `false`.
       */
      readonly identity: boolean | 'surplus'
    })
  | (Omit<Conversion & { readonly kind: 'array' }, 'items'> & { readonly items: Draft; readonly identity: boolean })
  | (Omit<Conversion & { readonly kind: 'record' }, 'values'> & { readonly values: Draft })
  | (Omit<Conversion & { readonly kind: 'nullable' }, 'inner'> & { readonly inner: Draft })
  | { readonly kind: 'orNull'; readonly inner: Draft }
  /** A union. If its alternatives have different conversions, generated code tests the type of the value or the value of `field`. */
  | {
      readonly kind: 'choice'
      readonly field: string | undefined
      readonly cases: readonly DraftCase[]
      /**
       * True for one object type such as `{ role: 'system' | 'user' }`, with one case per value of `field`. If no case changes the object, the
       * conversion returns the original object.
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
  /** Types of the alternative's values that code can test, such as `string`. Empty if the types are unknown. */
  readonly kinds: readonly ValueKind[]
  /** Values of the property `field` in this alternative. Empty if these values are unknown. */
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
