import { isFields } from '../codec/json/kind.js'

/** Names whose texts are sent whole, if again and again. */
const whole: ReadonlySet<string> = new Set(['id', 'type', 'format'])

/**
 * The fields of a streamed object that nobody knows: texts and lists are joined, objects field by field, of anything
 * else the latest counts. Null counts only where nothing else was sent.
 */
export class JoinedFields {
  readonly #fields = new Map<string, unknown>()

  /** Takes in the fields of a part, but for those that are known. */
  add(part: object, known: ReadonlySet<string>): void {
    for (const [name, value] of Object.entries(part)) {
      if (value === undefined || known.has(name)) continue
      this.#fields.set(name, joined(name, this.#fields.get(name), value))
    }
  }

  /** In the order in which they came first. */
  entries(): readonly (readonly [string, unknown])[] {
    return [...this.#fields]
  }
}

function joined(name: string, before: unknown, value: unknown): unknown {
  if (isFields(before) && isFields(value)) {
    const inner = new Map(Object.entries(before))
    for (const [key, part] of Object.entries(value)) inner.set(key, joinedLeaf(key, inner.get(key), part))
    return Object.fromEntries(inner)
  }
  return joinedLeaf(name, before, value)
}

function joinedLeaf(name: string, before: unknown, value: unknown): unknown {
  if (before === undefined || before === null) return value
  if (value === undefined || value === null) return before
  if (typeof before === 'string' && typeof value === 'string' && !whole.has(name)) return before + value
  if (Array.isArray(before) && Array.isArray(value)) return [...before, ...value]
  return value
}
