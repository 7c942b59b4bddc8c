import type { JsonText } from '../types/json.js'
import { isContainer, isFields, MAX_DEPTH } from './json-values.js'
import { type Owned, Unwritable } from './unwritable.js'

type Parsed = { readonly ok: true; readonly value: unknown } | ({ readonly ok: false } & SyntaxErrorInfo)

export function parseJson(text: JsonText): Parsed {
  if (typeof text !== 'string') return { ok: false, message: 'Expected JSON as a string.' }
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    // Error messages of engines differ and can quote the input. So the error position is computed here.
    return { ok: false, ...findSyntaxError(text) }
  }
}

interface SyntaxErrorInfo {
  readonly message: string
  /** In UTF-16 code units. The length of the string if the string ends too early. */
  readonly position?: number
  readonly line?: number
  /** In UTF-16 code units. The first column is 1. */
  readonly column?: number
  readonly found?: string
}

const spaces = /[ \t\n\r]*/y
const escapes = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const numbers = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const words = /true|false|null/y

/** Takes linear time and uses no recursion. */
export function findSyntaxError(text: unknown): SyntaxErrorInfo {
  if (typeof text !== 'string') return { message: 'Expected JSON as a string.' }
  if (text.trim() === '') return { message: 'The string is empty; expected JSON.', position: 0 }
  const position = errorPosition(text)
  if (position === undefined) return { message: 'This is not valid JSON.' }
  const lines = text.slice(0, position).split('\n')
  const location = { position, line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
  const code = text.codePointAt(position)
  if (code === undefined) return { message: 'This is not valid JSON: it ends too early.', ...location }
  return {
    message: `This is not valid JSON: unexpected character at position ${position}.`,
    ...location,
    found: code >= 0xd800 && code <= 0xdfff ? '\uFFFD' : String.fromCodePoint(code),
  }
}

function errorPosition(text: string): number | undefined {
  const closers: string[] = []
  let at = 0

  function skip(pattern: RegExp): boolean {
    pattern.lastIndex = at
    if (!pattern.test(text)) return false
    const moved = pattern.lastIndex > at
    at = pattern.lastIndex
    return moved
  }

  function string(): boolean {
    if (text[at] !== '"') return false
    at++
    do {
      while (at < text.length && text[at] !== '"' && text[at] !== '\\' && text.charCodeAt(at) >= 0x20) at++
    } while (skip(escapes))
    if (text[at] !== '"') return false
    at++
    return true
  }

  function key(): boolean {
    skip(spaces)
    if (!string()) return false
    skip(spaces)
    if (text[at] !== ':') return false
    at++
    return true
  }

  for (;;) {
    skip(spaces)
    const opened = text[at]
    if (opened === '[' || opened === '{') {
      at++
      skip(spaces)
      const closer = opened === '[' ? ']' : '}'
      if (text[at] !== closer) {
        closers.push(closer)
        if (opened === '{' && !key()) return at
        continue
      }
      at++
    } else if (opened === '"') {
      if (!string()) return at
    } else if (!skip(numbers) && !skip(words)) {
      return at
    }
    // A value is complete: skip the closing brackets after it.
    for (;;) {
      skip(spaces)
      const closer = closers.at(-1)
      if (closer === undefined) return at < text.length ? at : undefined
      if (text[at] === ',') break
      if (text[at] !== closer) return at
      closers.pop()
      at++
    }
    at++
    if (closers.at(-1) === '}' && !key()) return at
  }
}

/** Changes the parsed value itself. */
export function sealParsed(parsed: unknown): Owned {
  let hasUnwritable = false

  function seal(part: unknown, depth: number): unknown {
    if (typeof part === 'number' && !Number.isFinite(part)) {
      hasUnwritable = true
      return new Unwritable({ constraint: 'not_json', received: 'a number too large for a double' })
    }
    if (!isContainer(part)) return part
    if (depth > MAX_DEPTH) {
      hasUnwritable = true
      return new Unwritable({ constraint: 'too_deep', maximum: MAX_DEPTH })
    }
    if (Array.isArray(part)) {
      for (let index = 0; index < part.length; index++) {
        const sealed = seal(part[index], depth + 1)
        if (sealed !== part[index]) part[index] = sealed
      }
      return part
    }
    if (!isFields(part)) return part
    for (const key of Object.keys(part)) {
      const field = part[key]
      const sealed = seal(field, depth + 1)
      if (sealed !== field) Object.defineProperty(part, key, { value: sealed })
    }
    return part
  }

  const value = seal(parsed, 1)
  return { value, hasUnwritable }
}
