import type { Json, ToolIr } from '../ir/types.js'
import type { ServiceToolIr } from '../ir/uses.js'

export type BoundToolIr = Pick<ToolIr, 'id' | 'name' | 'payload' | 'result' | 'updates'>

export function boundTool({ id, name, payload, result, updates }: ToolIr): BoundToolIr {
  return { id, name, payload, result, ...(updates !== undefined && { updates }) }
}

/**
 * Options of a tool that affect its plan. The location of the options is not included, so that an edit above the tool does not invalidate the cached
 * plan.
 */
export type BindingOptions = Pick<ServiceToolIr, 'tool' | 'method' | 'rename' | 'constants' | 'result' | 'collect'>

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

export type ValueKind = 'string' | 'number' | 'boolean' | 'bigint' | 'array' | 'object'

/** A conversion of a value. The type contains only JSON, because the cache stores conversions on disk. */
export type Conversion =
  | { readonly kind: 'pass' }
  /** Passes the value unchanged, with a type assertion for the compiler. Needed between a string enum in a schema and a TypeScript enum. */
  | { readonly kind: 'cast' }
  | {
      readonly kind: 'object'
      readonly fields: readonly FieldConversion[]
      /** True if the conversion keeps fields that the type of the object does not declare. */
      readonly rest: boolean
      readonly part?: DefinitionPart
    }
  | { readonly kind: 'array'; readonly items: Conversion; readonly from: 'array' | 'set'; readonly to: 'array' | 'set' }
  | {
      readonly kind: 'record'
      readonly values: Conversion
      readonly from: 'record' | 'map'
      readonly to: 'record' | 'map'
    }
  | { readonly kind: 'nullable'; readonly inner: Conversion; readonly of: 'null' | 'undefined' | 'both' }
  /** Converts `undefined` to null. Preserves null, and converts other values with `inner`. */
  | { readonly kind: 'orNull'; readonly inner: Conversion }
  | { readonly kind: 'scalar'; readonly name: ScalarConversion }
  /** Returns null, for a method without a return value. */
  | { readonly kind: 'null' }
  /** A union whose variants have different conversions. The value of `field` selects the conversion. */
  | {
      readonly kind: 'switch'
      readonly field: string
      /**
       * `object`: the cases are different object types. `field`: the cases are values of `field` in one object type such as
       * `{ role: 'system' | 'user' }`; the last case then needs no test.
       */
      readonly narrows: 'object' | 'field'
      readonly cases: readonly { readonly values: readonly Json[]; readonly conversion: Conversion }[]
    }
  /**
   * A union whose variants have different types of values, such as string and object. The type selects the conversion, and the last case needs no
   * test.
   */
  | {
      readonly kind: 'byKind'
      readonly cases: readonly { readonly kinds: readonly ValueKind[]; readonly conversion: Conversion }[]
    }
  /** A recursive conversion. Generated code contains a named function for this conversion. */
  | {
      readonly kind: 'named'
      readonly name: string
      /**
       * Name of the definition in the toolset's `$defs`, if the definition itself is recursive. Absent if only a part of a definition is recursive.
       */
      readonly definition?: string
      readonly body: Conversion
      readonly types: RecursiveTypes
    }
  | { readonly kind: 'ref'; readonly name: string }

interface DefinitionPart {
  readonly definition: string
  /** Number of the client's type, unique within a design. Conversions with equal `definition` and `type` can share one function. */
  readonly type: number
}

/** Types of a recursive conversion function: the source type and the target type. Each path begins at a type that generated code can name. */
export interface RecursiveTypes {
  readonly from: TypePath
  readonly to: TypePath
}

/** Path to a type inside the type of the payload, the arguments, the response or the result. */
export type TypePath = readonly (
  | { readonly kind: 'key'; readonly name: string }
  | { readonly kind: 'item'; readonly of: 'array' | 'record' }
)[]

export interface FieldConversion {
  readonly to: string
  readonly from?: string
  readonly constant?: Json
  readonly conversion: Conversion
  /**
   * Handling of a key that can be missing in the source object:
   *
   * - `required`: the key is never missing
   * - `omit`: if the value is `undefined`, the target object does not have the key
   * - `omitNull`: if the value is `undefined` or null, the target object does not have the key
   * - `undefined`: if the key is missing, the target has the value `undefined`
   * - `undefinedNull`: if the key is missing or null, the target has the value `undefined`
   */
  readonly presence: 'required' | 'omit' | 'omitNull' | 'undefined' | 'undefinedNull'
  /** True if only some alternatives of the source union declare the key. The conversion then omits the key for all other alternatives. */
  readonly partial?: true
}

export type ArgumentPlan =
  | { readonly kind: 'field'; readonly field: FieldConversion }
  | { readonly kind: 'spread'; readonly field: FieldConversion }
  /**
   * A method parameter that is an object of payload fields: all fields, or all fields that the other parameters do not receive. `signal` is the key
   * of the `AbortSignal` in the object.
   */
  | { readonly kind: 'bag'; readonly conversion: Conversion; readonly signal?: string }
  | { readonly kind: 'signal' }
  | { readonly kind: 'constant'; readonly value: Json }
  | { readonly kind: 'undefined' }

/**
 * Result of comparing the payload, the updates or the result of a tool with a method: the plan of a conversion, or the reason why the application
 * must provide a mapper (a function that converts the value).
 */
export type Verdict<Plan> =
  | { readonly verdict: 'pass' | 'convert'; readonly plan: Plan }
  /** Conversion for a response type that allows more values than the result. The result codec validates each response at run time. */
  | { readonly verdict: 'checked'; readonly plan: Plan }
  /** The application must provide a mapper. `reason` is the message of the first diagnostic, followed by its code, such as `TG4101`. */
  | { readonly verdict: 'mapper'; readonly reason: string }

export interface ToolPlan {
  readonly tool: string
  readonly method: readonly string[]
  /** Indexes of optional names in the path of the method: `[0]` for `orders.get` if the client declares `orders?`. */
  readonly optional: readonly number[]
  /**
   * Signature of an overloaded method that the plan uses. `fromLast: 0` is the last of `of` signatures. `generic`: the signature has type parameters.
   */
  readonly signature: { readonly fromLast: number; readonly of: number; readonly generic: boolean }
  readonly payload: Verdict<readonly ArgumentPlan[]>
  /** Conversion of the response. For a stream, conversion of the array of all items or of the last item. */
  readonly result: Verdict<Conversion>
  readonly stream?: { readonly collect: 'list' | 'last'; readonly update: Verdict<Conversion> }
  /** True if the method may return a plain value or a thenable that is not a `Promise`. */
  readonly thenable: boolean
  readonly unwrapData: boolean
}

/** Plans of an agent's tools in one toolset, by tool name. The record has no prototype. */
export type UsePlan = Readonly<Record<string, ToolPlan>>

/** Plans of a design, by agent name and by the name of the toolset in the agent. The records have no prototype. */
export type ServicePlans = Readonly<Record<string, Readonly<Record<string, UsePlan>>>>

/** Returns a record without a prototype. Users choose the keys, so `__proto__` must be an ordinary key. */
export function record<Value>(entries: readonly (readonly [string, Value])[]): Readonly<Record<string, Value>> {
  const made: Record<string, Value> = Object.create(null)
  for (const [key, value] of entries) made[key] = value
  return made
}
