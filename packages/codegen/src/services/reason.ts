/** A reason why a tool and a method do not match, or a remark about a part that was accepted although its types prove nothing. */
export interface Reason {
  /** Code of the diagnostic that reports the reason. */
  readonly code: string
  /** `hard`: no conversion exists. `soft`: the result codec can validate the value at run time. `note`: the part is only reported. */
  readonly weight: 'hard' | 'soft' | 'note'
  /** The reason as text, which begins with a lowercase letter and does not end with a full stop. Names are in backticks. */
  readonly message: string
  readonly near?: readonly string[]
  /**
   * Name that has no match: a payload field that the method lacks, or a parameter or field of the method that the payload lacks. Absent for
   * a field inside another field.
   */
  readonly field?: string | undefined
  /** Suggested constant for the field, as TypeScript code; absent if the field has too many possible values. */
  readonly setTo?: string | undefined
  /** Existing methods, as paths from the client. Set only if the method of the tool was not found. */
  readonly allowed?: readonly string[]
  /** Name of an optional result field that the response lacks. Absent for other reasons. */
  readonly lacks?: string
  /** Part of the tool's options in the design that contains the mistake. */
  readonly part?: BindingPart
}

/** A part of a tool's options in the design: an option, or the name or value of an entry. */
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

/** Checks whether a reason is a mistake in the tool's options. Such a mistake stops the generation, because a mapper cannot fix it. */
export function isBindingError({ code }: Reason): boolean {
  return code.startsWith('TG40')
}
