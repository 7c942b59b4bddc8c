import { validExample } from '../../codec/valid-example.js'
import type { Codec } from '../../contract/codec.js'
import type { JsonValue } from '../../contract/json.js'
import type { ToolSpec } from '../../contract/spec.js'

/** The examples of one tool that its codec takes, each looked for once, when a call first needs it. */
export class ToolExamples {
  readonly #spec: ToolSpec
  readonly #payload: Pick<Codec<never, unknown>, 'decodeValue'>
  #fitting: readonly JsonValue[] | undefined
  #made: { readonly example: JsonValue | undefined } | undefined

  constructor(spec: ToolSpec, payload: Pick<Codec<never, unknown>, 'decodeValue'>) {
    this.#spec = spec
    this.#payload = payload
  }

  /** The author's examples that really fit. */
  get fitting(): readonly JsonValue[] {
    this.#fitting ??= this.#spec.examples.filter((example) => this.#payload.decodeValue(example).ok)
    return this.#fitting
  }

  /** One made from the schema, where that can be done. */
  get made(): JsonValue | undefined {
    this.#made ??= { example: validExample(this.#spec.arguments) }
    return this.#made.example
  }
}
