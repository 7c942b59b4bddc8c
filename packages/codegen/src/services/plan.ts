import type { Json, ToolIr } from '../ir/types.js'
import type { ServiceToolIr } from '../ir/uses.js'

export type BoundToolIr = Pick<ToolIr, 'id' | 'name' | 'payload' | 'result' | 'updates'>

export function boundTool({ id, name, payload, result, updates }: ToolIr): BoundToolIr {
  return { id, name, payload, result, ...(updates !== undefined && { updates }) }
}

/**
 * Options of an agent's tool that affect its plan. Locations are not included, because an edit above the tool would change the locations and
 * invalidate the cached plan.
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

/** A type of value that code can detect without reading the content, for example with `typeof`. */
export type ValueKind = 'string' | 'number' | 'boolean' | 'bigint' | 'array' | 'object'

/** A conversion of a value, in a JSON format for the cache on disk. */
export type Conversion =
  | { readonly kind: 'pass' }
  /** Passes the value unchanged, with a type assertion for the compiler. Needed between a string enum in a schema and a TypeScript enum. */
  | { readonly kind: 'cast' }
  | {
      readonly kind: 'object'
      readonly fields: readonly FieldConversion[]
      /** True if the object can have undeclared fields and the conversion preserves these fields. */
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
  /** A union of variants with different conversions. A field of the value distinguishes the variants. */
  | {
      readonly kind: 'switch'
      readonly field: string
      /**
       * Kind of the variants: `object` for different object types, `field` for the possible values of the property `field` in one object type. For
       * `field`, the last case needs no test.
       */
      readonly narrows: 'object' | 'field'
      readonly cases: readonly { readonly values: readonly Json[]; readonly conversion: Conversion }[]
    }
  /** A union of variants with different types of values, such as string and object. The last case needs no test. */
  | {
      readonly kind: 'byKind'
      readonly cases: readonly { readonly kinds: readonly ValueKind[]; readonly conversion: Conversion }[]
    }
  /** A recursive conversion. Generated code contains a named function for this conversion. */
  | {
      readonly kind: 'named'
      readonly name: string
      /** Name of the recursive shared definition. Absent if only a part of a definition is recursive. */
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

/** Paths to the source type and the target type of a recursive conversion function. Each path begins at a type that generated code can express. */
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
   * Handling of a key that may be missing in the source object:
   *
   * - `required`: the source object always has the key
   * - `omit`: a key with the value `undefined` is missing in the converted object
   * - `omitNull`: a key with the value `undefined` or null is missing in the converted object
   * - `undefined`: a missing key becomes `undefined`
   * - `undefinedNull`: a missing key and null become `undefined`
   */
  readonly presence: 'required' | 'omit' | 'omitNull' | 'undefined' | 'undefinedNull'
  /** True if only some alternatives of the source type declare the key. For the other alternatives, the converted object does not have the key. */
  readonly partial?: true
}

export type ArgumentPlan =
  | { readonly kind: 'field'; readonly field: FieldConversion }
  | { readonly kind: 'spread'; readonly field: FieldConversion }
  /**
   * An object parameter that receives all payload fields, or all payload fields that have no separate parameter. `signal` is the object's key for the
   * `AbortSignal`.
   */
  | { readonly kind: 'bag'; readonly conversion: Conversion; readonly signal?: string }
  | { readonly kind: 'signal' }
  | { readonly kind: 'constant'; readonly value: Json }
  | { readonly kind: 'undefined' }

/**
 * Result of comparing the payload, the updates or the result of a tool with a method. The result contains the plan for the conversion. Without a
 * possible conversion, the application must define a mapper function.
 */
export type Verdict<Plan> =
  | { readonly verdict: 'pass' | 'convert'; readonly plan: Plan }
  /** The response type is wider than the tool's result. The result codec therefore validates the response at run time. */
  | { readonly verdict: 'checked'; readonly plan: Plan }
  /** The application must define a mapper function. `reason` is the message of the first diagnostic, followed by its code. */
  | { readonly verdict: 'mapper'; readonly reason: string }

export interface ToolPlan {
  readonly tool: string
  readonly method: readonly string[]
  /** Indexes of the names in `method` that can be `undefined` at run time. For example, `[0]` if `orders` in `orders.get` is optional. */
  readonly optional: readonly number[]
  /**
   * Selected signature of the method: position counted from the last signature (`fromLast`), number of signatures (`of`), and whether the signature
   * declares type parameters (`generic`).
   */
  readonly signature: { readonly fromLast: number; readonly of: number; readonly generic: boolean }
  readonly payload: Verdict<readonly ArgumentPlan[]>
  /** Conversion of the response. For a stream, conversion of the array of all items or of the last item. */
  readonly result: Verdict<Conversion>
  readonly stream?: { readonly collect: 'list' | 'last'; readonly update: Verdict<Conversion> }
  /** True if the response may be something other than a `Promise`: another thenable, or a plain value. */
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
