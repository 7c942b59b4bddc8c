import type { Json, ToolIr } from '../ir/types.js'
import type { ServiceToolIr } from '../ir/uses.js'

export type BoundToolIr = Pick<ToolIr, 'id' | 'name' | 'payload' | 'result' | 'updates'>

export function boundTool({ id, name, payload, result, updates }: ToolIr): BoundToolIr {
  return { id, name, payload, result, ...(updates !== undefined && { updates }) }
}

/** The location of the options is not included, so that an edit above the tool does not invalidate the cached plan. */
export type BindingOptions = Pick<ServiceToolIr, 'tool' | 'method' | 'rename' | 'constants' | 'result' | 'collect'>

export function bindingOptions({ tool, method, rename, constants, result, collect }: ServiceToolIr): BindingOptions {
  return { tool, method, rename, constants, result, ...(collect !== undefined && { collect }) }
}

/** Names of functions in `@toolgen/runtime/codegen/v1`. */
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

/** Contains only JSON, because the cache stores conversions on disk. */
export type Conversion =
  | { readonly kind: 'pass' }
  /** Type assertion that the compiler needs between a string enum in a schema and a TypeScript enum. */
  | { readonly kind: 'cast' }
  | {
      readonly kind: 'object'
      readonly fields: readonly FieldConversion[]
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
  /** Converts `undefined` to null, and keeps null. */
  | { readonly kind: 'orNull'; readonly inner: Conversion }
  | { readonly kind: 'scalar'; readonly name: ScalarConversion }
  /** For a method without a return value. */
  | { readonly kind: 'null' }
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
  /** The type of the value selects the conversion. The last case needs no test. */
  | {
      readonly kind: 'byKind'
      readonly cases: readonly { readonly kinds: readonly ValueKind[]; readonly conversion: Conversion }[]
    }
  /** Recursive: generated code contains a function for this conversion. */
  | {
      readonly kind: 'named'
      readonly name: string
      /** Absent if only a part of a definition is recursive. */
      readonly definition?: string
      readonly body: Conversion
      readonly types: RecursiveTypes
    }
  | { readonly kind: 'ref'; readonly name: string }

interface DefinitionPart {
  readonly definition: string
  /** Unique within a design. Conversions with equal `definition` and `type` can share one function. */
  readonly type: number
}

/** Each path begins at a type that generated code can name. */
export interface RecursiveTypes {
  readonly from: TypePath
  readonly to: TypePath
}

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
  /** Only some alternatives of the source union declare the key. The conversion omits the key for all other alternatives. */
  readonly partial?: true
}

export type ArgumentPlan =
  | { readonly kind: 'field'; readonly field: FieldConversion }
  | { readonly kind: 'spread'; readonly field: FieldConversion }
  /** `signal` is the key of the `AbortSignal` in the object. */
  | { readonly kind: 'bag'; readonly conversion: Conversion; readonly signal?: string }
  | { readonly kind: 'signal' }
  | { readonly kind: 'constant'; readonly value: Json }
  | { readonly kind: 'undefined' }

export type Verdict<Plan> =
  | { readonly verdict: 'pass' | 'convert'; readonly plan: Plan }
  /** The response type allows more values than the result. The result codec validates each response at run time. */
  | { readonly verdict: 'checked'; readonly plan: Plan }
  /**
   * The application must provide a mapper, a function that converts the value. `reason` is the message of the first diagnostic, followed by its code,
   * such as `TG4101`.
   */
  | { readonly verdict: 'mapper'; readonly reason: string }

export interface ToolPlan {
  readonly tool: string
  readonly method: readonly string[]
  /** Indexes of optional names in the path of the method: `[0]` for `orders.get` if the client declares `orders?`. */
  readonly optional: readonly number[]
  /** `fromLast: 0` is the last of `of` signatures. `generic`: the signature has type parameters. */
  readonly signature: { readonly fromLast: number; readonly of: number; readonly generic: boolean }
  readonly payload: Verdict<readonly ArgumentPlan[]>
  /** For a stream, conversion of the array of all items or of the last item. */
  readonly result: Verdict<Conversion>
  readonly stream?: { readonly collect: 'list' | 'last'; readonly update: Verdict<Conversion> }
  /** True if the method may return a plain value or a thenable that is not a `Promise`. */
  readonly thenable: boolean
  readonly unwrapData: boolean
}

export type UsePlan = Readonly<Record<string, ToolPlan>>

/** By agent name, toolset name in the agent, and tool name. The records have no prototype. */
export type ServicePlans = Readonly<Record<string, Readonly<Record<string, UsePlan>>>>

/** Users choose the keys, so `__proto__` must be an ordinary key. */
export function record<Value>(entries: readonly (readonly [string, Value])[]): Readonly<Record<string, Value>> {
  const made: Record<string, Value> = Object.create(null)
  for (const [key, value] of entries) made[key] = value
  return made
}
