import { type Conversion, type Draft, type DraftCase, mergedDraft, type ValueKind } from './plan.js'

/** A draft made final. */
export interface Settled {
  readonly conversion: Conversion
  /** True when variants of a union convert differently and nothing tells them apart. */
  readonly undecided: boolean
  /** True when a recursive conversion stands where its type cannot be written. */
  readonly unnameable: boolean
}

/** Remover of undeclared fields in a result: the result codec, or the conversion. */
export type SurplusDroppedBy = 'codec' | 'transform'

interface Settling {
  readonly surplus: SurplusDroppedBy
  /** Whether one conversion can represent alternatives with nearly the same conversion. */
  readonly merges: boolean
  /** The recursive parts that change nothing. */
  unchanged: ReadonlySet<string>
  undecided: boolean
  unnameable: boolean
}

/**
 * Makes a draft final: what changes nothing at all becomes `pass`.
 *
 * @param resultOf who leaves out what a result does not declare; absent for a payload, whose variants each go to a type
 * of their own and are never merged
 */
export function settle(draft: Draft, resultOf?: SurplusDroppedBy): Settled {
  const surplus = resultOf ?? 'codec'
  const merges = resultOf !== undefined
  const settling: Settling = { surplus, merges, unchanged: new Set(), undecided: false, unnameable: false }
  settling.unchanged = unchangedNames(draft, surplus)
  const conversion = finish(draft, settling)
  return { conversion, undecided: settling.undecided, unnameable: settling.unnameable }
}

/** The recursive parts that change nothing: assumed of all, taken back until nothing contradicts. */
function unchangedNames(draft: Draft, surplus: SurplusDroppedBy): ReadonlySet<string> {
  const bodies = new Map<string, Draft>()
  collectNamed(draft, bodies)
  const unchanged = new Set(bodies.keys())
  for (let before = -1; before !== unchanged.size; ) {
    before = unchanged.size
    for (const [name, body] of bodies) if (!passes(body, unchanged, surplus)) unchanged.delete(name)
  }
  return unchanged
}

function collectNamed(draft: Draft, bodies: Map<string, Draft>): void {
  if (draft.kind === 'named') bodies.set(draft.name, draft.body)
  for (const child of childrenOf(draft)) collectNamed(child, bodies)
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

function passes(draft: Draft, unchanged: ReadonlySet<string>, surplus: SurplusDroppedBy): boolean {
  const allPass = (children: readonly Draft[]): boolean => children.every((child) => passes(child, unchanged, surplus))
  switch (draft.kind) {
    case 'pass':
      return true
    case 'ref':
    case 'named':
      return unchanged.has(draft.name)
    case 'object':
      return (
        (draft.identity === true || (draft.identity === 'surplus' && surplus === 'codec')) && allPass(childrenOf(draft))
      )
    case 'array':
      return draft.identity && allPass([draft.items])
    case 'record':
      return draft.from === draft.to && allPass([draft.values])
    case 'nullable':
    case 'choice':
      return allPass(childrenOf(draft))
    default:
      return false
  }
}

function finish(draft: Draft, settling: Settling): Conversion {
  return passes(draft, settling.unchanged, settling.surplus) ? { kind: 'pass' } : expand(draft, settling)
}

/** The conversion with its own node kept, even if it changes nothing. */
function expand(draft: Draft, settling: Settling): Conversion {
  const inner = (child: Draft): Conversion => finish(child, settling)
  switch (draft.kind) {
    case 'object':
      return {
        kind: 'object',
        fields: draft.fields.map((field) => ({ ...field, conversion: inner(field.conversion) })),
        rest: draft.rest,
        ...(draft.part === undefined ? {} : { part: draft.part }),
      }
    case 'array':
      return { kind: 'array', items: inner(draft.items), from: draft.from, to: draft.to }
    case 'record':
      return { kind: 'record', values: inner(draft.values), from: draft.from, to: draft.to }
    case 'nullable':
      return { kind: 'nullable', inner: inner(draft.inner), of: draft.of }
    case 'orNull':
      return { kind: 'orNull', inner: inner(draft.inner) }
    case 'named':
      settling.unnameable ||= draft.types === undefined
      return {
        kind: 'named',
        name: draft.name,
        ...(draft.definition === undefined ? {} : { definition: draft.definition }),
        body: expand(draft.body, settling),
        types: draft.types ?? { from: [], to: [] },
      }
    case 'choice':
      return choose(draft, settling)
    default:
      return draft
  }
}

type Choice = Draft & { readonly kind: 'choice' }
type Alternative = DraftCase & { readonly conversion: Conversion }

function choose(draft: Choice, settling: Settling): Conversion {
  const alternatives = draft.cases.map((each) => ({
    ...each,
    conversion: draft.splitsField ? expand(each.draft, settling) : finish(each.draft, settling),
  }))
  const found = draft.splitsField
    ? byField(draft.field, 'field', alternatives)
    : (common(alternatives) ??
      byField(draft.field, 'object', alternatives) ??
      merged(alternatives, settling) ??
      byKind(draft.field, alternatives, settling))
  if (found !== undefined) return found
  settling.undecided = true
  return { kind: 'pass' }
}

/** The conversion of all alternatives, if it is the same. */
function common(alternatives: readonly Alternative[]): Conversion | undefined {
  const [first, ...others] = alternatives
  const text = JSON.stringify(first?.conversion)
  return others.every(({ conversion }) => JSON.stringify(conversion) === text) ? first?.conversion : undefined
}

/** One conversion that does for each alternative what its own would do. */
function merged(alternatives: readonly Alternative[], settling: Settling): Conversion | undefined {
  const [first, ...others] = alternatives.map(({ draft }) => draft)
  if (!settling.merges || first === undefined) return undefined
  const draft = others.reduce<Draft | undefined>((known, other) => known && mergedDraft(known, other), first)
  return draft && finish(draft, settling)
}

function byField(
  field: string | undefined,
  narrows: 'object' | 'field',
  alternatives: readonly Alternative[],
): Conversion | undefined {
  if (field === undefined || alternatives.some(({ values }) => values.length === 0)) return undefined
  return {
    kind: 'switch',
    field,
    narrows,
    cases: alternatives.map(({ values, conversion }) => ({ values, conversion })),
  }
}

/** Tells alternatives apart by what `typeof` says of them and objects, if need be, by a field. */
function byKind(
  field: string | undefined,
  alternatives: readonly Alternative[],
  settling: Settling,
): Conversion | undefined {
  const kinds = [...new Set(alternatives.flatMap((each) => each.kinds))]
  if (alternatives.some((each) => each.kinds.length === 0)) return undefined
  const groups: { readonly kinds: ValueKind[]; readonly conversion: Conversion }[] = []
  for (const kind of kinds) {
    const members = alternatives.filter((each) => each.kinds.includes(kind))
    const conversion =
      common(members) ??
      (kind === 'object' ? byField(field, 'object', members) : undefined) ??
      merged(members, settling)
    if (conversion === undefined) return undefined
    const same = groups.find((group) => JSON.stringify(group.conversion) === JSON.stringify(conversion))
    if (same === undefined) groups.push({ kinds: [kind], conversion })
    else same.kinds.push(kind)
  }
  // `typeof` calls an array an object too, so that objects are what is left.
  const isRest = (group: { readonly kinds: readonly ValueKind[] }): boolean => group.kinds.includes('object')
  return { kind: 'byKind', cases: [...groups.filter((group) => !isRest(group)), ...groups.filter(isRest)] }
}
