import { type Fields, isContainer, MAX_DEPTH } from './json-values.js'

/** Treatment of undeclared fields by a generated guard. */
type Extras =
  /** They make the value invalid. */
  | 'refuse'
  /** They are fine and will be left out. */
  | 'strip'
  /** They are fine and stay, if JSON can carry them. */
  | 'keep'
  /** They are accepted and not examined. */
  | 'ignore'

/**
 * State of one run of a generated guard: its treatment of objects with other keys than the declared ones. If the guard
 * returns `true` and `untidy` is set, the value is valid once such fields are left out.
 */
export class Mode {
  /** Fields that are undeclared, or own `undefined`, have to be left out. */
  untidy: boolean = false
  readonly extras: Extras
  /**
   * True if values come from parsed text, so that objects are plain and nothing is `undefined`. Else instances of
   * classes are not accepted, since their fields may be inherited: the schema judges them by their own fields.
   */
  readonly isParsed: boolean
  /** True if own `undefined` fields count as absent. Default: where values are not parsed. */
  readonly overlooksAbsent: boolean

  constructor(extras: Extras, isParsed: boolean, overlooksAbsent: boolean = !isParsed) {
    this.extras = extras
    this.isParsed = isParsed
    this.overlooksAbsent = overlooksAbsent
  }

  /** Returns whether an object is of a kind that JSON has. */
  isPlain(value: object): boolean {
    return this.isParsed || this.extras === 'ignore' || Object.getPrototypeOf(value) === Object.prototype
  }

  /** Returns whether an object may have more keys than those that are declared and present. */
  admits(value: Readonly<Record<string, unknown>>, present: number): boolean {
    if (this.extras === 'ignore') return true
    if (!this.isPlain(value)) return false
    if (this.extras === 'strip') return this.#untidy()
    if (this.extras === 'refuse') return this.#hasNoMore(value, present)
    return Object.values(value).every((part) => (part === undefined ? this.admitsAbsent() : any(part)))
  }

  /**
   * Returns whether an object that must not have undeclared keys has none, although it has more keys than it has
   * fields.
   */
  seals(value: Readonly<Record<string, unknown>>, present: number): boolean {
    return this.isPlain(value) && this.#hasNoMore(value, present)
  }

  /** Returns whether an object may have a field that is `undefined`. */
  admitsAbsent(): boolean {
    return this.overlooksAbsent && this.#untidy()
  }

  /** Returns whether an object may have one more field that nobody declares. */
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

/** Only what is valid as it stands: without undeclared fields. */
export const strict: Mode = new Mode('refuse', true)

/** Validity alone: what is undeclared may be there, and of what class an object is does not matter. */
export const loose: Mode = new Mode('ignore', false)

/**
 * Returns whether a value is plain JSON through and through: finite numbers, plain objects, nothing `undefined`, no
 * cycle.
 */
export function any(value: unknown): boolean {
  return isContainer(value) ? isPlain(value, MAX_DEPTH) : isPlainScalar(value)
}

/**
 * Returns whether a value is plain JSON whose arrays and objects lie at most as deep within each other as codecs allow.
 */
export function shallow(value: unknown): boolean {
  return isShallow(value, MAX_DEPTH)
}

/** Maximum number of items of arrays that are walked without a check of their length. */
const shortArray = 100_000

/** Returns whether an array is as long as it says (a proxy may claim any length), and is written as what it holds. */
export function isPlainArray(items: readonly unknown[]): boolean {
  if (Object.getPrototypeOf(items) !== Array.prototype || 'toJSON' in items) return false
  return items.length <= shortArray || Object.getOwnPropertyDescriptor(items, 'length')?.value === items.length
}

/**
 * Returns whether an array or object is plain; its parts that have none themselves are judged in place, without a call.
 */
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
  const fields = value as Fields // its parts are read as what they are: anything
  // JSON.stringify would call it, also where it is not enumerable.
  if (typeof fields.toJSON === 'function') return false
  // Plain objects inherit no keys; this way no list is made.
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
    // A few items may claim a length of billions: what is not there ends the walk.
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index]
      if (item === undefined || !isShallow(item, levels - 1)) return false
    }
    return true
  }
  for (const part of Object.values(value)) if (!isShallow(part, levels - 1)) return false
  return true
}
