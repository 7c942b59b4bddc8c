/** A reason why a tool and a method do not match, or a remark about a matching type that proves nothing, such as `any`. */
export interface Reason {
  readonly code: string
  /**
   * Severity of the reason. `hard`: no conversion is possible. `soft`: the result codec can validate the value at run time. `note`: a remark without
   * consequences.
   */
  readonly weight: 'hard' | 'soft' | 'note'
  /** Text of the reason. Begins with a lowercase letter and has no full stop at the end. Names are in backticks. */
  readonly message: string
  readonly near?: readonly string[]
  /**
   * Name of a payload field that the method does not declare, or of a method's parameter that the payload does not declare. Absent for a nested
   * field.
   */
  readonly field?: string | undefined
  /** Suggested constant for the field, as TypeScript code. Absent if the field has too many possible values. */
  readonly setTo?: string | undefined
  /** Paths of existing methods, beginning at the client. Present only if the method of the tool does not exist. */
  readonly allowed?: readonly string[]
  /** Name of the result field that the response does not contain. Absent for other reasons. */
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
