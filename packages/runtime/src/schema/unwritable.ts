import { type JsType, type TypedValue, typedText } from './typed-values.js'

/** Reason for which a part of a value cannot be JSON. */
export type UnwritableFacts =
  | { readonly constraint: 'not_json'; readonly received: string }
  | { readonly constraint: 'too_deep'; readonly maximum: number }

/**
 * Stands in a value for a part that JSON cannot carry. It is reported only where that part would be kept: what is
 * dropped may be anything.
 */
export class Unwritable {
  readonly facts: UnwritableFacts

  constructor(facts: UnwritableFacts) {
    this.facts = facts
  }
}

/**
 * Stands in a value for a `Date`, a bigint or bytes: checked by its wire form, and kept where the schema names its type
 * (`x-js`). Elsewhere it is what JSON cannot carry.
 */
export class TypedPart extends Unwritable {
  readonly type: JsType
  readonly #value: TypedValue
  #text: string | undefined

  constructor(type: JsType, value: TypedValue, received: string) {
    super({ constraint: 'not_json', received })
    this.type = type
    this.#value = value
  }

  /** The wire form; for a value that has none a text that is none either. Made when first asked for. */
  get text(): string {
    this.#text ??= typedText(this.#value) ?? unwritten[this.type]
    return this.#text
  }
}

/** Received value that issues show where a typed value has no wire form. */
const unwritten: { readonly [Type in JsType]: string } = {
  Date: 'an invalid date',
  bigint: 'a number with too many digits',
  Uint8Array: 'unreadable bytes',
}

/** A value of which every part is plain JSON or an {@link Unwritable}, owned by the codec: it may be changed. */
export interface Owned {
  readonly value: unknown
  /** True if it holds an {@link Unwritable}. */
  readonly faulty: boolean
}
