import { type Fields, isContainer, MAX_DEPTH } from './json-values.js'

/** Treatment of undeclared fields by generated type guards. */
type UndeclaredFields =
  | 'refuse'
  /** A value with undeclared fields is valid, but the caller must remove these fields. */
  | 'strip'
  /** Undeclared fields are allowed if they contain only JSON. */
  | 'keep'
  /** Undeclared fields are allowed and not checked. */
  | 'ignore'

/** Options and state of one call of a generated type guard. */
export class Mode {
  /** True if the accepted value contains undeclared fields that the caller must remove, or fields with the value `undefined`. */
  untidy: boolean = false
  readonly undeclared: UndeclaredFields
  /**
   * True if the value comes from `JSON.parse`, so that its objects are plain and no field is `undefined`. If false, guards reject instances
   * of classes, because their fields may be inherited. The schema interpreter then validates these objects.
   */
  readonly isParsed: boolean
  /** True if a field with the value `undefined` counts as absent. Default: the opposite of `isParsed`. */
  readonly ignoresUndefined: boolean

  constructor(undeclared: UndeclaredFields, isParsed: boolean, ignoresUndefined: boolean = !isParsed) {
    this.undeclared = undeclared
    this.isParsed = isParsed
    this.ignoresUndefined = ignoresUndefined
  }

  /**
   * Returns whether an object is plain. Returns true without a test if the value comes from `JSON.parse`, or if undeclared fields are
   * ignored.
   */
  isPlain(value: object): boolean {
    return this.isParsed || this.undeclared === 'ignore' || Object.getPrototypeOf(value) === Object.prototype
  }

  /** Returns whether this mode allows undeclared fields in an object. `present` is the number of its declared fields. */
  allowsUndeclared(value: Readonly<Record<string, unknown>>, present: number): boolean {
    if (this.undeclared === 'ignore') return true
    if (!this.isPlain(value)) return false
    if (this.undeclared === 'strip') return this.#untidy()
    if (this.undeclared === 'refuse') return this.#hasNoMore(value, present)
    return Object.values(value).every((part) => (part === undefined ? this.allowsUndefined() : any(part)))
  }

  /** Returns whether an object has only its `present` declared fields. Ignores fields with the value `undefined`. */
  hasOnlyDeclared(value: Readonly<Record<string, unknown>>, present: number): boolean {
    return this.isPlain(value) && this.#hasNoMore(value, present)
  }

  allowsUndefined(): boolean {
    return this.ignoresUndefined && this.#untidy()
  }

  /** Returns whether an undeclared field with the value `part` is valid in this mode. */
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

/** Mode that rejects undeclared fields of parsed values. */
export const strict: Mode = new Mode('refuse', true)

/** Mode that ignores undeclared fields and the class of objects. */
export const loose: Mode = new Mode('ignore', false)

/** Returns whether a value is plain JSON at all depths: finite numbers, plain objects, no `undefined`, no cycle. */
export function any(value: unknown): boolean {
  return isContainer(value) ? isPlain(value, MAX_DEPTH) : isPlainScalar(value)
}

/** Returns whether a value has at most {@link MAX_DEPTH} nested levels and all its arrays are plain (see {@link isPlainArray}). */
export function shallow(value: unknown): boolean {
  return isShallow(value, MAX_DEPTH)
}

/** Maximum length of an array that is accepted without a test. A longer array may be a proxy that reports a false length. */
const shortArray = 100_000

/** Returns whether an array has the usual prototype and no `toJSON`. Returns false for a proxy that reports a false length. */
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
  // `JSON.stringify` calls it even if it is not enumerable.
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
