import type { Json } from '../ir/types.js'
import type { Conversion, FieldConversion, RecursiveTypes, ValueKind } from './plan.js'

/**
 * A conversion before its recursive parts are known to change something. `identity` says that the node itself changes
 * nothing, so that it passes if all its children pass.
 */
export type Draft =
  | Exclude<
      Conversion,
      { readonly kind: 'object' | 'array' | 'record' | 'nullable' | 'orNull' | 'switch' | 'byKind' | 'named' }
    >
  | (Pick<Conversion & { readonly kind: 'object' }, 'kind' | 'rest' | 'part'> & {
      readonly fields: readonly DraftField[]
      /** `surplus`: the node only leaves undeclared fields out, which the result codec does as well. */
      readonly identity: boolean | 'surplus'
    })
  | (Omit<Conversion & { readonly kind: 'array' }, 'items'> & { readonly items: Draft; readonly identity: boolean })
  | (Omit<Conversion & { readonly kind: 'record' }, 'values'> & { readonly values: Draft })
  | (Omit<Conversion & { readonly kind: 'nullable' }, 'inner'> & { readonly inner: Draft })
  | { readonly kind: 'orNull'; readonly inner: Draft }
  /** Alternatives of a union: fine when all pass or all are the same, else distinguished by their kind or by a field. */
  | {
      readonly kind: 'choice'
      readonly field: string | undefined
      readonly cases: readonly DraftCase[]
      /** True when the cases narrow a field of one object type, not the object: none may pass unless all do. */
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

export interface DraftCase {
  /** The kinds of value that the alternative has at run time; empty when they are not known. */
  readonly kinds: readonly ValueKind[]
  /** The values of the field in this alternative. */
  readonly values: readonly Json[]
  readonly draft: Draft
}

/** See {@link FieldConversion}. */
export interface DraftField extends Omit<FieldConversion, 'conversion'> {
  readonly conversion: Draft
}

/** Returns true for the conversion whose helper takes a string as well as a Date. */
export function isDateToText(draft: Draft): boolean {
  return draft.kind === 'scalar' && draft.name === 'dateToDateTime'
}

/**
 * Merges the drafts of alternatives: objects, arrays and records whose parts convert alike, with the guards that one of
 * them needs. Undefined where no single conversion works for all.
 */
export function mergeDrafts([first, ...others]: readonly Draft[]): Draft | undefined {
  return others.reduce<Draft | undefined>((merged, other) => merged && mergeTwo(merged, other), first)
}

function mergeTwo(a: Draft, b: Draft): Draft | undefined {
  if (JSON.stringify(a) === JSON.stringify(b)) return a
  const withInner = (x: Draft, y: Draft, make: (inner: Draft) => Draft): Draft | undefined => {
    const inner = mergeTwo(x, y)
    return inner && make(inner)
  }
  const bare = (draft: Draft): Draft => (draft.kind === 'nullable' || draft.kind === 'orNull' ? draft.inner : draft)
  if (a.kind === 'orNull' || b.kind === 'orNull') {
    return withInner(bare(a), bare(b), (inner) => ({ kind: 'orNull', inner }))
  }
  if (a.kind === 'nullable' || b.kind === 'nullable') {
    const guards = new Set([a, b].flatMap((draft) => (draft.kind === 'nullable' ? [draft.of] : [])))
    const [of = 'both', ...more] = guards
    return withInner(bare(a), bare(b), (inner) => ({ kind: 'nullable', inner, of: more.length > 0 ? 'both' : of }))
  }
  if (a.kind === 'object' && b.kind === 'object') return mergeObjects(a, b)
  if (a.kind === 'array' && b.kind === 'array' && a.from === b.from && a.to === b.to) {
    return withInner(a.items, b.items, (items) => ({ ...a, items, identity: a.identity && b.identity }))
  }
  if (a.kind === 'record' && b.kind === 'record' && a.from === b.from && a.to === b.to) {
    return withInner(a.values, b.values, (values) => ({ ...a, values }))
  }
  if (a.kind === 'pass' && isDateToText(b)) return b
  return isDateToText(a) && b.kind === 'pass' ? a : undefined
}

type ObjectDraft = Draft & { readonly kind: 'object' }

function mergeObjects(a: ObjectDraft, b: ObjectDraft): Draft | undefined {
  if (a.rest !== b.rest) return undefined
  const names = [...new Set([...a.fields, ...b.fields].map(({ to }) => to))]
  const fields = names.flatMap((name) => {
    const [one, other] = [a, b].map((draft) => draft.fields.find(({ to }) => to === name))
    return (one !== undefined && other !== undefined ? mergeFields(one, other) : partialField(one ?? other)) ?? []
  })
  if (fields.length < names.length) return undefined
  const isPartial = fields.some(({ partial }) => partial === true)
  const identity = !isPartial && (a.identity === true ? b.identity : a.identity && b.identity && 'surplus')
  return { kind: 'object', fields, rest: a.rest, identity }
}

function mergeFields(a: DraftField, b: DraftField): DraftField | undefined {
  if (a.from !== b.from || JSON.stringify(a.constant) !== JSON.stringify(b.constant)) return undefined
  const conversion = mergeTwo(a.conversion, b.conversion)
  const presence = mergePresence(a.presence, b.presence)
  if (conversion === undefined || presence === undefined) return undefined
  return { ...a, conversion, presence, ...((a.partial === true || b.partial === true) && { partial: true }) }
}

/** A field that the other alternative does not declare: a name that every object has would be read there too. */
function partialField(field: DraftField | undefined): DraftField | undefined {
  if (field?.from === undefined || field.from in Object.prototype || field.presence.startsWith('undefined')) {
    return undefined
  }
  return { ...field, presence: field.presence === 'required' ? 'omit' : field.presence, partial: true }
}

/** Returns the presence that needs less of the source; undefined where the target would differ. */
function mergePresence(a: DraftField['presence'], b: DraftField['presence']): DraftField['presence'] | undefined {
  if (a === b || b === 'required') return a
  if (a === 'required') return b
  const family = (presence: string): string => presence.replace('Null', '')
  return family(a) === family(b) ? (a.endsWith('Null') ? a : b) : undefined
}

/** The step that drops the fields a tool's result does not declare: the result codec, where it does, or the transform. */
export type SurplusDroppedBy = 'codec' | 'transform'

/** Returns true when the final conversion of a draft changes nothing. */
export function settlesToPass(draft: Draft): boolean {
  return new Settled(draft).conversion.kind === 'pass'
}

type Alternative = DraftCase & { readonly conversion: Conversion }

/** A draft made final: what changes nothing at all becomes `pass`. */
export class Settled {
  readonly conversion: Conversion
  /** True when variants of a union convert differently and nothing distinguishes them. */
  undecided = false
  /** True when the type of a recursive conversion cannot be written. */
  unnameable = false
  readonly #surplusDroppedBy: SurplusDroppedBy
  /** True when one conversion may serve for alternatives that convert nearly alike. */
  readonly #merges: boolean
  /** The recursive parts that change nothing. */
  readonly #unchanged: Set<string>

  /**
   * @param surplus the step that drops undeclared fields of a result; absent for a payload, whose variants each have a
   * target type of their own and are never merged
   */
  constructor(draft: Draft, surplus?: SurplusDroppedBy) {
    this.#surplusDroppedBy = surplus ?? 'codec'
    this.#merges = surplus !== undefined
    const bodies = new Map<string, Draft>()
    const collect = (each: Draft): void => {
      if (each.kind === 'named') bodies.set(each.name, each.body)
      for (const child of childrenOf(each)) collect(child)
    }
    collect(draft)
    // Assumed of all, then taken back until nothing contradicts.
    this.#unchanged = new Set(bodies.keys())
    for (let before = -1; before !== this.#unchanged.size; ) {
      before = this.#unchanged.size
      for (const [name, body] of bodies) if (!this.#passes(body)) this.#unchanged.delete(name)
    }
    this.conversion = this.#finish(draft)
  }

  #passes(draft: Draft): boolean {
    switch (draft.kind) {
      case 'pass':
        return true
      case 'ref':
      case 'named':
        return this.#unchanged.has(draft.name)
      case 'object':
        if (draft.identity !== true && !(draft.identity === 'surplus' && this.#surplusDroppedBy === 'codec'))
          return false
        break
      case 'array':
        if (!draft.identity) return false
        break
      case 'record':
        if (draft.from !== draft.to) return false
        break
      case 'nullable':
      case 'choice':
        break
      default:
        return false
    }
    return childrenOf(draft).every((child) => this.#passes(child))
  }

  #finish(draft: Draft): Conversion {
    return this.#passes(draft) ? { kind: 'pass' } : this.#expand(draft)
  }

  /** Returns the conversion with its own node kept, even if it changes nothing. */
  #expand(draft: Draft): Conversion {
    switch (draft.kind) {
      case 'object': {
        const { identity: _, ...rest } = draft
        return {
          ...rest,
          fields: draft.fields.map((field) => ({ ...field, conversion: this.#finish(field.conversion) })),
        }
      }
      case 'array':
        return { kind: 'array', items: this.#finish(draft.items), from: draft.from, to: draft.to }
      case 'record':
        return { ...draft, values: this.#finish(draft.values) }
      case 'nullable':
      case 'orNull':
        return { ...draft, inner: this.#finish(draft.inner) }
      case 'named':
        this.unnameable ||= draft.types === undefined
        return { ...draft, body: this.#expand(draft.body), types: draft.types ?? { from: [], to: [] } }
      case 'choice':
        return this.#choose(draft)
      default:
        return draft
    }
  }

  #choose({ cases, field, splitsField }: Draft & { readonly kind: 'choice' }): Conversion {
    const alternatives = cases.map((each) => ({
      ...each,
      conversion: splitsField ? this.#expand(each.draft) : this.#finish(each.draft),
    }))
    const found = splitsField
      ? byField(field, 'field', alternatives)
      : (common(alternatives) ??
        byField(field, 'object', alternatives) ??
        this.#merged(alternatives) ??
        this.#byKind(field, alternatives))
    this.undecided ||= found === undefined
    return found ?? { kind: 'pass' }
  }

  /** Returns one conversion that has for each alternative the effect of its own. */
  #merged(alternatives: readonly Alternative[]): Conversion | undefined {
    const draft = this.#merges ? mergeDrafts(alternatives.map((each) => each.draft)) : undefined
    return draft && this.#finish(draft)
  }

  /** Distinguishes alternatives by `typeof` and objects, if need be, by a field. */
  #byKind(field: string | undefined, alternatives: readonly Alternative[]): Conversion | undefined {
    if (alternatives.some((each) => each.kinds.length === 0)) return undefined
    const groups: { readonly kinds: ValueKind[]; readonly conversion: Conversion }[] = []
    for (const kind of new Set(alternatives.flatMap((each) => each.kinds))) {
      const members = alternatives.filter((each) => each.kinds.includes(kind))
      const split = kind === 'object' ? byField(field, 'object', members) : undefined
      const conversion = common(members) ?? split ?? this.#merged(members)
      if (conversion === undefined) return undefined
      const same = groups.find((group) => JSON.stringify(group.conversion) === JSON.stringify(conversion))
      if (same === undefined) groups.push({ kinds: [kind], conversion })
      else same.kinds.push(kind)
    }
    // `typeof` calls an array an object too, so that objects come last.
    const isLast = (group: { readonly kinds: readonly ValueKind[] }): boolean => group.kinds.includes('object')
    return { kind: 'byKind', cases: [...groups.filter((group) => !isLast(group)), ...groups.filter(isLast)] }
  }
}

function childrenOf(draft: Draft): readonly Draft[] {
  switch (draft.kind) {
    case 'object':
      return draft.fields.map((field) => field.conversion)
    case 'array':
      return [draft.items]
    case 'record':
      return [draft.values]
    case 'nullable':
    case 'orNull':
      return [draft.inner]
    case 'choice':
      return draft.cases.map((each) => each.draft)
    case 'named':
      return [draft.body]
    default:
      return []
  }
}

/** Returns the conversion of all alternatives, if it is the same. */
function common([first, ...others]: readonly Alternative[]): Conversion | undefined {
  const text = JSON.stringify(first?.conversion)
  return others.every(({ conversion }) => JSON.stringify(conversion) === text) ? first?.conversion : undefined
}

function byField(
  field: string | undefined,
  narrows: 'object' | 'field',
  alternatives: readonly Alternative[],
): Conversion | undefined {
  if (field === undefined || alternatives.some(({ values }) => values.length === 0)) return undefined
  const cases = alternatives.map(({ values, conversion }) => ({ values, conversion }))
  return { kind: 'switch', field, narrows, cases }
}
