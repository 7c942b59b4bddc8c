import type { WrittenSchema } from '../report/change.js'

/** Where the strict schema lets null stand for a field that is left out. Follows the strict schema. */
export type NullPlan =
  | {
      readonly kind: 'parts'
      /** Fields by name, of an object. */
      readonly fields?: ReadonlyMap<string, FieldPlan>
      /** The first items of an array, then all others. */
      readonly items?: { readonly first: readonly (NullPlan | undefined)[]; readonly rest: NullPlan | undefined }
    }
  | { readonly kind: 'either'; readonly variants: readonly VariantPlan[] }
  | { readonly kind: 'definition'; readonly name: string }

/** What is done to one field. */
export interface FieldPlan {
  /** Null stands for nothing: the field is taken out. */
  readonly removesNull: boolean
  readonly plan: NullPlan | undefined
}

/** A variant of a union, known by the strict schema that a value of it satisfies. */
export interface VariantPlan {
  readonly schema: WrittenSchema
  readonly plan: NullPlan | undefined
}
