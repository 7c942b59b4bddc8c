import { isToolgenError } from '@toolgen/runtime'
import type { Codec } from '../../../packages/runtime/src/types/codec.js'

/** Where two codecs say different things of one value, as it is and as text; `undefined`: nowhere. */
export function disagreement(a: Codec<unknown>, b: Codec<unknown>, value: unknown): string | undefined {
  const text = jsonText(value)
  return (
    differenceIn('decode', a, b, (codec) => codec.decode(text)) ??
    valueDisagreement(a, b, value) ??
    differenceIn('is of what was decoded', a, b, (codec) => ofDecoded(codec, text))
  )
}

/** Where two codecs say different things of a value that need not be JSON, or one of them throws. */
export function valueDisagreement(a: Codec<unknown>, b: Codec<unknown>, value: unknown): string | undefined {
  return (
    differenceIn('decodeValue', a, b, (codec) => codec.decodeValue(value)) ??
    differenceIn('encodeValue', a, b, (codec) => codec.encodeValue(value)) ??
    differenceIn('encode', a, b, (codec) => encoded(codec, value)) ??
    differenceIn('is', a, b, (codec) => {
      const answer = codec.is(value)
      // An instance of a class may be taken for the plain object that it looks like.
      return isPlain(value) ? answer : typeof answer
    })
  )
}

/** Where two codecs say different things of one text, or one of them takes what is no JSON. */
export function textDisagreement(a: Codec<unknown>, b: Codec<unknown>, text: string): string | undefined {
  const difference = differenceIn('decode', a, b, (codec) => codec.decode(text))
  if (difference !== undefined) return difference
  const one = written(a.decode(text))
  const isRefused = one.includes('"constraint":"invalid_json"')
  return isRefused === isJson(text)
    ? `decode of what is ${isRefused ? '' : 'no '}JSON: ${one.slice(0, 400)}`
    : undefined
}

/** Whether a text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Whether a value is made of plain objects and arrays alone, as far as it can be read. */
function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  try {
    const hasKind = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
    return hasKind && Object.values(value).every(isPlain)
  } catch {
    // It is nested without end, or cannot be read.
    return false
  }
}

/** A value as JSON text, whatever JSON.stringify makes of typed values. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part)) ?? 'null'
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
    if (!isToolgenError(error, 'CodecError')) throw error
    return error.issues
  }
}

/** What was decoded is what decoding yields, and is written, or not once fields were dropped, whichever codec did it. */
function ofDecoded(codec: Codec<unknown>, text: string): unknown {
  const decoded = codec.decode(text)
  return decoded.ok ? [codec.is(decoded.value), encoded(codec, decoded.value)] : undefined
}

/**
 * Asks two codecs the same: their answers differ, or one of them throws.
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

/** The part of a text from shortly before the place where it differs from another. */
function differing(text: string, other: string): string {
  const same = [...text].findIndex((character, index) => character !== other[index])
  return text.slice(Math.max(0, same - 200), same + 400)
}
