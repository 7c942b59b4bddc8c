/** Problem that the comparison of a tool with a client method found: a mismatch, or a remark about a type such as `any` that matches everything. */
export interface Reason {
  readonly code: string
  /**
   * Consequence of the reason. `hard`: generated code cannot convert the value. `soft`: generated code can convert the value if the result codec
   * validates the result at run time. `note`: no consequence.
   */
  readonly weight: 'hard' | 'soft' | 'note'
  /** Text of the reason. Begins with a lowercase letter and has no full stop at the end. Names are in backticks. */
  readonly message: string
  readonly near?: readonly string[]
  /** Name of a payload field without a parameter in the method, or of a parameter without a payload field. Absent for a nested field. */
  readonly field?: string | undefined
  /** TypeScript code of a constant that the fix suggests for the field. Absent if the field has too many possible values. */
  readonly setTo?: string | undefined
  /** Paths of the client's methods, such as `orders.get`. Present only if the method of the tool does not exist. */
  readonly allowed?: readonly string[]
  /** Path of an optional result field that the compared response type does not contain. Absent for other reasons. */
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

/**
 * Checks whether a reason is a mistake in the tool's options. Such a mistake stops the generation, because a mapper function cannot fix the mistake.
 */
export function isBindingError({ code }: Reason): boolean {
  return code.startsWith('TG40')
}
