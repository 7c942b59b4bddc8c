import type { Installed } from '../dev/installed-runtime.js'
import { closedSchema } from '../schema/definitions.js'
import { type Defs, isObject, type Json, type Schema, type SchemaObject } from '../schema/json-schema.js'

interface CodecOptions {
  readonly schema: Schema
  readonly serverOwned?: readonly string[]
  /** Payload codecs always report undeclared fields. Result codecs remove undeclared fields, except with `reject`. */
  readonly unknown?: 'reject'
}

export interface Issue {
  readonly pointer: string
  readonly constraint: string
  readonly message: string
}

export type Decoded =
  | { readonly kind: 'accepted'; readonly value: unknown }
  | { readonly kind: 'rejected'; readonly issues: readonly Issue[] }
  | { readonly kind: 'unknown'; readonly message: string }

export function decoderOf(makeCodec: Installed, options: CodecOptions): (text: string) => Decoded {
  const codec: unknown = Reflect.apply(makeCodec, undefined, [options])
  const decode: unknown = isObject(codec) ? Reflect.get(codec, 'decode') : undefined
  if (typeof decode !== 'function') throw new TypeError('the installed runtime does not return a codec')
  return (text) => {
    try {
      const result: unknown = Reflect.apply(decode, codec, [text])
      if (!isObject(result)) throw new TypeError('`decode` of the installed runtime does not return an object')
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
      // A lock may contain schemas that designs cannot have. The installed runtime has its own error class.
      if (error instanceof Error && error.name === 'SchemaError') return { kind: 'unknown', message: error.message }
      throw error
    }
  }
}

export interface ValueDecoder {
  /** True if the schema has a pattern, because matching a pattern can take very long. */
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

/** For each value of the option `unknown`. Few are enough, because tools are compared one after the other. */
const maxDecoders = 8

/** Creating a decoder is usually slower than decoding. */
export class DecoderPool {
  readonly defs: Defs
  readonly samples: Samples = new WeakMap()
  readonly #makeCodec: Installed
  readonly #decoders = new Map<string, Map<Schema, ValueDecoder>>()

  constructor(defs: Defs, makeCodec: Installed) {
    this.defs = defs
    this.#makeCodec = makeCodec
  }

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

export type Samples = WeakMap<SchemaObject, Json>
