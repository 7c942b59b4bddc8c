import type { Json } from '../ir/types.js'

/** How the service room says a value is turned from one side to the other. Plain JSON: it is cached on disk. */
export type Conversion =
  /** Same bytes, same type. */
  | { readonly kind: 'pass' }
  /** Same bytes, but the checker needs to be told (string enum → TypeScript enum); `type` says why. */
  | { readonly kind: 'cast' }
  | {
      readonly kind: 'object'
      readonly fields: readonly FieldConversion[]
      /** Undeclared fields of an open object travel along. */
      readonly rest: boolean
    }
  | { readonly kind: 'array'; readonly items: Conversion }
  | { readonly kind: 'record'; readonly values: Conversion }
  /** `null` stays null, everything else is converted. */
  | { readonly kind: 'nullable'; readonly inner: Conversion }
  /** A named scalar conversion of the runtime: `dateTimeToDate`, `dateToDateTime`, `integerToBigint`, ... */
  | { readonly kind: 'scalar'; readonly name: string }
  /** A union whose variants convert differently, told apart by a field. */
  | {
      readonly kind: 'switch'
      readonly field: string
      readonly cases: readonly { readonly value: Json; readonly conversion: Conversion }[]
    }
  /** A conversion that contains itself; emitted as a named function. */
  | { readonly kind: 'named'; readonly name: string; readonly body: Conversion }
  | { readonly kind: 'ref'; readonly name: string }

export interface FieldConversion {
  /** The key of the target. */
  readonly to: string
  /** The key of the source; absent for a constant. */
  readonly from?: string
  readonly constant?: Json
  readonly conversion: Conversion
  /**
   * What happens where the source may lack the key: `required` it never does; `omit` leave the key out when the
   * source is undefined; `omitNull` also when it is null; `undefined` write the key with undefined.
   */
  readonly presence: 'required' | 'omit' | 'omitNull' | 'undefined'
}

/** How one argument of the method is made. */
export type ArgumentPlan =
  /** A positional parameter from one payload field. */
  | { readonly kind: 'field'; readonly field: FieldConversion }
  /** An object parameter from (the rest of) the payload. */
  | { readonly kind: 'bag'; readonly conversion: Conversion }
  | { readonly kind: 'constant'; readonly value: Json }
  | { readonly kind: 'undefined' }

/** The verdict for one direction of one tool. */
export type Verdict<Plan> =
  | { readonly verdict: 'pass' | 'convert'; readonly plan: Plan }
  /** The declared type is wider than the tool's result and the result codec decides. */
  | { readonly verdict: 'checked'; readonly plan: Plan }
  /** The user must supply a mapper; the reasons became diagnostics. */
  | { readonly verdict: 'mapper' }

/** What the service room found for one tool of one use. */
export interface ToolPlan {
  readonly tool: string
  /** The method's path on the client. */
  readonly method: readonly string[]
  /** Which signature is called, counted from the last (0 = last), and whether it is generic. */
  readonly signature: { readonly fromLast: number; readonly of: number; readonly generic: boolean }
  readonly payload: Verdict<readonly ArgumentPlan[]>
  readonly result: Verdict<Conversion>
  /** `data` is unwrapped before the conversion. */
  readonly unwrapData: boolean
  /** What the method answers: a promise or value, or a stream of updates. */
  readonly answer: 'once' | 'stream'
}

/** The plans of one use, by tool name. */
export type UsePlan = Readonly<Record<string, ToolPlan>>
