import { any } from './any.js'

/** What a compiled check does about fields that nobody declares. */
export type Extras =
  /** They make the value invalid. */
  | 'refuse'
  /** They are fine and will be left out. */
  | 'drop'
  /** They are fine and stay, if JSON can carry them. */
  | 'keep'
  /** They are fine, and nobody asks what becomes of them. */
  | 'ignore'

/**
 * How one run of a compiled check treats objects whose keys are not exactly the declared ones, and what it found: a
 * check that answers `true` while `untidy` is set says that the value is valid once such fields are left out.
 */
export class Mode {
  /** Fields that are undeclared, or own `undefined`, have to be left out. */
  untidy: boolean = false
  readonly extras: Extras
  /**
   * Whether values come from parsed text, so that objects are plain and nothing is `undefined`. Else instances of
   * classes are not accepted, since their fields may be inherited: the schema judges them by their own fields.
   */
  readonly isParsed: boolean
  /** Whether own `undefined` fields count as absent. Default: where values are not parsed. */
  readonly overlooksAbsent: boolean

  constructor(extras: Extras, isParsed: boolean, overlooksAbsent: boolean = !isParsed) {
    this.extras = extras
    this.isParsed = isParsed
    this.overlooksAbsent = overlooksAbsent
  }

  /** Whether an object is of a kind that JSON has. */
  isPlain(value: object): boolean {
    return this.isParsed || this.extras === 'ignore' || Object.getPrototypeOf(value) === Object.prototype
  }

  /** Whether an object may have more keys than those that are declared and present. */
  admits(value: Readonly<Record<string, unknown>>, present: number): boolean {
    if (this.extras === 'ignore') return true
    if (!this.isPlain(value)) return false
    if (this.extras === 'drop') return this.#untidy()
    if (this.extras === 'refuse') return this.#hasNoMore(value, present)
    return Object.values(value).every((part) => (part === undefined ? this.admitsAbsent() : any(part)))
  }

  /** Whether an object that must not have undeclared keys has none, although it has more keys than it has fields. */
  seals(value: Readonly<Record<string, unknown>>, present: number): boolean {
    return this.isPlain(value) && this.#hasNoMore(value, present)
  }

  /** Whether an object may have a field that is `undefined`. */
  admitsAbsent(): boolean {
    return this.overlooksAbsent && this.#untidy()
  }

  /** Whether an object may have one more field that nobody declares. */
  admitsField(part: unknown): boolean {
    if (this.extras === 'drop') return this.#untidy()
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
