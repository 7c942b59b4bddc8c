import {
  type Interpreter,
  type InterpreterOptions,
  prepareInterpreter,
  type UnknownFields,
} from '../schema/interpreter.js'
import { makeIssue } from '../schema/issues.js'
import { copyJson } from '../schema/json-copy.js'
import { deepEqual, isFields } from '../schema/json-values.js'
import { any, Mode, shallow, strict } from '../schema/mode.js'
import { parseJson, sealParsed } from '../schema/parse-json.js'
import { readDocument } from '../schema/prepare.js'
import type { Gates } from '../schema/references.js'
import type { Codec, Decoded, Encoded, Issue } from '../types/codec.js'
import type { JsonSchema, JsonText } from '../types/json.js'
import type { Check } from './generated-is.js'
import type { Serialize } from './generated-serialize.js'
import type { Strip } from './generated-strip.js'

/** Options for `payloadCodec`: the schema, the treatment of undeclared fields, and the names of fields that only the runtime sets. */
export interface PayloadCodecOptions {
  /** JSON Schema of the arguments, without the fields that only the runtime sets. */
  readonly schema: JsonSchema
  /** Names of top-level fields that only the runtime sets. Arguments with such a field are invalid. Default: no fields. */
  readonly serverOwned?: readonly string[]
  /** Treatment of undeclared fields: `reject`, `strip` (remove) or `keep`. Default: `reject`. */
  readonly unknown?: UnknownFields
}

/**
 * Creates the codec of a tool's arguments. Declare the type of the variable: TypeScript infers the types of the codec
 * from this declaration. The codec prepares the schema at the first use.
 *
 * A field is undeclared if no schema of its object declares or requires the field. The schemas of an object include
 * members of `allOf`, targets of references, conditions that apply and matching variants. If these schemas declare no
 * fields at all, every field is allowed. `additionalProperties` and `unevaluatedProperties` take precedence over these
 * rules.
 *
 * Matching a `pattern` takes time linear in the length of the string. A pattern with back references is an error,
 * because no engine matches such a pattern in linear time.
 *
 * @throws {SchemaError} on first use, if the schema is invalid.
 * @example
 * const getOrderPayloadCodec: Codec<GetOrderArguments, GetOrderPayload> = payloadCodec({
 *   schema: { type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] },
 * })
 * getOrderPayloadCodec.decode('{"orderId":"A-1"}') // { ok: true, value: { orderId: 'A-1' } }
 */
export function payloadCodec<Sent, Value>(options: PayloadCodecOptions, compiled?: Compiled): Codec<Sent, Value> {
  const { schema, serverOwned = [], unknown = 'reject' } = options
  return newCodec({ schema, serverOwned, unknown }, compiled)
}

export interface ResultCodecOptions {
  readonly schema: JsonSchema
  /** Treatment of undeclared fields: `reject`, `strip` (remove) or `keep`. Default: `strip`. */
  readonly unknown?: UnknownFields
}

/**
 * Creates the codec of a tool's results. Works like `payloadCodec`, but removes undeclared fields by default.
 *
 * @throws {SchemaError} on first use, if the schema is invalid.
 */
export function resultCodec<Sent, Value>(options: ResultCodecOptions, compiled?: Compiled): Codec<Sent, Value> {
  const { schema, unknown = 'strip' } = options
  return newCodec({ schema, serverOwned: [], unknown }, compiled)
}

export function newCodec<Sent, Value>(options: InterpreterOptions, compiled: Compiled | undefined): Codec<Sent, Value> {
  return compiled === undefined ? new InterpretedCodec(options) : new CompiledCodec(options, compiled)
}

export interface Compiled {
  /** Rejects all invalid values, but also some valid values. The schema interpreter validates rejected values again. */
  readonly is: Check
  /** For values that `is` accepted. Absent if only the schema interpreter can decide which fields are declared. */
  readonly serialize?: Serialize | undefined
  /**
   * For values that `is` accepted. Absent if decoding must also change other parts of the values, or if only the schema interpreter can decide which
   * fields are undeclared.
   */
  readonly strip?: Strip | undefined
  /**
   * Adds defaults to a copy of a value that `is` accepted. Absent if decoding must also change other parts of the value. Used only by codecs that
   * reject undeclared fields.
   */
  readonly complete?: Strip | undefined
  /** JSON Pointer of the schema of a nested object → type guard. */
  readonly parts?: Readonly<Record<string, Check>> | undefined
}

/**
 * Uses generated functions for plain JSON. Values that these functions reject, such as dates and instances of classes, go to the schema interpreter.
 */
class CompiledCodec<Sent, Value> implements Codec<Sent, Value> {
  readonly schema: JsonSchema
  readonly #options: InterpreterOptions
  readonly #compiled: Compiled
  readonly #check: Check
  readonly #judging: Mode
  readonly #interpreted: InterpretedCodec<Sent, Value>
  #changesValid: boolean | undefined

  constructor(options: InterpreterOptions, compiled: Compiled) {
    this.schema = options.schema
    this.#options = options
    this.#compiled = compiled
    this.#check = wholeCheck(options, compiled.is)
    this.#judging = new Mode(options.unknown === 'keep' ? 'keep' : 'refuse', false, false)
    this.#interpreted = new InterpretedCodec(options, compiled.parts)
  }

  is(value: unknown): value is Value {
    return (this.#accepts(value, this.#judging) && !this.#changes()) || this.#interpreted.is(value)
  }

  decode(json: JsonText): Decoded<Value> {
    const { unknown } = this.#options
    const mode = unknown === 'reject' ? strict : new Mode(unknown, true)
    let parsed: unknown
    let isValid: boolean
    try {
      parsed = JSON.parse(json)
      isValid = this.#check(parsed, mode)
    } catch {
      // The interpreter determines the position of a syntax error, and reports values that are nested too deep.
      return this.#interpreted.decode(json)
    }
    if (isValid && !mode.untidy) {
      if (!this.#changes()) return { ok: true, value: parsed as Value }
      const complete = unknown === 'reject' ? this.#compiled.complete : undefined
      return complete ? { ok: true, value: complete(parsed) as Value } : this.#interpreted.decodeAccepted(parsed)
    }
    const decoded = isValid ? this.#decoded(parsed, mode) : this.#interpreted.rejected(parsed)
    return decoded ?? this.#interpreted.decodeParsed(parsed)
  }

  decodeValue(value: unknown): Decoded<Value> {
    const mode = this.#mode()
    const isValid = this.#accepts(value, mode)
    const decoded = isValid ? this.#decoded(value, mode) : this.#interpreted.rejected(value)
    return decoded ?? this.#interpreted.decodeValue(value)
  }

  encodeValue(value: unknown): Encoded<Value> {
    const mode = this.#mode()
    const decoded = this.#accepts(value, mode) ? this.#decoded(value, mode) : undefined
    const json = decoded?.ok === true ? this.#written(decoded.value) : undefined
    if (decoded?.ok !== true || json === undefined) return this.#interpreted.encodeValue(value)
    return { ok: true, value: decoded.value, json }
  }

  encode(value: Sent): JsonText {
    const json = this.#accepts(value, this.#mode()) ? this.#written(value) : undefined
    return json ?? this.#interpreted.encode(value)
  }

  #changes(): boolean {
    this.#changesValid ??= changesValid(this.schema)
    return this.#changesValid
  }

  #decoded(value: unknown, mode: Mode): Decoded<Value> | undefined {
    if (this.#changes()) return undefined
    if (!mode.untidy) return { ok: true, value: value as Value } // the check says so
    const { strip } = this.#compiled
    if (strip === undefined || mode.undeclared === 'keep') return undefined
    try {
      return { ok: true, value: strip(value) as Value }
    } catch {
      // A getter that returned a value during the check throws now.
      return undefined
    }
  }

  #accepts(value: unknown, mode: Mode): boolean {
    try {
      return this.#check(value, mode)
    } catch {
      // A getter threw, or the value contains itself. The interpreter reports the cause.
      return false
    }
  }

  #written(accepted: unknown): JsonText | undefined {
    // Generated serializers drop undeclared fields, but this codec must keep these fields.
    if (this.#options.unknown === 'keep') return undefined
    try {
      return this.#compiled.serialize?.(accepted)
    } catch {
      // A getter that returned a value during the check throws now.
      return undefined
    }
  }

  #mode(): Mode {
    const { unknown } = this.#options
    return new Mode(unknown === 'reject' ? 'refuse' : unknown, false)
  }
}

function changesValid(schema: JsonSchema): boolean {
  const { hasDefaults, typed } = readDocument(schema).index
  return hasDefaults || typed
}

function wholeCheck({ serverOwned, unknown }: InterpreterOptions, is: Check): Check {
  // Guards check kept fields only where they occur, so the depth of the whole value is checked first.
  const check: Check = unknown === 'keep' ? (value, mode) => shallow(value) && is(value, mode) : is
  if (serverOwned.length === 0) return check
  return (value, mode) => {
    const isSent = isFields(value) && serverOwned.some((name) => Object.hasOwn(value, name))
    return !isSent && check(value, mode)
  }
}

class InterpretedCodec<Sent, Value> implements Codec<Sent, Value> {
  readonly schema: JsonSchema
  readonly #options: InterpreterOptions
  readonly #gates: Gates | undefined
  #prepared: Interpreter | undefined

  /** @param gates JSON Pointer → type guard. If a guard accepts an object, the interpreter does not check this object */
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
    const { ok, message, ...location } = parsed
    return { ok, issues: [makeIssue({ constraint: 'invalid_json', ...location }, { path: '', message })] }
  }

  rejected(value: unknown): Decoded<never> | undefined {
    try {
      if (!any(value)) return undefined
      const issues = this.#interpreter().issues(value)
      return issues.length === 0 ? undefined : { ok: false, issues }
    } catch {
      // A getter or a proxy threw: `decodeValue` handles this error. For an invalid schema, `decodeValue` throws the error again.
      return undefined
    }
  }

  /** May change the objects in `parsed`. */
  decodeParsed(parsed: unknown): Decoded<Value> {
    return this.#decoded(this.#interpreter().decode(sealParsed(parsed)))
  }

  decodeAccepted(parsed: unknown): Decoded<Value> {
    return this.#decoded(this.#interpreter().decode({ value: parsed, hasUnwritable: false }, true))
  }

  decodeValue(value: unknown): Decoded<Value> {
    return this.#decoded(this.#interpreter().decode(copyJson(value)))
  }

  encodeValue(value: unknown): Encoded<Value> {
    const encoded = this.#interpreter().decodeAndEncode(copyJson(value))
    return encoded as Encoded<Value> // safe for the same reason as in `#decoded`
  }

  encode(value: Sent): JsonText {
    const encoded = this.#interpreter().encode(copyJson(value))
    if (!encoded.ok) throw new CodecError(encoded.issues)
    return encoded.value
  }

  #decoded(outcome: Decoded<unknown>): Decoded<Value> {
    // The cast is safe if the schema describes `Value`, which the generator guarantees.
    return outcome as Decoded<Value>
  }
}

const maxListed = 10

/**
 * Thrown by `encode` of a codec if the value violates the schema or cannot be written as JSON.
 *
 * @example
 * try {
 *   codec.encode(value)
 * } catch (error) {
 *   if (isToolgenError(error, 'CodecError')) console.error(error.issues)
 * }
 */
export class CodecError extends Error {
  override readonly name = 'CodecError'
  /** All issues of the value; at least one. */
  readonly issues: readonly Issue[]

  constructor(issues: readonly Issue[], options?: ErrorOptions) {
    const listed = issues
      .slice(0, maxListed)
      .map(({ path, message }) => `  ${path === '' ? '(root)' : path}: ${message}`)
    const more = issues.length - listed.length
    if (more > 0) listed.push(`  and ${more} more`)
    super(`The value cannot be encoded:\n${listed.join('\n')}`, options)
    this.issues = issues
  }
}

/** Also accepts errors of another copy of this package. */
export function isCodecError(value: unknown): value is CodecError {
  return value instanceof Error && value.name === 'CodecError' && 'issues' in value && Array.isArray(value.issues)
}
