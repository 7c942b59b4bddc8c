import type { Json } from '../ir/types.js'
import type { Conversion, FieldConversion, RecursiveTypes, ValueKind } from './plan.js'

/**
 * A conversion before it is known whether its recursive parts change values. `identity` means that the node itself changes
 * nothing, so it passes if all its children pass.
 */
export type Draft =
  | Exclude<
      Conversion,
      { readonly kind: 'object' | 'array' | 'record' | 'nullable' | 'orNull' | 'switch' | 'byKind' | 'named' }
    >
  | (Pick<Conversion & { readonly kind: 'object' }, 'kind' | 'rest' | 'part'> & {
      readonly fields: readonly DraftField[]
      /** `surplus`: the node only drops undeclared fields, which the result codec does too. */
      readonly identity: boolean | 'surplus'
    })
  | (Omit<Conversion & { readonly kind: 'array' }, 'items'> & { readonly items: Draft; readonly identity: boolean })
  | (Omit<Conversion & { readonly kind: 'record' }, 'values'> & { readonly values: Draft })
  | (Omit<Conversion & { readonly kind: 'nullable' }, 'inner'> & { readonly inner: Draft })
  | { readonly kind: 'orNull'; readonly inner: Draft }
  /** Alternatives of a union. If they do not all convert in the same way, they must be distinguished by type or by a field. */
  | {
      readonly kind: 'choice'
      readonly field: string | undefined
      readonly cases: readonly DraftCase[]
      /** True if the cases divide one object type by the values of a field. They pass unchanged only together. */
      readonly splitsField: boolean
    }
  | {
      readonly kind: 'named'
      readonly name: string
      readonly definition?: string
      readonly body: Draft
      /** Absent if no generated type contains it. */
      readonly types: RecursiveTypes | undefined
    }

export interface DraftCase {
  /** Possible run-time kinds of the alternative; empty if unknown. */
  readonly kinds: readonly ValueKind[]
  /** Values of the field in this alternative. */
  readonly values: readonly Json[]
  readonly draft: Draft
}

export interface DraftField extends Omit<FieldConversion, 'conversion'> {
  readonly conversion: Draft
}

/** Checks for the conversion whose helper accepts both strings and dates. */
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
