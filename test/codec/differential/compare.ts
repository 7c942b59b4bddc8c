import { isCodecError } from '../../../packages/runtime/src/codec/codec-error.js'
import type { Codec } from '../../../packages/runtime/src/contract/codec.js'

/** Where two codecs say different things of one value; `undefined`: nowhere. */
export function disagreement(a: Codec<unknown>, b: Codec<unknown>, value: unknown): string | undefined {
  const text = jsonText(value)
  const asked: readonly (readonly [string, (codec: Codec<unknown>) => unknown])[] = [
    ['decode', (codec) => codec.decode(text)],
    ['decodeValue', (codec) => codec.decodeValue(value)],
    ['encodeValue', (codec) => codec.encodeValue(value)],
    ['encode', (codec) => encoded(codec, value)],
    // An instance of a class may be taken for the plain object that it looks like.
    ['is', (codec) => hasInstances(value) || codec.is(value)],
    ['is of what was decoded', (codec) => ofDecoded(codec, text)],
  ]
  for (const [name, ask] of asked) {
    const [first, second] = [answered(a, ask), answered(b, ask)]
    if (written(first) !== written(second)) return `${name}: ${shown(first)} against ${shown(second)}`
  }
  return undefined
}

/** A value as JSON text, whatever JSON.stringify makes of typed values. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part)) ?? 'null'
}

function hasInstances(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
  return !isPlain || Object.values(value).some(hasInstances)
}

/** A text that two answers share exactly when they are the same but for the order of fields. */
function written(answer: unknown): string {
  if (Array.isArray(answer)) return `[${answer.map(written).join()}]`
  if (answer instanceof Date || ArrayBuffer.isView(answer) || typeof answer === 'bigint') {
    return `${Object.prototype.toString.call(answer)} ${String(answer)}`
  }
  if (typeof answer !== 'object' || answer === null) return JSON.stringify(answer) ?? 'undefined'
  const entries = Object.entries(answer).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, part]) => `${JSON.stringify(key)}:${written(part)}`).join()}}`
}

function encoded(codec: Codec<unknown>, value: unknown): unknown {
  try {
    return codec.encode(value)
  } catch (error) {
    if (!isCodecError(error)) throw error
    return error.issues
  }
}

/** What was decoded is what decoding yields, and is written the same whichever codec decoded it. */
function ofDecoded(codec: Codec<unknown>, text: string): unknown {
  const decoded = codec.decode(text)
  return decoded.ok ? [codec.is(decoded.value), codec.encode(decoded.value)] : undefined
}

function answered(codec: Codec<unknown>, ask: (codec: Codec<unknown>) => unknown): unknown {
  try {
    return ask(codec)
  } catch (error) {
    return { thrown: String(error) }
  }
}

function shown(answer: unknown): string {
  return written(answer).slice(0, 600)
}
