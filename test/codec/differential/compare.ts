import { isToolgenError } from '@toolgen/runtime'
import type { Codec } from '../../../packages/runtime/src/types/codec.js'

/** Returns the first difference between two codecs for a value and its JSON text, or `undefined`. */
export function disagreement(a: Codec<unknown>, b: Codec<unknown>, value: unknown): string | undefined {
  const text = jsonText(value)
  return (
    differenceIn('decode', a, b, (codec) => codec.decode(text)) ??
    valueDisagreement(a, b, value) ??
    differenceIn('is of what was decoded', a, b, (codec) => ofDecoded(codec, text))
  )
}

/** Returns the first difference between two codecs for a value that need not be JSON. An exception in either codec is a difference too. */
export function valueDisagreement(a: Codec<unknown>, b: Codec<unknown>, value: unknown): string | undefined {
  return (
    differenceIn('decodeValue', a, b, (codec) => codec.decodeValue(value)) ??
    differenceIn('encodeValue', a, b, (codec) => codec.encodeValue(value)) ??
    differenceIn('encode', a, b, (codec) => encoded(codec, value)) ??
    differenceIn('is', a, b, (codec) => {
      const answer = codec.is(value)
      // A codec may treat an instance of a class like the plain object that it resembles.
      return isPlain(value) ? answer : typeof answer
    })
  )
}

/** Returns the first difference between two codecs for a text. Accepting invalid JSON is a fault too. */
export function textDisagreement(a: Codec<unknown>, b: Codec<unknown>, text: string): string | undefined {
  const difference = differenceIn('decode', a, b, (codec) => codec.decode(text))
  if (difference !== undefined) return difference
  const one = written(a.decode(text))
  const isRefused = one.includes('"constraint":"invalid_json"')
  return isRefused === isJson(text)
    ? `decode of what is ${isRefused ? '' : 'no '}JSON: ${one.slice(0, 400)}`
    : undefined
}

/** Checks that a text is valid JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Checks that a value consists only of plain objects and arrays, as far as it is readable. */
function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  try {
    const hasKind = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
    return hasKind && Object.values(value).every(isPlain)
  } catch {
    // The value is infinitely nested or unreadable.
    return false
  }
}

/** Serializes a value with `JSON.stringify`, also typed values. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part)) ?? 'null'
}

/** Returns a text that is equal for answers that differ only in the order of properties. */
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
    if (!isToolgenError(error, 'CodecError')) throw error
    return error.issues
  }
}

/** Decodes a text. Returns the result of `is` for the value, and the value serialized; `undefined` for an invalid text. */
function ofDecoded(codec: Codec<unknown>, text: string): unknown {
  const decoded = codec.decode(text)
  return decoded.ok ? [codec.is(decoded.value), encoded(codec, decoded.value)] : undefined
}

/**
 * Compares the answers of two codecs. Returns a difference, or an exception of one of them.
 *
 * @throws {SchemaError}
 */
function differenceIn(
  name: string,
  a: Codec<unknown>,
  b: Codec<unknown>,
  ask: (codec: Codec<unknown>) => unknown,
): string | undefined {
  const answers: string[] = []
  for (const codec of [a, b]) {
    try {
      answers.push(written(ask(codec)))
    } catch (error) {
      if (isToolgenError(error, 'SchemaError')) throw error
      return `${name}: ${codec === a ? 'the first' : 'the second'} throws ${String(error)}`
    }
  }
  const [one = '', other = ''] = answers
  return one === other ? undefined : `${name}: ${differing(one, other)} against ${differing(other, one)}`
}

/** Returns a part of a text that starts shortly before the first difference to another text. */
function differing(text: string, other: string): string {
  const same = [...text].findIndex((character, index) => character !== other[index])
  return text.slice(Math.max(0, same - 200), same + 400)
}
