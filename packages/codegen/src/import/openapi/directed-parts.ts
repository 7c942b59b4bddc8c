import { isObject, own } from '../../schema/json/json.js'
import type { Json, SchemaObject } from '../../schema/json/json-schema.js'
import { pointerOf } from '../../schema/json/pointer.js'
import { type DocumentPart, targetOf } from './references.js'

interface OwnParts {
  readonly isFlagged: boolean
  readonly targets: readonly DocumentPart[]
}

/** Which schemas of a document read differently when they are sent and when they come back, themselves or through others. */
export class DirectedParts {
  readonly #root: SchemaObject
  readonly #own = new Map<string, OwnParts>()
  readonly #known = new Map<string, boolean>()

  constructor(root: SchemaObject) {
    this.#root = root
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
    const isFlagged = collect(part.value, refs)
    const targets = [...refs].flatMap((ref) => {
      const target = targetOf(this.#root, ref)
      return 'why' in target ? [] : [target]
    })
    const found = { isFlagged, targets }
    this.#own.set(pointer, found)
    return found
  }
}

/** Collects the references of a value; answers whether something in it goes one way alone. */
function collect(value: Json, refs: Set<string>): boolean {
  if (Array.isArray(value)) return value.map((item: Json) => collect(item, refs)).includes(true)
  if (!isObject(value)) return false
  const ref = own(value, '$ref')
  if (typeof ref === 'string') refs.add(ref)
  const inside = Object.values(value).map((item) => collect(item, refs))
  return inside.includes(true) || own(value, 'readOnly') === true || own(value, 'writeOnly') === true
}
