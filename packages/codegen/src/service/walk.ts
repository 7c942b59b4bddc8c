import type { ts } from 'ts-morph'
import type { Schema } from '../ir/types.js'
import { type Shape, shapeOf } from '../schema/shape.js'
import { type Fit, failing, type Spot, type Walk } from './fit.js'
import type { TypeReader } from './type-reader.js'

/** Compares one shape with one type, with `walk.fit` for what lies below. */
export type FitRule = (shape: Shape, type: ts.Type, walk: Walk, spot: Spot) => Fit

/** How many pairs of one direction of one signature are compared before the tool is called too large. */
const largestWalk = 20_000
const deepestWalk = 40

type Entry =
  | { readonly state: 'open'; readonly index: number; name: string | undefined }
  | { readonly state: 'done'; readonly fit: Fit }

/**
 * A walk with a memory. A pair that is met again inside itself is taken to fit (its own comparison says if it does not);
 * what was found under such an assumption is remembered only when the assumption's own pair is closed.
 */
export function startWalk(rule: FitRule, reader: TypeReader, resolve: (shape: Shape) => Shape): Walk {
  const entries = new Map<ts.Type, Map<Shape, Entry>>()
  let open = 0
  let lowest = Number.POSITIVE_INFINITY
  let names = 0
  let left = largestWalk

  const fit = (unresolved: Shape, type: ts.Type, spot: Spot): Fit => {
    const shape = resolve(unresolved)
    left -= 1
    if (left < 0) return failing('TG4113', `${spot.label || 'the type'} is too large to be compared`)
    if (spot.depth > deepestWalk) return failing('TG4113', `${spot.label} is nested too deeply to be compared`)
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
    const bare = rule(shape, type, walk, spot)
    open -= 1
    const draft: Fit['draft'] =
      entry.name === undefined
        ? bare.draft
        : {
            kind: 'named',
            name: entry.name,
            body: bare.draft,
            types: spot.nameable ? { from: spot.from, to: spot.to } : undefined,
          }
    const found = { ...bare, draft }
    const closed = lowest >= entry.index
    if (closed) byShape.set(shape, { state: 'done', fit: found })
    else byShape.delete(shape)
    lowest = closed ? outer : Math.min(outer, lowest)
    return found
  }
  const walk: Walk = { reader, resolve, fit }
  return walk
}

/** Follows the references of a toolset's shapes; the same definition is always the same shape. */
export function shapeResolver(defs: Readonly<Record<string, Schema>>): (shape: Shape) => Shape {
  const resolved = new Map<string, Shape>()
  return (shape) => {
    const passed = new Set<string>()
    let current = shape
    while (current.kind === 'ref') {
      const { name, schema } = current
      if (passed.has(name) || !Object.hasOwn(defs, name)) return { kind: 'unknown', schema }
      passed.add(name)
      const next = resolved.get(name) ?? shapeOf(defs[name] ?? true, defs)
      resolved.set(name, next)
      current = next
    }
    return current
  }
}
