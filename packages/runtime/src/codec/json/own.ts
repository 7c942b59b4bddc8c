/**
 * Sets an own property, also where the key is `__proto__`: a plain assignment would change the prototype instead.
 */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
    return
  }
  target[key] = value
}

/**
 * Whether every object inherits something of this name. A field of any other name is there where a plain JSON object
 * has a value for it, which costs less to ask than `Object.hasOwn`.
 */
export function isInherited(name: string): boolean {
  return name in Object.prototype
}

/** Whether a plain JSON object has a field; `inherited` as {@link isInherited} says of the name. */
export function hasField(value: Readonly<Record<string, unknown>>, name: string, inherited: boolean): boolean {
  return inherited ? Object.hasOwn(value, name) : value[name] !== undefined
}

/** How many keys an object has, with those that it inherits: plain objects inherit none. This way no list is made. */
export function keyCount(value: object): number {
  let count = 0
  for (const _key in value) count += 1
  return count
}
