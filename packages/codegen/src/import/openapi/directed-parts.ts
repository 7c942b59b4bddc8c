import { isObject, own } from '../../schema/json/json.js'
import type { Json, SchemaObject } from '../../schema/json/json-schema.js'
import { pointerOf } from '../../schema/json/pointer.js'
import type { InheritedVariants } from './inherited-variants.js'
import { type DocumentPart, targetOf } from './references.js'

/** What parts are looked through with. */
interface PartsScene {
  readonly root: SchemaObject
  readonly variants: InheritedVariants
  /** Whether an object says of itself that it reads differently in one direction. */
  readonly isMarked: (object: SchemaObject) => boolean
}

interface OwnParts {
  readonly isFlagged: boolean
  readonly targets: readonly DocumentPart[]
}

/** Which schemas of a document read differently in one direction, themselves or through others. */
export class DirectedParts {
  readonly #scene: PartsScene
  readonly #own = new Map<string, OwnParts>()
  readonly #known = new Map<string, boolean>()

  constructor(scene: PartsScene) {
    this.#scene = scene
  }

  has(part: DocumentPart): boolean {
    const start = pointerOf(part.keys)
    const known = this.#known.get(start)
    if (known !== undefined) return known
    const met = new Set<string>()
    const pending = [part]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const pointer = pointerOf(next.keys)
      if (met.has(pointer)) continue
      met.add(pointer)
      const { isFlagged, targets } = this.#ownParts(next, pointer)
      if (isFlagged || this.#known.get(pointer) === true) {
        this.#known.set(start, true)
        return true
      }
      if (this.#known.get(pointer) === undefined) pending.push(...targets)
    }
    // None of all that it leads to reads differently.
    for (const pointer of met) this.#known.set(pointer, false)
    return false
  }

  #ownParts(part: DocumentPart, pointer: string): OwnParts {
    const known = this.#own.get(pointer)
    if (known !== undefined) return known
    const refs = new Set<string>()
    const { root, variants, isMarked } = this.#scene
    const isFlagged = collect(part.value, refs, isMarked)
    const targets = [...refs].flatMap((ref) => {
      const target = targetOf(root, ref)
      if ('why' in target) return []
      return variants.hasVariants(target) ? [target, variants.meant(target, [])] : [target]
    })
    const found = { isFlagged, targets }
    this.#own.set(pointer, found)
    return found
  }
}

/** Collects the references of a value; answers whether something in it is marked. */
function collect(value: Json, refs: Set<string>, isMarked: PartsScene['isMarked']): boolean {
  if (Array.isArray(value)) return value.map((item: Json) => collect(item, refs, isMarked)).includes(true)
  if (!isObject(value)) return false
  const ref = own(value, '$ref')
  if (typeof ref === 'string') refs.add(ref)
  const inside = Object.values(value).map((item) => collect(item, refs, isMarked))
  return inside.includes(true) || isMarked(value)
}
