import { type JsType, type TypedValue, typedText } from './typed-values.js'

type UnwritableFacts =
  | { readonly constraint: 'not_json'; readonly received: string }
  | { readonly constraint: 'too_deep'; readonly maximum: number }

/** Placeholder for a nested value that JSON cannot represent. Causes an issue only if the result would contain the placeholder. */
export class Unwritable {
  readonly facts: UnwritableFacts

  constructor(facts: UnwritableFacts) {
    this.facts = facts
  }
}

/**
 * Placeholder for a `Date`, bigint or `Uint8Array`. If the schema has `x-js`, the string form of the value is
 * validated. Without `x-js`, the value causes an issue.
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

  /** For a value without a string form, such as an invalid date, a string that is invalid for every type. */
  get text(): string {
    this.#text ??= typedText(this.#value) ?? unwritten[this.type]
    return this.#text
  }
}

const unwritten: { readonly [Type in JsType]: string } = {
  Date: 'an invalid date',
  bigint: 'a number with too many digits',
  Uint8Array: 'unreadable bytes',
}

/** The codec may change `value`. */
export interface Owned {
  readonly value: unknown
  readonly hasUnwritable: boolean
}
