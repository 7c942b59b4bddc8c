/** The part of a Standard Schema (version 1) that a check needs: any schema library's validator fits. */
export interface StandardCheck {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    /** What the schema says of a value. */
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>
  }
}

/** What a Standard Schema validator answers. */
export type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** One fault that a Standard Schema validator found. */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}
