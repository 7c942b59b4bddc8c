import { type JsType, type TypedValue, typedText } from './typed-values.js'

type UnwritableFacts =
  | { readonly constraint: 'not_json'; readonly received: string }
  | { readonly constraint: 'too_deep'; readonly maximum: number }

/**
 * Replaces a part of a value that JSON cannot carry. It is reported only where that part would be kept: what is
 * dropped may be anything.
 */
export class Unwritable {
  readonly facts: UnwritableFacts

  constructor(facts: UnwritableFacts) {
    this.facts = facts
  }
}

/**
 * Replaces a `Date`, a bigint or bytes in a value: checked by its wire form, and kept where the schema names its type
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

  /** The wire form, made at the first use; for a value without one a text that is not a wire form. */
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

/** A value whose parts are plain JSON or {@link Unwritable}; the codec owns it and may change it. */
export interface Owned {
  readonly value: unknown
  /** True if it holds an {@link Unwritable}. */
  readonly hasUnwritable: boolean
}
