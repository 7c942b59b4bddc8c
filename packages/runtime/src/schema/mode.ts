import { type Fields, isContainer, MAX_DEPTH } from './json-values.js'

type UndeclaredFields =
  | 'refuse'
  /** A value with undeclared fields is valid, but the codec must remove these fields. */
  | 'strip'
  /** Undeclared fields are allowed if they contain only JSON. */
  | 'keep'
  /** Undeclared fields are allowed and not checked. */
  | 'ignore'

/** Options with which a generated type guard checks one value. The guard sets the property `untidy` as a second result. */
export class Mode {
  /** True if the codec must clean the accepted value: remove undeclared fields, or fields with the value `undefined`. */
  untidy: boolean = false
  readonly undeclared: UndeclaredFields
  /**
   * True if `JSON.parse` returned the value. All objects in such a value are plain, and no field is `undefined`. If false, guards reject instances of
   * classes, because their fields may be inherited. The schema interpreter then validates such an instance.
   */
  readonly isParsed: boolean
  readonly ignoresUndefined: boolean

  constructor(undeclared: UndeclaredFields, isParsed: boolean, ignoresUndefined: boolean = !isParsed) {
    this.undeclared = undeclared
    this.isParsed = isParsed
    this.ignoresUndefined = ignoresUndefined
  }

  /**
   * Returns whether an object is plain, that is, has the prototype `Object.prototype`. If `JSON.parse` returned the value, or if this mode ignores
   * undeclared fields, returns true without a test.
   */
  isPlain(value: object): boolean {
    return this.isParsed || this.undeclared === 'ignore' || Object.getPrototypeOf(value) === Object.prototype
  }

  /** Returns whether this mode allows the undeclared fields of an object. `present` is the number of declared fields in the object. */
  allowsUndeclared(value: Readonly<Record<string, unknown>>, present: number): boolean {
    if (this.undeclared === 'ignore') return true
    if (!this.isPlain(value)) return false
    if (this.undeclared === 'strip') return this.#untidy()
    if (this.undeclared === 'refuse') return this.#hasNoMore(value, present)
    return Object.values(value).every((part) => (part === undefined ? this.allowsUndefined() : any(part)))
  }

  /**
   * Returns whether an object is plain and has only declared fields, apart from fields with the value `undefined`. `present` is the number of
   * declared fields in the object. Returns false if this mode does not treat fields with the value `undefined` as absent.
   */
  hasOnlyDeclared(value: Readonly<Record<string, unknown>>, present: number): boolean {
    return this.isPlain(value) && this.#hasNoMore(value, present)
  }

  /**
   * Returns whether a property with the value `undefined` is valid, as if the property were absent. Sets `untidy` if the codec must remove the
   * property.
   */
  allowsUndefined(): boolean {
    return this.ignoresUndefined && this.#untidy()
  }

  /** Returns whether this mode allows an undeclared field with the value `part`. If the codec must later remove the field, sets `untidy`. */
  allowsField(part: unknown): boolean {
    if (this.undeclared === 'strip') return this.#untidy()
    return this.undeclared === 'ignore' || (this.undeclared === 'keep' && any(part))
  }

  #hasNoMore(value: object, present: number): boolean {
    if (!this.ignoresUndefined) return false
    return Object.values(value).filter((part) => part !== undefined).length === present && this.#untidy()
  }

  #untidy(): true {
    if (this.undeclared !== 'ignore') this.untidy = true
    return true
  }
}

/** Only for values with plain objects, such as results of `JSON.parse`, because this mode does not test the class of objects. */
export const strict: Mode = new Mode('refuse', true)

/** Mode that ignores undeclared fields and the class of objects. */
export const loose: Mode = new Mode('ignore', false)

/** Returns whether a value is plain JSON at all depths: finite numbers, plain objects, no `undefined`, no cycles. */
export function any(value: unknown): boolean {
  return isContainer(value) ? isPlain(value, MAX_DEPTH) : isPlainScalar(value)
}

/**
 * Returns whether a value has at most 500 nested levels, and contains only plain arrays: arrays with the prototype `Array.prototype`, without
 * `toJSON`, and without holes or items with the value `undefined`.
 */
export function shallow(value: unknown): boolean {
  return isShallow(value, MAX_DEPTH)
}

/** Longer arrays need a proxy test, because a proxy can report a length that is much too large. */
const shortArray = 100_000

/** Returns whether an array has the prototype `Array.prototype` and no `toJSON`. Returns false for a proxy that reports a false length. */
export function isPlainArray(items: readonly unknown[]): boolean {
  if (Object.getPrototypeOf(items) !== Array.prototype || 'toJSON' in items) return false
  return items.length <= shortArray || Object.getOwnPropertyDescriptor(items, 'length')?.value === items.length
}

function isPlain(value: object, levels: number): boolean {
  if (levels === 0) return false
  if (Array.isArray(value)) {
    if (!isPlainArray(value)) return false
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index]
      if (isContainer(item) ? !isPlain(item, levels - 1) : !isPlainScalar(item)) return false
    }
    return true
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return false
  const fields = value as Fields // its fields are read as unknown values
  // `JSON.stringify` calls `toJSON` even if this property is not enumerable.
  if (typeof fields.toJSON === 'function') return false
  // Plain objects inherit no keys, and `for ... in` avoids an array of keys.
  for (const key in fields) {
    const part = fields[key]
    if (isContainer(part) ? !isPlain(part, levels - 1) : !isPlainScalar(part)) return false
  }
  return true
}

function isPlainScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || value === null || Number.isFinite(value)
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0) return false
  if (Array.isArray(value)) {
    if (!isPlainArray(value)) return false
    // A sparse array can have a length of billions; the first hole ends the loop.
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index]
      if (item === undefined || !isShallow(item, levels - 1)) return false
    }
    return true
  }
  for (const part of Object.values(value)) if (!isShallow(part, levels - 1)) return false
  return true
}
