/** The error for input that the types forbid: where, what, and what to do next. */
export function fault(where: string, what: string, next: string): TypeError {
  return new TypeError(`${where}: ${what}. ${next}${next.endsWith('?') ? '' : '.'}`)
}

/** What a value is, for messages: `a string`, `null`, `an array`, `a toolset`. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value !== 'object') return `a ${typeof value}`
  const kind: unknown = Object.hasOwn(value, '~toolgen') ? Reflect.get(value, '~toolgen') : undefined
  if (typeof kind === 'string') return /^[aeio]/.test(kind) ? `an ${kind}` : `a ${kind}`
  return isPlain(value) ? 'an object' : 'an object that is not plain'
}

/** True for `{ ... }` and for objects without a prototype, also when they come from another realm. */
export function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === null || prototype === Object.prototype) return true
  return (
    typeof prototype === 'object' &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype, 'hasOwnProperty')
  )
}

/** A name as messages quote it: control characters escaped, long text cut. */
export function quoted(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 79)}…` : name)
}
