/** A reason for a mismatch, or a remark about something accepted without proof. */
export interface Reason {
  /** Code of a diagnostic. */
  readonly code: string
  /** `hard`: no conversion exists. `soft`: the result codec can decide at run time. `note`: accepted. */
  readonly weight: 'hard' | 'soft' | 'note'
  /** Without capitalization and final full stop; names in backticks. */
  readonly message: string
  readonly near?: readonly string[]
  /** Name of the method's parameter or field, or of the payload field, without a counterpart; absent for nested fields. */
  readonly field?: string | undefined
  /** A constant for the field, as TypeScript; absent if the field has more than a few values. */
  readonly setTo?: string | undefined
  /** Possible names, if they can be listed. */
  readonly allowed?: readonly string[]
  /** Optional result field that the response does not have. */
  readonly lacks?: string
  /** Incorrect part of the binding. */
  readonly part?: BindingPart
}

/** A part of a tool's binding in the design: an option, or the name or value of an entry. */
export type BindingPart =
  | { readonly of: 'method' | 'collect' }
  | { readonly of: 'rename' | 'constants'; readonly entry: string; readonly side: 'name' | 'value' }

export type Details = Omit<Reason, 'code' | 'weight' | 'message'>

export function hard(code: string, message: string, details: Details = {}): Reason {
  return { code, weight: 'hard', message, ...details }
}

export function soft(code: string, message: string): Reason {
  return { code, weight: 'soft', message }
}

/** Checks for a mistake in the binding itself. It stops the generation; a mapper would not help. */
export function isBindingError({ code }: Reason): boolean {
  return code.startsWith('TG40')
}
