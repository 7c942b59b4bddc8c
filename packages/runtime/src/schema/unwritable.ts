import { type JsType, type TypedValue, typedText } from './typed-values.js'

type UnwritableFacts =
  | { readonly constraint: 'not_json'; readonly received: string }
  | { readonly constraint: 'too_deep'; readonly maximum: number }

/**
 * Replaces a part of a value that JSON cannot represent. An issue is reported only if the result would contain this
 * part.
 */
export class Unwritable {
  readonly facts: UnwritableFacts

  constructor(facts: UnwritableFacts) {
    this.facts = facts
  }
}

/** Replaces a `Date`, bigint or bytes, checked as a string where the schema has `x-js`. Elsewhere it is an issue. */
export class TypedPart extends Unwritable {
  readonly type: JsType
  readonly #value: TypedValue
  #text: string | undefined

  constructor(type: JsType, value: TypedValue, received: string) {
    super({ constraint: 'not_json', received })
    this.type = type
    this.#value = value
  }

  /** String form, created at the first use. A value without one gets a string that matches no type. */
  get text(): string {
    this.#text ??= typedText(this.#value) ?? unwritten[this.type]
    return this.#text
  }
}

/** Received value in issues if a typed value has no string form. */
const unwritten: { readonly [Type in JsType]: string } = {
  Date: 'an invalid date',
  bigint: 'a number with too many digits',
  Uint8Array: 'unreadable bytes',
}

/** Value that consists of plain JSON and {@link Unwritable}. The codec owns it and may change it. */
export interface Owned {
  readonly value: unknown
  /** True if the value contains an {@link Unwritable}. */
  readonly hasUnwritable: boolean
}
