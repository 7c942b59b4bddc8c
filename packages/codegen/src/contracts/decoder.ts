import type { Installed } from '../dev/installed-runtime.js'
import { isObject, type Schema } from '../schema/json-schema.js'

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
