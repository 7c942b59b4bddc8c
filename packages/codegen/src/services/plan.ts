import type { Json } from '../ir/types.js'

/**
 * A conversion before it is known which of its recursive parts change nothing. `identity` says that the node itself
 * changes nothing, so that it passes if all below it pass.
 */
export type Draft =
  | { readonly kind: 'pass' | 'cast' | 'null' }
  | { readonly kind: 'scalar'; readonly name: ScalarConversion }
  | {
      readonly kind: 'object'
      readonly fields: readonly DraftField[]
      readonly rest: boolean
      /** `surplus`: the node only leaves undeclared fields out, which the result codec does as well. */
      readonly identity: boolean | 'surplus'
      readonly part?: DefinitionPart
    }
  | {
      readonly kind: 'array'
      readonly items: Draft
      readonly from: 'array' | 'set'
      readonly to: 'array' | 'set'
      readonly identity: boolean
    }
  | { readonly kind: 'record'; readonly values: Draft; readonly from: 'record' | 'map'; readonly to: 'record' | 'map' }
  | { readonly kind: 'nullable'; readonly inner: Draft; readonly of: 'null' | 'undefined' | 'both' }
  | { readonly kind: 'orNull'; readonly inner: Draft }
  /** Alternatives of a union: fine when all pass or all are the same, else told apart by their kind or by a field. */
  | {
      readonly kind: 'choice'
      readonly field: string | undefined
      readonly cases: readonly DraftCase[]
      /** The cases narrow a field of one object type, not the object: none may pass unless all do. */
      readonly splitsField: boolean
    }
  | {
      readonly kind: 'named'
      readonly name: string
      readonly definition?: string
      readonly body: Draft
      /** Absent where no generated type text leads to it. */
      readonly types: RecursiveTypes | undefined
    }
  | { readonly kind: 'ref'; readonly name: string }

export interface DraftCase {
  /** The kinds of value that the alternative has at run time; empty when nothing is known. */
  readonly kinds: readonly ValueKind[]
  /** Values of the field in this alternative. */
  readonly values: readonly Json[]
  readonly draft: Draft
}

/** See {@link FieldConversion}. */
export interface DraftField extends Omit<FieldConversion, 'conversion'> {
  readonly conversion: Draft
}

/** Passes. */
export const pass: Draft = { kind: 'pass' }

/**
 * One draft for two alternatives of a union: objects, lists and records whose parts convert alike, with the guards that
 * one of the two needs. Undefined where no single conversion does for both.
 */
export function mergedDraft(a: Draft, b: Draft): Draft | undefined {
  if (JSON.stringify(a) === JSON.stringify(b)) return a
  if (a.kind === 'orNull' || b.kind === 'orNull') {
    return around(mergedDraft(bare(a), bare(b)), (inner) => ({ kind: 'orNull', inner }))
  }
  if (a.kind === 'nullable' || b.kind === 'nullable') {
    const [of, other] = [a, b].flatMap((draft) => (draft.kind === 'nullable' ? [draft.of] : []))
    const both = other === undefined || other === of ? (of ?? 'both') : 'both'
    return around(mergedDraft(bare(a), bare(b)), (inner) => ({ kind: 'nullable', inner, of: both }))
  }
  if (a.kind === 'object' && b.kind === 'object') return mergedObject(a, b)
  if (a.kind === 'array' && b.kind === 'array' && a.from === b.from && a.to === b.to) {
    const identity = a.identity && b.identity
    return around(mergedDraft(a.items, b.items), (items) => ({ ...a, items, identity }))
  }
  if (a.kind === 'record' && b.kind === 'record' && a.from === b.from && a.to === b.to) {
    return around(mergedDraft(a.values, b.values), (values) => ({ ...a, values }))
  }
  if (a.kind === 'pass' && isDateToText(b)) return b
  return isDateToText(a) && b.kind === 'pass' ? a : undefined
}

/** True for the conversion whose helper takes a string as well as a Date. */
export function isDateToText(draft: Draft): boolean {
  return draft.kind === 'scalar' && draft.name === 'dateToDateTime'
}

function around(inner: Draft | undefined, make: (inner: Draft) => Draft): Draft | undefined {
  return inner && make(inner)
}

function bare(draft: Draft): Draft {
  return draft.kind === 'nullable' || draft.kind === 'orNull' ? draft.inner : draft
}

type ObjectDraft = Draft & { readonly kind: 'object' }

function mergedObject(a: ObjectDraft, b: ObjectDraft): Draft | undefined {
  if (a.rest !== b.rest) return undefined
  const names = [...new Set([...a.fields, ...b.fields].map(({ to }) => to))]
  const fields = names.map((name) => {
    const [one, other] = [a, b].map(({ fields }) => fields.find(({ to }) => to === name))
    if (one !== undefined && other !== undefined) return mergedField(one, other)
    const only = one ?? other
    return only && partialField(only)
  })
  const complete = fields.flatMap((field) => field ?? [])
  if (complete.length < fields.length) return undefined
  const isPartial = complete.some(({ partial }) => partial === true)
  const identity = !isPartial && (a.identity === true ? b.identity : a.identity && b.identity && 'surplus')
  return { kind: 'object', fields: complete, rest: a.rest, identity }
}

function mergedField(a: DraftField, b: DraftField): DraftField | undefined {
  if (a.from !== b.from || JSON.stringify(a.constant) !== JSON.stringify(b.constant)) return undefined
  const conversion = mergedDraft(a.conversion, b.conversion)
  const presence = mergedPresence(a.presence, b.presence)
  if (conversion === undefined || presence === undefined) return undefined
  const partial = a.partial === true || b.partial === true
  return { ...a, conversion, presence, ...(partial && { partial }) }
}

/** A field that the other alternative does not declare: what is found on every object would be taken for it. */
function partialField(field: DraftField): DraftField | undefined {
  const { from, presence } = field
  if (from === undefined || from in Object.prototype || presence.startsWith('undefined')) return undefined
  return { ...field, presence: presence === 'required' ? 'omit' : presence, partial: true }
}

/** The one that needs less of the source; undefined where the target would differ. */
function mergedPresence(a: DraftField['presence'], b: DraftField['presence']): DraftField['presence'] | undefined {
  if (a === b) return a
  const [weak, strong] = a === 'required' ? [a, b] : [b, a]
  if (weak === 'required') return strong
  const family = (presence: string): string => presence.replace('Null', '')
  return family(a) === family(b) ? (a.endsWith('Null') ? a : b) : undefined
}

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

/** Kinds that can be distinguished at run time without inspecting the value. */
export type ValueKind = 'string' | 'number' | 'boolean' | 'bigint' | 'array' | 'object'

/** Conversion of a value from one side to the other. Plain JSON, cached on disk. */
export type Conversion =
  /** Same bytes, same type. */
  | { readonly kind: 'pass' }
  /** Same bytes, but the checker needs to be told (string enum ↔ TypeScript enum). */
  | { readonly kind: 'cast' }
  | {
      readonly kind: 'object'
      readonly fields: readonly FieldConversion[]
      /** Undeclared fields of an open object travel along. */
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
  /** `null` and `undefined` stay what they are, everything else is converted. */
  | { readonly kind: 'nullable'; readonly inner: Conversion; readonly of: 'null' | 'undefined' | 'both' }
  /** `undefined` and `null` become null, everything else is converted. */
  | { readonly kind: 'orNull'; readonly inner: Conversion }
  | { readonly kind: 'scalar'; readonly name: ScalarConversion }
  /** A method without an answer, for a tool whose result is null. */
  | { readonly kind: 'null' }
  /** A union whose variants convert differently, told apart by a field of the source. */
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

/** A shared definition met with a type of the client. */
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

/** A type reached from the payload, the arguments, the method's answer or the result of the tool. */
export type TypePath = readonly TypeStep[]

/** One step of a {@link TypePath}. */
type TypeStep =
  | { readonly kind: 'key'; readonly name: string }
  | { readonly kind: 'item'; readonly of: 'array' | 'record' }

/** Conversion of one field of the target. */
export interface FieldConversion {
  /** The key of the target. */
  readonly to: string
  /** The key of the source; absent for a constant. */
  readonly from?: string
  readonly constant?: Json
  readonly conversion: Conversion
  /**
   * Treatment of a missing source key: `required` does not occur; `omit` leaves the key out if the source is
   * undefined, `omitNull` also if it is null; `undefined` writes the key with undefined, `undefinedNull` also for
   * null.
   */
  readonly presence: 'required' | 'omit' | 'omitNull' | 'undefined' | 'undefinedNull'
  /** True where only some alternatives of the source declare the key, which is then left out for the others. */
  readonly partial?: true
}

/** Source of one argument of the method. */
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
  /** The application must supply a mapper. */
  | {
      readonly verdict: 'mapper'
      /** The first reason in words, with the code of its diagnostic behind it. */
      readonly reason: string
    }

/** Signature to call. */
export interface SignaturePlan {
  /** Counted from the last signature: 0 is the last. */
  readonly fromLast: number
  /** Number of signatures of the method. */
  readonly of: number
  readonly generic: boolean
}

/** Conversion of a stream. */
interface StreamPlan {
  /** Part of the stream that the result is made from. */
  readonly collect: 'list' | 'last'
  /** From an item to an update. */
  readonly update: Verdict<Conversion>
}

/** Plan for one tool of one use. */
export interface ToolPlan {
  readonly tool: string
  /** The method's path on the client. */
  readonly method: readonly string[]
  /** Indices of path steps in `method` that can be absent at run time. */
  readonly optional: readonly number[]
  readonly signature: SignaturePlan
  readonly payload: Verdict<readonly ArgumentPlan[]>
  /** From the answer; from all items or the last one where the method streams. */
  readonly result: Verdict<Conversion>
  /** There where the method answers with a stream, which becomes updates. */
  readonly stream?: StreamPlan
  /** The method answers something that can be awaited but is no `Promise` of a plain value. */
  readonly thenable: boolean
  /** `data` is unwrapped before the conversion. */
  readonly unwrapData: boolean
}

/** The plans of one use, by tool name. A record without a prototype. */
export type UsePlan = Readonly<Record<string, ToolPlan>>

/** The plans of a design: agent name → name of the use (`as`) → plans. Records without a prototype. */
export type ServicePlans = Readonly<Record<string, Readonly<Record<string, UsePlan>>>>
