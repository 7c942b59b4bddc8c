export interface Reason {
  readonly code: string
  /**
   * Consequence of the reason. `hard`: generated code cannot convert the value. `soft`: generated code can convert the value if the result codec
   * validates the result at run time. `note`: no consequence.
   */
  readonly weight: 'hard' | 'soft' | 'note'
  /** Begins with a lowercase letter and has no full stop at the end. Names are in backticks. */
  readonly message: string
  readonly near?: readonly string[]
  /** Name of a payload field without a parameter in the method, or of a parameter without a payload field. Absent for a nested field. */
  readonly field?: string | undefined
  /** Code of a constant that the fix suggests. Absent if the field has too many possible values. */
  readonly setTo?: string | undefined
  readonly allowed?: readonly string[]
  /** Path of an optional result field that the response type does not contain. */
  readonly lacks?: string
  readonly part?: BindingPart
}

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

/** Stops the generation, because a mapper function cannot fix a mistake in the options of a tool. */
export function isBindingError({ code }: Reason): boolean {
  return code.startsWith('TG40')
}
