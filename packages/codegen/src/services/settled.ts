import { childrenOf, type Draft, type DraftCase } from './draft.js'
import { mergeDrafts } from './draft-merge.js'
import type { Conversion, ValueKind } from './plan.js'

/** `transform` is the conversion that runs before the result codec. */
export type SurplusDroppedBy = 'codec' | 'transform'

export function settlesToPass(draft: Draft): boolean {
  return new Settled(draft).conversion.kind === 'pass'
}

type Alternative = DraftCase & { readonly conversion: Conversion }

export class Settled {
  readonly conversion: Conversion
  /** True if the alternatives of a union need different conversions, and generated code cannot test which alternative a value belongs to. */
  undecided = false
  /** True if generated code cannot express the types of a recursive conversion. */
  unnameable = false
  readonly #surplusDroppedBy: SurplusDroppedBy
  readonly #merges: boolean
  readonly #unchanged: Set<string>

  /** `surplus` is absent for a payload, whose union alternatives never share a merged conversion. */
  constructor(draft: Draft, surplus?: SurplusDroppedBy) {
    this.#surplusDroppedBy = surplus ?? 'codec'
    this.#merges = surplus !== undefined
    const bodies = new Map<string, Draft>()
    const collect = (each: Draft): void => {
      if (each.kind === 'named') bodies.set(each.name, each.body)
      for (const child of childrenOf(each)) collect(child)
    }
    collect(draft)
    // First assumes that no recursive conversion changes values. Then removes those that change values, until none is left to remove.
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

  #merged(alternatives: readonly Alternative[]): Conversion | undefined {
    const draft = this.#merges ? mergeDrafts(alternatives.map((each) => each.draft)) : undefined
    return draft && this.#finish(draft)
  }

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
    // `typeof` returns `object` for an array too, so objects come last.
    const isLast = (group: { readonly kinds: readonly ValueKind[] }): boolean => group.kinds.includes('object')
    return { kind: 'byKind', cases: [...groups.filter((group) => !isLast(group)), ...groups.filter(isLast)] }
  }
}

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
