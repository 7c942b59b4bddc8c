import type { $ZodType } from 'zod/v4/core'

/** What is read of a check of a Zod 4 schema; each kind has some of it. */
export interface ZodCheck {
  readonly check: string
  readonly format?: string
  readonly pattern?: RegExp
  readonly offset?: boolean
  readonly precision?: number
  readonly version?: string
  readonly protocol?: RegExp
  readonly hostname?: RegExp
}

/** The checks of a schema in their order; a format such as `z.email()` is its own first check. */
export function checksOf(schema: $ZodType): readonly ZodCheck[] {
  const { def, traits } = schema._zod
  const checks: readonly { readonly _zod: { readonly def: object } }[] = def.checks ?? []
  const listed = checks.map((check) => readCheck(check._zod.def))
  return traits.has('$ZodCheck') ? [readCheck(def), ...listed] : listed
}

function readCheck(def: object): ZodCheck {
  const facts: Readonly<Record<string, unknown>> = { ...def }
  const { check, format, pattern, offset, precision, version, protocol, hostname } = facts
  return {
    check: String(check),
    ...(typeof format === 'string' ? { format } : {}),
    ...(pattern instanceof RegExp ? { pattern } : {}),
    ...(typeof offset === 'boolean' ? { offset } : {}),
    ...(typeof precision === 'number' ? { precision } : {}),
    ...(typeof version === 'string' ? { version } : {}),
    ...(protocol instanceof RegExp ? { protocol } : {}),
    ...(hostname instanceof RegExp ? { hostname } : {}),
  }
}
