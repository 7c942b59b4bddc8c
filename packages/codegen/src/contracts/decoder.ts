import type { Installed } from '../dev/installed-runtime.js'
import { closedSchema } from '../schema/definitions.js'
import { type Defs, isObject, type Json, type Schema, type SchemaObject } from '../schema/json-schema.js'

interface CodecOptions {
  readonly schema: Schema
  readonly serverOwned?: readonly string[]
  /** Treatment of undeclared fields. Default: that of the codec. */
  readonly unknown?: 'reject'
}

export interface Issue {
  /** JSON Pointer into the value. It also leads to missing and unknown fields. */
  readonly pointer: string
  /** Name of the constraint that is not met. */
  readonly constraint: string
  readonly message: string
}

/** Result of decoding a value; `unknown` if the codec cannot read its schema. */
export type Decoded =
  | { readonly kind: 'accepted'; readonly value: unknown }
  | { readonly kind: 'rejected'; readonly issues: readonly Issue[] }
  | { readonly kind: 'unknown'; readonly message: string }

/**
 * Returns a function that decodes JSON text.
 *
 * @param makeCodec `payloadCodec` or `resultCodec` of the installed runtime
 */
export function decoderOf(makeCodec: Installed, options: CodecOptions): (text: string) => Decoded {
  const codec: unknown = Reflect.apply(makeCodec, undefined, [options])
  const decode: unknown = isObject(codec) ? Reflect.get(codec, 'decode') : undefined
  if (typeof decode !== 'function') throw new TypeError('the installed runtime makes no codec')
  return (text) => {
    try {
      const result: unknown = Reflect.apply(decode, codec, [text])
      if (!isObject(result)) throw new TypeError('a codec of the installed runtime decodes nothing')
      if (result.ok === true) return { kind: 'accepted', value: result.value }
      const issues: readonly unknown[] = Array.isArray(result.issues) ? result.issues : []
      return {
        kind: 'rejected',
        issues: issues.filter(isObject).map(({ path, constraint, message }) => ({
          pointer: String(path),
          constraint: String(constraint),
          message: String(message),
        })),
      }
    } catch (error) {
      // A lock may have schemas that no design can have. The installed runtime has its own error class.
      if (error instanceof Error && error.name === 'SchemaError') return { kind: 'unknown', message: error.message }
      throw error
    }
  }
}

export interface ValueDecoder {
  /** True if some value may take very long, because of a pattern. */
  readonly mayBeSlow: boolean
  readonly decode: (value: Json) => Decoded
}

function valueDecoder(makeCodec: Installed, schema: Schema, unknown: 'reject' | undefined): ValueDecoder {
  const decode = decoderOf(makeCodec, { schema, ...(unknown !== undefined && { unknown }) })
  const known = new Map<string, Decoded>()
  return {
    mayBeSlow: JSON.stringify(schema).includes('"pattern'),
    decode(value) {
      const text = JSON.stringify(value)
      const decoded = known.get(text) ?? decode(text)
      known.set(text, decoded)
      return decoded
    },
  }
}

/** Limit for the decoders of one kind: the two directions of a tool are compared one after the other. */
const maxDecoders = 8

/** The decoders of schemas with the same definitions: making one costs more than most decoding. */
export class DecoderPool {
  readonly defs: Defs
  /** Values that searches have made of the schemas. */
  readonly samples: Samples = new WeakMap()
  readonly #makeCodec: Installed
  readonly #decoders = new Map<string, Map<Schema, ValueDecoder>>()

  /** @param makeCodec `payloadCodec` or `resultCodec` of the installed runtime */
  constructor(defs: Defs, makeCodec: Installed) {
    this.defs = defs
    this.#makeCodec = makeCodec
  }

  /** Returns the decoder of a schema. `unknown` says what happens to undeclared fields; default: as the codec does. */
  of(schema: Schema, unknown?: 'reject'): ValueDecoder {
    const decoders = this.#decoders.get(unknown ?? '') ?? new Map<Schema, ValueDecoder>()
    this.#decoders.set(unknown ?? '', decoders)
    const known = decoders.get(schema)
    if (known !== undefined) return known
    const [oldest] = decoders.keys()
    if (oldest !== undefined && decoders.size >= maxDecoders) decoders.delete(oldest)
    const decoder = valueDecoder(this.#makeCodec, closedSchema(schema, this.defs), unknown)
    decoders.set(schema, decoder)
    return decoder
  }
}

/** One likely value by schema. */
export type Samples = WeakMap<SchemaObject, Json>
