import type { Json } from '../../ir/types.js'
import type { DefinitionPart, FieldConversion, RecursiveTypes, ScalarConversion, ValueKind } from './plan.js'

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
  /** What the field holds in this alternative. */
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
