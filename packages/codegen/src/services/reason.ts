/** A reason why two sides do not fit, or a remark about something that was accepted without proof. */
export interface Reason {
  /** A code that `diagnostics.md` explains. */
  readonly code: string
  /** `hard`: no conversion exists; `soft`: the result codec could decide at run time; `note`: accepted. */
  readonly weight: 'hard' | 'soft' | 'note'
  /** Without a capital at the beginning and a full stop at the end; names in backticks. */
  readonly message: string
  readonly near?: readonly string[]
  /** The parameter or field of the method, or the field of the payload, that lacks its counterpart; absent below the top. */
  readonly field?: string | undefined
  /** A constant that the field takes, as TypeScript; absent where the field takes more than a few values. */
  readonly setTo?: string | undefined
  /** The possible names, where they can be listed. */
  readonly allowed?: readonly string[]
  /** The optional field of the result that the response does not have. */
  readonly lacks?: string
  /** The part of the binding that is wrong. */
  readonly part?: BindingPart
}

/** A part of the design's binding of a tool: an entry by its name or its value, or an option. */
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

/** Mistakes in the binding itself: they stop the generation instead of asking for a mapper. */
export function isBindingError({ code }: Reason): boolean {
  return code.startsWith('TG40')
}
