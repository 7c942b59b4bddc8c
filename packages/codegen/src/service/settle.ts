import type { Draft } from './draft.js'
import type { Conversion } from './plan.js'

/** A draft made final. */
export interface Settled {
  readonly conversion: Conversion
  /** True when variants of a union convert differently and no field tells them apart. */
  readonly undecided: boolean
  /** True when a recursive conversion stands where its type cannot be written. */
  readonly unnameable: boolean
}

type Found = { -readonly [Key in 'undecided' | 'unnameable']: Settled[Key] }

/** Makes a draft final: what changes nothing at all becomes `pass`. */
export function settle(draft: Draft): Settled {
  const unchanged = unchangedNames(draft)
  const found = { undecided: false, unnameable: false }
  const conversion = finish(draft, unchanged, found)
  return { conversion, ...found }
}

/** The recursive parts that change nothing: assumed of all, taken back until nothing contradicts. */
function unchangedNames(draft: Draft): ReadonlySet<string> {
  const bodies = new Map<string, Draft>()
  collectNamed(draft, bodies)
  const unchanged = new Set(bodies.keys())
  for (let before = -1; before !== unchanged.size; ) {
    before = unchanged.size
    for (const [name, body] of bodies) if (!passes(body, unchanged)) unchanged.delete(name)
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

function passes(draft: Draft, unchanged: ReadonlySet<string>): boolean {
  switch (draft.kind) {
    case 'pass':
      return true
    case 'ref':
    case 'named':
      return unchanged.has(draft.name)
    case 'object':
    case 'array':
      return draft.identity && childrenOf(draft).every((child) => passes(child, unchanged))
    case 'record':
      return draft.from === draft.to && passes(draft.values, unchanged)
    case 'nullable':
    case 'choice':
      return childrenOf(draft).every((child) => passes(child, unchanged))
    default:
      return false
  }
}

function finish(draft: Draft, unchanged: ReadonlySet<string>, found: Found): Conversion {
  return passes(draft, unchanged) ? { kind: 'pass' } : expand(draft, unchanged, found)
}

/** The conversion with its own node kept, even if it changes nothing. */
function expand(draft: Draft, unchanged: ReadonlySet<string>, found: Found): Conversion {
  const inner = (child: Draft): Conversion => finish(child, unchanged, found)
  switch (draft.kind) {
    case 'object':
      return {
        kind: 'object',
        fields: draft.fields.map((field) => ({ ...field, conversion: inner(field.conversion) })),
        rest: draft.rest,
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
      found.unnameable ||= draft.types === undefined
      return {
        kind: 'named',
        name: draft.name,
        body: expand(draft.body, unchanged, found),
        types: draft.types ?? { from: [], to: [] },
      }
    case 'choice':
      return choose(draft, unchanged, found)
    default:
      return draft
  }
}

function choose(draft: Draft & { readonly kind: 'choice' }, unchanged: ReadonlySet<string>, found: Found): Conversion {
  const cases = draft.cases.map((each) => ({
    values: each.values,
    conversion: draft.splitsField ? expand(each.draft, unchanged, found) : finish(each.draft, unchanged, found),
  }))
  const [first] = cases
  const texts = new Set(cases.map((each) => JSON.stringify(each.conversion)))
  if (first !== undefined && texts.size === 1 && !draft.splitsField) return first.conversion
  if (draft.field === undefined) {
    found.undecided = true
    return { kind: 'pass' }
  }
  return { kind: 'switch', field: draft.field, narrows: draft.splitsField ? 'field' : 'object', cases }
}
