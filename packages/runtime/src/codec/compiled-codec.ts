import type { Codec, Decoded, Encoded } from '../contract/codec.js'
import type { JsonSchema, JsonText } from '../contract/json.js'
import { type Completion, prepareCompletion } from './completion/completion.js'
import { readDocument } from './evaluate/prepare.js'
import { InterpretedCodec } from './interpreted-codec.js'
import type { InterpreterOptions } from './interpreter.js'
import { isFields } from './json/kind.js'
import { shallow } from './words/any.js'
import type { Check } from './words/checks.js'
import { Mode, strict } from './words/mode.js'
import type { Pick } from './words/pickers.js'
import type { Write } from './words/writers.js'

/** The generated part of a codec. */
export interface Compiled {
  /** Accepts values that are valid, in a mode; may refuse valid values that are unusual. */
  readonly is: Check
  /** Writes what the check accepts; absent where only the schema can tell which fields are declared. */
  readonly json?: Write | undefined
  /**
   * Leaves undeclared fields out of what the check accepts; absent where more becomes of values, or where only the schema
   * can tell which fields are declared.
   */
  readonly pick?: Pick | undefined
  /** The checks of objects inside, by the pointers of their schemas. */
  readonly parts?: Readonly<Record<string, Check>> | undefined
}

/**
 * A codec with a generated fast path. What the check accepts is done quickly; everything else (faults, instances of
 * classes, unions that only the schema can tell apart) takes the way over the schema, which says the same of every
 * value, and says why.
 */
export class CompiledCodec<Sent, Value> implements Codec<Sent, Value> {
  readonly schema: JsonSchema
  readonly #options: InterpreterOptions
  readonly #compiled: Compiled
  readonly #check: Check
  /** The mode in which values are judged alone. */
  readonly #judging: Mode
  readonly #slow: InterpretedCodec<Sent, Value>
  #prepared: Completion | undefined

  constructor(options: InterpreterOptions, compiled: Compiled) {
    this.schema = options.schema
    this.#options = options
    this.#compiled = compiled
    this.#check = wholeCheck(options, compiled.is)
    this.#judging = new Mode(options.unknown === 'keep' ? 'keep' : 'refuse', false, false)
    this.#slow = new InterpretedCodec(options, compiled.parts)
  }

  is(value: unknown): value is Value {
    return (this.#accepts(value, this.#judging) && !this.#completion().changesValid) || this.#slow.is(value)
  }

  decode(json: JsonText): Decoded<Value> {
    let parsed: unknown
    try {
      parsed = JSON.parse(json)
    } catch {
      // What is wrong with the text is for the other way to say.
      return this.#slow.decode(json)
    }
    return this.#decoded(parsed, this.#mode(true)) ?? this.#slow.faults(parsed) ?? this.#slow.decodeParsed(parsed)
  }

  decodeValue(value: unknown): Decoded<Value> {
    return this.#decoded(value, this.#mode(false)) ?? this.#slow.faults(value) ?? this.#slow.decodeValue(value)
  }

  encodeValue(value: unknown): Encoded<Value> {
    const decoded = this.#decoded(value, this.#mode(false))
    const json = decoded?.ok === true ? this.#written(decoded.value) : undefined
    if (decoded?.ok !== true || json === undefined) return this.#slow.encodeValue(value)
    return { ok: true, value: decoded.value, json }
  }

  encode(value: Sent): JsonText {
    const json = this.#accepts(value, this.#mode(false)) ? this.#written(value) : undefined
    return json ?? this.#slow.encode(value)
  }

  /** A method: engines run a private getter many times slower. */
  #completion(): Completion {
    this.#prepared ??= prepareCompletion(readDocument(this.schema), this.#options.unknown === 'keep')
    return this.#prepared
  }

  /** The decoded value on the fast path; `undefined` where that does not say. */
  #decoded(value: unknown, mode: Mode): Decoded<Value> | undefined {
    if (!this.#accepts(value, mode)) return undefined
    const { changesValid, complete } = this.#completion()
    if (!changesValid && !mode.untidy) return { ok: true, value: value as Value } // the check says so
    const { pick } = this.#compiled
    const make = pick === undefined || mode.extras === 'keep' ? complete : pick
    try {
      return make === undefined ? undefined : { ok: true, value: make(value) as Value }
    } catch {
      // A getter that answered the check says something else now.
      return undefined
    }
  }

  #accepts(value: unknown, mode: Mode): boolean {
    try {
      return this.#check(value, mode)
    } catch {
      // A getter of the caller threw, or a value contains itself: the other way says which.
      return false
    }
  }

  #written(accepted: unknown): JsonText | undefined {
    // A writer leaves out what is undeclared.
    if (this.#options.unknown === 'keep') return undefined
    try {
      return this.#compiled.json?.(accepted)
    } catch {
      // A getter that answered the check throws now.
      return undefined
    }
  }

  /** How undeclared fields are taken in what was parsed here, or given. */
  #mode(isParsed: boolean): Mode {
    const { unknown } = this.#options
    return unknown === 'reject' && isParsed ? strict : new Mode(unknown === 'reject' ? 'refuse' : unknown, isParsed)
  }
}

/** The check of whole values; that of the generator where nothing is to be found out besides. */
function wholeCheck({ serverOwned, unknown }: InterpreterOptions, is: Check): Check {
  // What is kept is looked into where it lies, not from the top.
  const check: Check = unknown === 'keep' ? (value, mode) => shallow(value) && is(value, mode) : is
  if (serverOwned.length === 0) return check
  return (value, mode) => {
    const isSent = isFields(value) && serverOwned.some((name) => Object.hasOwn(value, name))
    return !isSent && check(value, mode)
  }
}
