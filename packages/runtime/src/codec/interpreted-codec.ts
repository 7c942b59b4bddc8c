import type { Codec, Decoded, Encoded } from '../contract/codec.js'
import type { JsonSchema, JsonText } from '../contract/json.js'
import { CodecError } from './codec-error.js'
import type { Gates } from './evaluate/gates.js'
import { type Interpreter, type InterpreterOptions, prepareInterpreter } from './interpreter.js'
import { makeIssue } from './issues/make-issue.js'
import { copyJson } from './json/copy.js'
import { deepEqual } from './json/deep-equal.js'
import { parseJson } from './json/parse.js'
import { sealParsed } from './json/seal-parsed.js'
import { any } from './words/any.js'

/** A codec that reads its schema; the schema is prepared when the codec is first used, and once. */
export class InterpretedCodec<Sent, Value> implements Codec<Sent, Value> {
  readonly schema: JsonSchema
  readonly #options: InterpreterOptions
  readonly #gates: Gates | undefined
  #prepared: Interpreter | undefined

  /** @param gates generated checks of objects inside, by the pointers of their schemas: what they accept is not looked into */
  constructor(options: InterpreterOptions, gates?: Gates) {
    this.schema = options.schema
    this.#options = options
    this.#gates = gates
  }

  #interpreter(): Interpreter {
    this.#prepared ??= prepareInterpreter(this.#options, this.#gates)
    return this.#prepared
  }

  is(value: unknown): value is Value {
    const decoded = this.decodeValue(value)
    return decoded.ok && deepEqual(decoded.value, value)
  }

  decode(json: JsonText): Decoded<Value> {
    const parsed = parseJson(json)
    if (parsed.ok) return this.decodeParsed(parsed.value)
    const { ok, message, ...place } = parsed
    return { ok, issues: [makeIssue({ constraint: 'invalid_json', ...place }, { path: '', message })] }
  }

  /** The issues of a value, which stays as it is; `undefined` where there are none, or it is no plain JSON. */
  faults(value: unknown): Decoded<never> | undefined {
    try {
      if (!any(value)) return undefined
      const issues = this.#interpreter().faults(value)
      return issues.length === 0 ? undefined : { ok: false, issues }
    } catch {
      // A getter or a proxy of the caller threw: what is read of a copy does not. A faulty schema throws there again.
      return undefined
    }
  }

  /** Decodes what JSON text was parsed to, and takes possession of it. */
  decodeParsed(parsed: unknown): Decoded<Value> {
    return this.#decoded(this.#interpreter().decode(sealParsed(parsed)))
  }

  decodeValue(value: unknown): Decoded<Value> {
    return this.#decoded(this.#interpreter().decode(copyJson(value)))
  }

  encodeValue(value: unknown): Encoded<Value> {
    const encoded = this.#interpreter().decodeAndEncode(copyJson(value))
    return encoded as Encoded<Value> // as with `#decoded`: that the schema describes `Value` is the generator's promise
  }

  encode(value: Sent): JsonText {
    const encoded = this.#interpreter().encode(copyJson(value))
    if (!encoded.ok) throw new CodecError(encoded.issues)
    return encoded.value
  }

  #decoded(outcome: Decoded<unknown>): Decoded<Value> {
    // The one place where a checked value gets its type: that the schema describes `Value` is the generator's promise.
    return outcome as Decoded<Value>
  }
}
