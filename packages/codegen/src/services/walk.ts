import type { ts } from 'ts-morph'
import type { Schema } from '../ir/types.js'
import { type Shape, shapeOf } from '../schema/shape.js'
import { type Fit, failing, type Spot, spoken, type Walk } from './match.js'
import type { Draft } from './plan.js'
import type { TypeReader } from './types.js'

/** Compares one shape with one type, with `walk.fit` for what lies below. */
export type FitRule = (shape: Shape, type: ts.Type, walk: Walk, spot: Spot) => Fit

/** Rules for comparing types in one direction. */
export interface FitRules {
  readonly fit: FitRule
  /** True where the rule only takes null or undefined out and compares what is left. The shape is resolved. */
  readonly guards: (shape: Shape, type: ts.Type, walk: Pick<Walk, 'reader' | 'resolve'>) => boolean
}

/** Maximum number of compared pairs per direction and signature. */
const largestWalk = 20_000
const deepestWalk = 40

type Entry =
  | { readonly state: 'open'; readonly index: number; name: string | undefined }
  | { readonly state: 'done'; readonly fit: Fit }

/**
 * A walk with a memory. A pair that is met again inside itself is taken to fit (its own comparison says if it does not);
 * what was found under such an assumption is remembered only when the assumption's own pair is closed.
 */
export function startWalk(rules: FitRules, reader: TypeReader, { resolve, definitionOf }: ShapeResolver): Walk {
  const entries = new Map<ts.Type, Map<Shape, Entry>>()
  let open = 0
  let lowest = Number.POSITIVE_INFINITY
  let names = 0
  let left = largestWalk

  const fit = (unresolved: Shape, type: ts.Type, spot: Spot): Fit => {
    const shape = resolve(unresolved)
    left -= 1
    if (left < 0) return failing('TG4113', `${spoken(spot.label, 'the type')} is too large to be compared`)
    if (spot.depth > deepestWalk) return failing('TG4113', `\`${spot.label}\` is nested too deeply to be compared`)
    // A recursive conversion is a function of what is there, so that it begins within the guard.
    if (rules.guards(shape, type, walk)) return rules.fit(shape, type, walk, spot)
    const byShape = entries.get(type) ?? new Map<Shape, Entry>()
    entries.set(type, byShape)
    const known = byShape.get(shape)
    if (known?.state === 'done') return known.fit
    if (known?.state === 'open') {
      lowest = Math.min(lowest, known.index)
      known.name ??= `n${names++}`
      return { draft: { kind: 'ref', name: known.name }, findings: [], used: 0 }
    }
    const entry: Entry & { state: 'open' } = { state: 'open', index: open, name: undefined }
    byShape.set(shape, entry)
    const outer = lowest
    lowest = Number.POSITIVE_INFINITY
    open += 1
    const bare = rules.fit(shape, type, walk, spot)
    open -= 1
    const definition = definitionOf(shape)
    const found = { ...bare, draft: namedDraft(bare.draft, { name: entry.name, definition, type }, spot) }
    const closed = lowest >= entry.index
    if (closed) byShape.set(shape, { state: 'done', fit: found })
    else byShape.delete(shape)
    lowest = closed ? outer : Math.min(outer, lowest)
    return found
  }
  const namedDraft = (draft: Draft, { name, definition, type }: Named, spot: Spot): Draft => {
    const part = definition === undefined ? {} : { part: { definition, type: reader.numberOf(type) } }
    if (name === undefined) return draft.kind === 'object' ? { ...draft, ...part } : draft
    return {
      kind: 'named',
      name,
      ...(definition === undefined ? {} : { definition }),
      body: draft,
      types: spot.nameable ? { from: spot.from, to: spot.to } : undefined,
    }
  }
  const walk: Walk = { reader, resolve, fit }
  return walk
}

/** Name of a draft (if it contains itself) and its target. */
interface Named {
  readonly name: string | undefined
  readonly definition: string | undefined
  readonly type: ts.Type
}

/** Follows the references of a toolset's shapes; the same definition is always the same shape. */
export interface ShapeResolver {
  readonly resolve: (shape: Shape) => Shape
  /** The definition that a resolved shape is; undefined for any other. */
  readonly definitionOf: (shape: Shape) => string | undefined
}

/** A resolver over the definitions of a toolset. */
export function shapeResolver(defs: Readonly<Record<string, Schema>>): ShapeResolver {
  const resolved = new Map<string, Shape>()
  const names = new Map<Shape, string>()
  const resolve = (shape: Shape): Shape => {
    const passed = new Set<string>()
    let current = shape
    while (current.kind === 'ref') {
      const { name, schema } = current
      if (passed.has(name) || !Object.hasOwn(defs, name)) return { kind: 'unknown', schema }
      passed.add(name)
      const next = resolved.get(name) ?? shapeOf(defs[name] ?? true, defs)
      resolved.set(name, next)
      if (next.kind !== 'ref') names.set(next, name)
      current = next
    }
    return current
  }
  return { resolve, definitionOf: (shape) => names.get(shape) }
}
