import type { ts } from 'ts-morph'
import type { Schema } from '../ir/types.js'
import { type Shape, shapeOf } from '../schema/shape.js'
import type { Draft } from './draft.js'
import type { TypePath } from './plan.js'
import { type Reason, reasons } from './reasons.js'
import type { TypeReader } from './type-reader.js'

/** The result of a comparison of a shape and a type. */
export interface Fit {
  readonly draft: Draft
  readonly reasons: readonly Reason[]
  /** Number of fields that found their counterpart; decides between alternatives that fit equally well. */
  readonly used: number
}

/** A fit that passes. */
export const passing: Fit = { draft: { kind: 'pass' }, reasons: [], used: 0 }

/** Returns a fit with a draft and nothing to remark. */
export function fitting(draft: Draft): Fit {
  return { draft, reasons: [], used: 0 }
}

/** Returns a fit that fails, or that the result codec must decide by means of `draft`. */
export function failing(reason: Reason, draft: Draft = { kind: 'pass' }): Fit {
  return { draft, reasons: [reason], used: 0 }
}

/** Returns the same fit with further reasons. */
export function withReasons(fit: Fit, ...more: readonly Reason[]): Fit {
  return { ...fit, reasons: [...fit.reasons, ...more] }
}

/** Returns how much counts against a fit: a hard reason more than all soft ones. */
export function costOf({ reasons }: Pick<Fit, 'reasons'>): number {
  return reasons.reduce((sum, { weight }) => sum + (weight === 'hard' ? 100 : weight === 'soft' ? 1 : 0), 0)
}

/** Returns the candidate of least cost, then with the most fields used, then the first. */
export function bestFit<Candidate extends Pick<Fit, 'reasons' | 'used'>>(
  candidates: readonly Candidate[],
): Candidate | undefined {
  return candidates.reduce<Candidate | undefined>((best, each) => {
    if (best === undefined) return each
    const difference = costOf(each) - costOf(best)
    return difference < 0 || (difference === 0 && each.used > best.used) ? each : best
  }, undefined)
}

/** Joins several fits to one with another draft. */
export function joinFits(draft: Draft, fits: readonly Fit[]): Fit {
  return {
    draft,
    reasons: fits.flatMap((fit) => fit.reasons),
    used: fits.reduce((sum, fit) => sum + fit.used, 0),
  }
}

/** The position of a comparison in the two trees. */
export interface PairPath {
  /** For messages: `items[].price`. */
  readonly label: string
  readonly from: TypePath
  readonly to: TypePath
  /** True while both paths lead to the type in generated code. */
  readonly nameable: boolean
  readonly depth: number
}

/** Returns the path at which a comparison starts. */
export function startPath(label: string, to: TypePath = []): PairPath {
  return { label, from: [], to, nameable: true, depth: 0 }
}

/** Returns the label of a field below a path. */
export function labelBelow({ label }: PairPath, field: string): string {
  return label === '' ? field : `${label}.${field}`
}

/**
 * Returns the path of a field.
 *
 * @param from its key in the source
 * @param to its key in the target
 * @param field its key in the tool
 */
export function fieldPath(path: PairPath, from: string, to: string, field: string): PairPath {
  return {
    ...path,
    label: labelBelow(path, field),
    from: [...path.from, { kind: 'key', name: from }],
    to: [...path.to, { kind: 'key', name: to }],
    depth: path.depth + 1,
  }
}

/** Returns the path of an item of an array or a record. */
export function itemPath(path: PairPath, of: 'array' | 'record', label = `${path.label}[]`): PairPath {
  return {
    ...path,
    label,
    from: [...path.from, { kind: 'item', of }],
    to: [...path.to, { kind: 'item', of }],
    depth: path.depth + 1,
  }
}

/** The rules of one direction. */
export interface FitRules {
  /** The whole that is converted, in messages. */
  readonly whole: 'the payload' | 'the answer'
  /** Compares one resolved shape with one type, by `matcher.fit` for their children. */
  readonly fit: (shape: Shape, type: ts.Type, matcher: Matcher, path: PairPath) => Fit
  /** Returns true where the rule only takes null or undefined out and compares the rest. The shape is resolved. */
  readonly guards: (shape: Shape, type: ts.Type, matcher: Matcher) => boolean
}

/** Maximum number of pairs that one direction of one signature compares. */
const maxPairs = 20_000
const maxDepth = 40

type Entry =
  | { readonly state: 'open'; readonly index: number; name: string | undefined }
  | { readonly state: 'done'; readonly fit: Fit }

/**
 * Compares the shapes of a tool with types of a client, in one direction. A pair that recurs inside itself is assumed to
 * fit (its own comparison decides); a fit under such an assumption is kept only when the pair of the assumption is closed.
 */
export class Matcher {
  readonly reader: TypeReader
  readonly #rules: FitRules
  readonly #shapes: ShapeResolver
  readonly #entries = new Map<ts.Type, Map<Shape, Entry>>()
  #open = 0
  #lowest = Number.POSITIVE_INFINITY
  #names = 0
  #left = maxPairs

  constructor(rules: FitRules, reader: TypeReader, shapes: ShapeResolver) {
    this.#rules = rules
    this.reader = reader
    this.#shapes = shapes
  }

  /** Follows references to the definitions of the toolset. */
  resolve(shape: Shape): Shape {
    return this.#shapes.resolve(shape)
  }

  /** Returns a part of the payload or the response by its name, or the whole of it in words. */
  named({ label }: PairPath): string {
    return inWords(label, this.#rules.whole)
  }

  /** Compares one shape with one type. */
  fit(unresolved: Shape, type: ts.Type, path: PairPath): Fit {
    const shape = this.resolve(unresolved)
    this.#left -= 1
    if (this.#left < 0) return failing(reasons.tooLarge(inWords(path.label, 'the type')))
    if (path.depth > maxDepth) return failing(reasons.tooDeep(path.label))
    // A recursive conversion is a function of a value that is present, so that it begins within the guard.
    if (this.#rules.guards(shape, type, this)) return this.#rules.fit(shape, type, this, path)
    const byShape = this.#entries.get(type) ?? new Map<Shape, Entry>()
    this.#entries.set(type, byShape)
    const known = byShape.get(shape)
    if (known?.state === 'done') return known.fit
    if (known?.state === 'open') {
      this.#lowest = Math.min(this.#lowest, known.index)
      known.name ??= `n${this.#names++}`
      return fitting({ kind: 'ref', name: known.name })
    }
    const entry: Entry & { state: 'open' } = { state: 'open', index: this.#open, name: undefined }
    byShape.set(shape, entry)
    const outer = this.#lowest
    this.#lowest = Number.POSITIVE_INFINITY
    this.#open += 1
    const bare = this.#rules.fit(shape, type, this, path)
    this.#open -= 1
    const fit = { ...bare, draft: this.#namedDraft(bare.draft, entry.name, shape, type, path) }
    const isClosed = this.#lowest >= entry.index
    if (isClosed) byShape.set(shape, { state: 'done', fit })
    else byShape.delete(shape)
    this.#lowest = isClosed ? outer : Math.min(outer, this.#lowest)
    return fit
  }

  /** @param name of the draft, if it contains itself */
  #namedDraft(draft: Draft, name: string | undefined, shape: Shape, type: ts.Type, path: PairPath): Draft {
    const definition = this.#shapes.definitionOf(shape)
    if (name === undefined) {
      return draft.kind === 'object' && definition !== undefined
        ? { ...draft, part: { definition, type: this.reader.numberOf(type) } }
        : draft
    }
    return {
      kind: 'named',
      name,
      ...(definition !== undefined && { definition }),
      body: draft,
      types: path.nameable ? { from: path.from, to: path.to } : undefined,
    }
  }
}

function inWords(label: string, whole: string): string {
  if (label === '[]') return `an item of ${whole}`
  return label === '' ? whole : `\`${label}\``
}

/** The references of a toolset's shapes; the same definition is always the same shape. */
export interface ShapeResolver {
  readonly resolve: (shape: Shape) => Shape
  /** Returns the definition that a resolved shape is; undefined for any other. */
  readonly definitionOf: (shape: Shape) => string | undefined
}

/** Returns a resolver over the definitions of a toolset. */
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
