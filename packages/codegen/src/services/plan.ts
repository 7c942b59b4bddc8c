import type { Json, ToolIr } from '../ir/types.js'
import type { ServiceToolIr } from '../ir/uses.js'

/** Properties of a tool that determine its plan. */
export type BoundToolIr = Pick<ToolIr, 'id' | 'name' | 'payload' | 'result' | 'updates'>

/** Selects the properties of a tool that determine its plan. */
export function boundTool({ id, name, payload, result, updates }: ToolIr): BoundToolIr {
  return { id, name, payload, result, ...(updates !== undefined && { updates }) }
}

/** Options of a used tool that determine its plan. They do not contain locations, because locations change with every edit above the tool. */
export type BindingOptions = Pick<ServiceToolIr, 'tool' | 'method' | 'rename' | 'constants' | 'result' | 'collect'>

/** Selects the options of a used tool that determine its plan. */
export function bindingOptions({ tool, method, rename, constants, result, collect }: ServiceToolIr): BindingOptions {
  return { tool, method, rename, constants, result, ...(collect !== undefined && { collect }) }
}

/** Scalar conversions of the runtime (`@toolgen/runtime/codegen/v1`). */
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

/** A kind of value that code can recognize without reading its content, for example with `typeof`. */
export type ValueKind = 'string' | 'number' | 'boolean' | 'bigint' | 'array' | 'object'

/** A conversion of a value, as plain JSON for the cache on disk. */
export type Conversion =
  /** Passes the value unchanged. */
  | { readonly kind: 'pass' }
  /** Passes the value unchanged, with a type assertion for the compiler (string enum ↔ TypeScript enum). */
  | { readonly kind: 'cast' }
  | {
      readonly kind: 'object'
      readonly fields: readonly FieldConversion[]
      /** True if the object can have undeclared fields and the conversion keeps these fields. */
      readonly rest: boolean
      /** Shared definition of the toolset that describes the object; absent if the object has no shared definition. */
      readonly part?: DefinitionPart
    }
  /** Converts each item of an array or Set, and creates an array or Set. */
  | { readonly kind: 'array'; readonly items: Conversion; readonly from: 'array' | 'set'; readonly to: 'array' | 'set' }
  /** Converts each value of a record or Map, and creates a record or Map. */
  | {
      readonly kind: 'record'
      readonly values: Conversion
      readonly from: 'record' | 'map'
      readonly to: 'record' | 'map'
    }
  /** Keeps `null`, `undefined` or both (see `of`), and converts all other values with `inner`. */
  | { readonly kind: 'nullable'; readonly inner: Conversion; readonly of: 'null' | 'undefined' | 'both' }
  /** Converts `undefined` and `null` to null, and other values with `inner`. */
  | { readonly kind: 'orNull'; readonly inner: Conversion }
  | { readonly kind: 'scalar'; readonly name: ScalarConversion }
  /** Returns null, for a method without a return value. */
  | { readonly kind: 'null' }
  /** A union whose variants have different conversions. A field of the value distinguishes the variants. */
  | {
      readonly kind: 'switch'
      readonly field: string
      /**
       * `object`: the variants are different object types. `field`: they are the values of the property `field` in one object type, so that
       * the last case needs no test.
       */
      readonly narrows: 'object' | 'field'
      readonly cases: readonly { readonly values: readonly Json[]; readonly conversion: Conversion }[]
    }
  /** A union whose variants have different kinds of values, such as string and object. The last case needs no test. */
  | {
      readonly kind: 'byKind'
      readonly cases: readonly { readonly kinds: readonly ValueKind[]; readonly conversion: Conversion }[]
    }
  /** A recursive conversion, emitted as a named function. */
  | {
      readonly kind: 'named'
      readonly name: string
      /** The shared definition that is recursive; absent if the recursive schema is only a part of a definition. */
      readonly definition?: string
      readonly body: Conversion
      readonly types: RecursiveTypes
    }
  | { readonly kind: 'ref'; readonly name: string }

/** A shared definition with the type of the client that was compared with it. */
interface DefinitionPart {
  readonly definition: string
  /** Number that identifies the type within a design. */
  readonly type: number
}

/** Source type and target type of a recursive conversion function. Each is a path from a type that generated code can name. */
export interface RecursiveTypes {
  readonly from: TypePath
  readonly to: TypePath
}

/** Path to a type inside the type of the payload, the arguments, the response or the result. */
export type TypePath = readonly (
  | { readonly kind: 'key'; readonly name: string }
  | { readonly kind: 'item'; readonly of: 'array' | 'record' }
)[]

/** Conversion of one field, with its keys in the source object and in the converted object. */
export interface FieldConversion {
  /** Key in the converted object. */
  readonly to: string
  /** Key in the source object; absent for a constant. */
  readonly from?: string
  readonly constant?: Json
  readonly conversion: Conversion
  /**
   * Handling of a key that the source object may lack:
   *
   * - `required`: the source object always has the key
   * - `omit`: the converted object lacks the key if the value is `undefined`
   * - `omitNull`: the converted object lacks the key if the value is `undefined` or null
   * - `undefined`: a missing key becomes `undefined`
   * - `undefinedNull`: a missing key and null become `undefined`
   */
  readonly presence: 'required' | 'omit' | 'omitNull' | 'undefined' | 'undefinedNull'
  /** True if only some alternatives of the source type declare the key. For the other alternatives, the converted object lacks the key. */
  readonly partial?: true
}

/** One argument of the method, and the value from which it is made. */
export type ArgumentPlan =
  /** A positional parameter whose value is a payload field. */
  | { readonly kind: 'field'; readonly field: FieldConversion }
  /** A rest parameter whose items are those of an array field of the payload. */
  | { readonly kind: 'spread'; readonly field: FieldConversion }
  /**
   * An object parameter that receives all payload fields, or the fields that no other parameter receives. `signal` is the object's key for
   * the `AbortSignal`.
   */
  | { readonly kind: 'bag'; readonly conversion: Conversion; readonly signal?: string }
  /** A parameter that receives the `AbortSignal` of the call. */
  | { readonly kind: 'signal' }
  | { readonly kind: 'constant'; readonly value: Json }
  | { readonly kind: 'undefined' }

/**
 * Result of comparing the payload, the updates or the result of a tool with a method. It contains the plan for the conversion, or says that
 * the application must provide a mapper.
 */
export type Verdict<Plan> =
  | { readonly verdict: 'pass' | 'convert'; readonly plan: Plan }
  /** The response type is wider than the tool's result, so the result codec validates the response at run time. */
  | { readonly verdict: 'checked'; readonly plan: Plan }
  /** The application must provide a mapper. `reason` is the message of the first diagnostic, followed by its code. */
  | { readonly verdict: 'mapper'; readonly reason: string }

/** Plan for calling the method of one tool and converting its payload and response. */
export interface ToolPlan {
  readonly tool: string
  /** Property names that lead from the client to the method. */
  readonly method: readonly string[]
  /** Indexes of the names in `method` that can be undefined at run time. */
  readonly optional: readonly number[]
  /** Selected signature of the method: its position counted from the last signature, and the number of signatures. */
  readonly signature: { readonly fromLast: number; readonly of: number; readonly generic: boolean }
  readonly payload: Verdict<readonly ArgumentPlan[]>
  /** Conversion of the response. For a stream, conversion of the array of all items or of the last item. */
  readonly result: Verdict<Conversion>
  /**
   * Conversion of an item of the stream to an update, and the items from which the result is made. Absent if the method does not return a
   * stream.
   */
  readonly stream?: { readonly collect: 'list' | 'last'; readonly update: Verdict<Conversion> }
  /** True if the response is a thenable but not a `Promise`, or if it is not always a promise. */
  readonly thenable: boolean
  /** True if the result is in the property `data` of the response. */
  readonly unwrapData: boolean
}

/** Tool name → plan, for the tools that an agent uses from a toolset. A record without a prototype. */
export type UsePlan = Readonly<Record<string, ToolPlan>>

/** Plans of a design: agent name → name of the toolset in the agent → plans of its tools. The records have no prototype. */
export type ServicePlans = Readonly<Record<string, Readonly<Record<string, UsePlan>>>>

/** Returns a record without a prototype, because users choose its keys: `__proto__` must be an ordinary key. */
export function record<Value>(entries: readonly (readonly [string, Value])[]): Readonly<Record<string, Value>> {
  const made: Record<string, Value> = Object.create(null)
  for (const [key, value] of entries) made[key] = value
  return made
}
