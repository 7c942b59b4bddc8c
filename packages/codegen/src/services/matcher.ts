import type { ts } from 'ts-morph'
import type { Shape } from '../schema/shape.js'
import type { Draft } from './draft.js'
import { type Fit, failing, fitting } from './fit.js'
import type { TypePath } from './plan.js'
import { reasons } from './reasons.js'
import type { Shapes } from './shapes.js'
import type { TypeReader } from './type-reader.js'

export interface PairPath {
  /** For messages, such as `items[].price`. */
  readonly label: string
  readonly from: TypePath
  readonly to: TypePath
  /** True if generated code can express the types at the paths `from` and `to`. False inside a union, a Set or a Map. */
  readonly nameable: boolean
  readonly depth: number
}

export function startPath(label: string, to: TypePath = []): PairPath {
  return { label, from: [], to, nameable: true, depth: 0 }
}

export function labelBelow({ label }: PairPath, field: string): string {
  return label === '' ? field : `${label}.${field}`
}

export function fieldPath(path: PairPath, from: string, to: string, field: string): PairPath {
  return {
    ...path,
    label: labelBelow(path, field),
    from: [...path.from, { kind: 'key', name: from }],
    to: [...path.to, { kind: 'key', name: to }],
    depth: path.depth + 1,
  }
}

export function itemPath(path: PairPath, of: 'array' | 'record', label = `${path.label}[]`): PairPath {
  return {
    ...path,
    label,
    from: [...path.from, { kind: 'item', of }],
    to: [...path.to, { kind: 'item', of }],
    depth: path.depth + 1,
  }
}

const maxPairs = 20_000
const maxDepth = 40

type Entry =
  | { readonly state: 'open'; readonly index: number; name: string | undefined }
  | { readonly state: 'done'; readonly fit: Fit }

/**
 * A comparison of recursive types can reach the same shape and type again. The matcher then assumes that the shape and the type match, and does not
 * cache results that depend on this assumption.
 */
export abstract class Matcher {
  readonly reader: TypeReader
  readonly shapes: Shapes
  protected abstract readonly whole: string
  readonly #entries = new Map<ts.Type, Map<Shape, Entry>>()
  #open = 0
  #lowest = Number.POSITIVE_INFINITY
  #names = 0
  #left = maxPairs

  constructor(reader: TypeReader, shapes: Shapes) {
    this.reader = reader
    this.shapes = shapes
  }

  /** `shape` is never a reference. Implementations compare fields and items with {@link fit}, which detects recursive types. */
  protected abstract compare(shape: Shape, type: ts.Type, path: PairPath): Fit

  /**
   * Returns true if {@link compare} removes null or undefined and then calls {@link fit} again. Only this second call can be part of a recursive
   * conversion, whose function accepts neither null nor undefined.
   */
  protected abstract guards(shape: Shape, type: ts.Type): boolean

  named({ label }: PairPath, whole: string = this.whole): string {
    if (label === '[]') return `an item of ${whole}`
    return label === '' ? whole : `\`${label}\``
  }

  fit(unresolved: Shape, type: ts.Type, path: PairPath): Fit {
    const shape = this.shapes.resolve(unresolved)
    this.#left -= 1
    if (this.#left < 0) return failing(reasons.tooLarge(this.named(path, 'the type')))
    if (path.depth > maxDepth) return failing(reasons.tooDeep(path.label))
    // The function of a recursive conversion takes a value without null and undefined, so these are removed first.
    if (this.guards(shape, type)) return this.compare(shape, type, path)
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
    const bare = this.compare(shape, type, path)
    this.#open -= 1
    const fit = { ...bare, draft: this.#namedDraft(bare.draft, entry.name, shape, type, path) }
    const isClosed = this.#lowest >= entry.index
    if (isClosed) byShape.set(shape, { state: 'done', fit })
    else byShape.delete(shape)
    this.#lowest = isClosed ? outer : Math.min(outer, this.#lowest)
    return fit
  }

  /**
   * Generated code needs a named function for each recursive conversion. An object from a shared definition keeps the definition, so that several
   * tools can share one function.
   */
  #namedDraft(draft: Draft, name: string | undefined, shape: Shape, type: ts.Type, path: PairPath): Draft {
    const definition = this.shapes.definitionOf(shape)
    if (name === undefined) {
      return draft.kind === 'object' && definition !== undefined
        ? { ...draft, part: { definition, type: this.reader.numberOf(type) } }
        : draft
    }
    const types = path.nameable ? { from: path.from, to: path.to } : undefined
    return { kind: 'named', name, ...(definition !== undefined && { definition }), body: draft, types }
  }
}
