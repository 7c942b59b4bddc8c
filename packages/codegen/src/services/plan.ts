import type { Json } from '../ir/types.js'

/** The scalar conversions of the runtime (`@toolgen/runtime/codegen/v1`) that a plan may name. */
export type ScalarConversion =
  | 'dateTimeToDate'
  | 'dateToDateTime'
  | 'dateToUtcMidnight'
  | 'integerToBigint'
  | 'bigintToString'
  | 'base64ToBytes'
  | 'bytesToBase64'
  | 'stringToUrl'
  | 'urlToString'

/** A kind of value that can be tested at run time without looking into the value. */
export type ValueKind = 'string' | 'number' | 'boolean' | 'bigint' | 'array' | 'object'

/** A conversion of a value to a value of the other side. Plain JSON: it is cached on disk. */
export type Conversion =
  /** Same bytes, same type. */
  | { readonly kind: 'pass' }
  /** Same bytes, but the checker needs a cast (string enum ↔ TypeScript enum). */
  | { readonly kind: 'cast' }
  | {
      readonly kind: 'object'
      readonly fields: readonly FieldConversion[]
      /** True when undeclared fields of an open object are kept. */
      readonly rest: boolean
      /** Absent where the object is no shared definition of the toolset. */
      readonly part?: DefinitionPart
    }
  /** An array or a Set becomes an array or a Set. */
  | { readonly kind: 'array'; readonly items: Conversion; readonly from: 'array' | 'set'; readonly to: 'array' | 'set' }
  /** A record or a Map becomes a record or a Map. */
  | {
      readonly kind: 'record'
      readonly values: Conversion
      readonly from: 'record' | 'map'
      readonly to: 'record' | 'map'
    }
  /** `null` and `undefined` stay the same, everything else is converted. */
  | { readonly kind: 'nullable'; readonly inner: Conversion; readonly of: 'null' | 'undefined' | 'both' }
  /** `undefined` and `null` become null, everything else is converted. */
  | { readonly kind: 'orNull'; readonly inner: Conversion }
  | { readonly kind: 'scalar'; readonly name: ScalarConversion }
  /** A method that returns nothing, for a tool whose result is null. */
  | { readonly kind: 'null' }
  /** A union whose variants convert differently, distinguished by a field of the source. */
  | {
      readonly kind: 'switch'
      readonly field: string
      /** `field`: the source is one object whose field is split; its last case needs no test. */
      readonly narrows: 'object' | 'field'
      readonly cases: readonly { readonly values: readonly Json[]; readonly conversion: Conversion }[]
    }
  /** A union whose variants are values of different kinds; the last case needs no test. */
  | {
      readonly kind: 'byKind'
      readonly cases: readonly { readonly kinds: readonly ValueKind[]; readonly conversion: Conversion }[]
    }
  /** A conversion that contains itself; emitted as a named function. */
  | {
      readonly kind: 'named'
      readonly name: string
      /** The shared definition that contains itself; absent where a part of one does. */
      readonly definition?: string
      readonly body: Conversion
      readonly types: RecursiveTypes
    }
  | { readonly kind: 'ref'; readonly name: string }

/** A shared definition, converted from or to a type of the client. */
interface DefinitionPart {
  readonly definition: string
  /** The same number for the same type of the client, within one design. */
  readonly type: number
}

/** The two types of a recursive conversion's function, as steps from a type that generated code can name. */
export interface RecursiveTypes {
  readonly from: TypePath
  readonly to: TypePath
}

/** A type reached from the payload, the arguments, the method's response or the result of the tool. */
export type TypePath = readonly (
  | { readonly kind: 'key'; readonly name: string }
  | { readonly kind: 'item'; readonly of: 'array' | 'record' }
)[]

/** One field of the target with its source. */
export interface FieldConversion {
  /** The key of the target. */
  readonly to: string
  /** The key of the source; absent for a constant. */
  readonly from?: string
  readonly constant?: Json
  readonly conversion: Conversion
  /**
   * Behaviour where the source may lack the key: `required` it never does; `omit` leaves the key out when the source is
   * undefined; `omitNull` also when it is null; `undefined` writes the key with undefined; `undefinedNull` writes
   * undefined also for null.
   */
  readonly presence: 'required' | 'omit' | 'omitNull' | 'undefined' | 'undefinedNull'
  /** True where only some alternatives of the source declare the key, which is then left out for the others. */
  readonly partial?: true
}

/** One argument of the method with its source. */
export type ArgumentPlan =
  /** A positional parameter from one payload field. */
  | { readonly kind: 'field'; readonly field: FieldConversion }
  /** A rest parameter from one payload field that is an array. */
  | { readonly kind: 'spread'; readonly field: FieldConversion }
  /** An object parameter from (the rest of) the payload; with the key under which it takes the call's signal. */
  | { readonly kind: 'bag'; readonly conversion: Conversion; readonly signal?: string }
  /** A parameter that is the call's signal. */
  | { readonly kind: 'signal' }
  | { readonly kind: 'constant'; readonly value: Json }
  | { readonly kind: 'undefined' }

/** The verdict for one direction of one tool. */
export type Verdict<Plan> =
  | { readonly verdict: 'pass' | 'convert'; readonly plan: Plan }
  /** The declared type is wider than the tool's result and the result codec decides. */
  | { readonly verdict: 'checked'; readonly plan: Plan }
  /** The application must supply a mapper. The reason is the message of the first diagnostic, with its code at the end. */
  | { readonly verdict: 'mapper'; readonly reason: string }

/** The plan of one tool of one use. */
export interface ToolPlan {
  readonly tool: string
  /** The method's path on the client. */
  readonly method: readonly string[]
  /** The steps of the path that may be absent at run time: indices into `method`. */
  readonly optional: readonly number[]
  /** The signature to call: its position counted from the last one, and the number of signatures. */
  readonly signature: { readonly fromLast: number; readonly of: number; readonly generic: boolean }
  readonly payload: Verdict<readonly ArgumentPlan[]>
  /** From the response; from all items or the last one where the method streams. */
  readonly result: Verdict<Conversion>
  /** Present where the method returns a stream: from an item to an update, and the source of the result. */
  readonly stream?: { readonly collect: 'list' | 'last'; readonly update: Verdict<Conversion> }
  /** True for a method that returns something awaitable other than a `Promise` of a plain value. */
  readonly thenable: boolean
  /** True when `data` is unwrapped before the conversion. */
  readonly unwrapData: boolean
}

/** The plans of one use, by tool name. A record without a prototype. */
export type UsePlan = Readonly<Record<string, ToolPlan>>

/** The plans of a design: agent name → name of the use (`as`) → plans. Records without a prototype. */
export type ServicePlans = Readonly<Record<string, Readonly<Record<string, UsePlan>>>>

/** Returns a record without a prototype: its keys are names that users choose. */
export function record<Value>(entries: readonly (readonly [string, Value])[]): Readonly<Record<string, Value>> {
  const made: Record<string, Value> = Object.create(null)
  for (const [key, value] of entries) made[key] = value
  return made
}
