import { type Fields, isContainer, MAX_DEPTH } from './json-values.js'

/** Treatment of undeclared fields by a generated guard. */
type Extras =
  /** The value is invalid. */
  | 'refuse'
  /** The value is valid once they are removed. */
  | 'strip'
  /** The value is valid if they contain only JSON. */
  | 'keep'
  /** They are not examined. */
  | 'ignore'

/** State of one run of a generated type guard. */
export class Mode {
  /** Set if the accepted value has undeclared or `undefined` fields, which must be removed. */
  untidy: boolean = false
  readonly extras: Extras
  /**
   * True if the value comes from `JSON.parse`, so that its objects are plain and contain no `undefined`. Otherwise
   * guards reject instances of classes, whose fields may be inherited; the interpreter then checks their own fields.
   */
  readonly isParsed: boolean
  /** True if own `undefined` fields count as absent. Default: the opposite of `isParsed`. */
  readonly overlooksAbsent: boolean

  constructor(extras: Extras, isParsed: boolean, overlooksAbsent: boolean = !isParsed) {
    this.extras = extras
    this.isParsed = isParsed
    this.overlooksAbsent = overlooksAbsent
  }

  /** Returns whether an object is plain. Always true if this mode does not require plain objects. */
  isPlain(value: object): boolean {
    return this.isParsed || this.extras === 'ignore' || Object.getPrototypeOf(value) === Object.prototype
  }

  /** Returns whether this mode accepts an object with `present` declared keys and possibly others. */
  admits(value: Readonly<Record<string, unknown>>, present: number): boolean {
    if (this.extras === 'ignore') return true
    if (!this.isPlain(value)) return false
    if (this.extras === 'strip') return this.#untidy()
    if (this.extras === 'refuse') return this.#hasNoMore(value, present)
    return Object.values(value).every((part) => (part === undefined ? this.admitsAbsent() : any(part)))
  }

  /** Returns whether an object has no defined fields beyond the `present` ones. Used if the schema allows no others. */
  seals(value: Readonly<Record<string, unknown>>, present: number): boolean {
    return this.isPlain(value) && this.#hasNoMore(value, present)
  }

  admitsAbsent(): boolean {
    return this.overlooksAbsent && this.#untidy()
  }

  /** Returns whether an object may have an undeclared field with this value. */
  admitsField(part: unknown): boolean {
    if (this.extras === 'strip') return this.#untidy()
    return this.extras === 'ignore' || (this.extras === 'keep' && any(part))
  }

  #hasNoMore(value: object, present: number): boolean {
    if (!this.overlooksAbsent) return false
    return Object.values(value).filter((part) => part !== undefined).length === present && this.#untidy()
  }

  #untidy(): true {
    if (this.extras !== 'ignore') this.untidy = true
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

/** Returns whether a value is nested at most {@link MAX_DEPTH} levels deep and contains only plain arrays. */
export function shallow(value: unknown): boolean {
  return isShallow(value, MAX_DEPTH)
}

/** Length up to which an array is not checked for being a proxy with a false length. */
const shortArray = 100_000

/** Returns whether an array is not a proxy with a false length, and has no method that changes its JSON. */
export function isPlainArray(items: readonly unknown[]): boolean {
  if (Object.getPrototypeOf(items) !== Array.prototype || 'toJSON' in items) return false
  return items.length <= shortArray || Object.getOwnPropertyDescriptor(items, 'length')?.value === items.length
}

/** Returns whether an array or object is plain JSON. Scalars are tested inline, without a call. */
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
