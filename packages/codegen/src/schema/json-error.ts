import type { Json } from './json-schema.js'

export interface JsonError {
  readonly line: number
  readonly column: number
  /** End of a message: `... cannot be read: <why>`. */
  readonly why: string
}

/** For much deeper values, recursive functions would exceed the call stack. */
const defaultMaxLevels = 200

const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y
const space = /[ \t\r\n]*/y
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

export function parseJson(text: string): { readonly json: unknown } | JsonError {
  try {
    return { json: JSON.parse(text) }
  } catch (error) {
    const found = jsonError(text)
    if (found === undefined) throw error
    return found
  }
}

export function jsonError(text: string, maxLevels: number = defaultMaxLevels): JsonError | undefined {
  const open: ('[' | '{')[] = []
  let expected = 'a value'
  const afterValue = (): string =>
    open.length === 0 ? 'the end of the text' : open.at(-1) === '[' ? '`,` or `]`' : '`,` or `}`'
  const errorAt = (at: number, why: string): JsonError => {
    const before = text.slice(0, at)
    return { line: before.split('\n').length, column: at - before.lastIndexOf('\n'), why }
  }
  for (let at = skip(space, text, 0); ; at = skip(space, text, at)) {
    const character = text[at]
    if (character === undefined) {
      return expected === 'the end of the text'
        ? undefined
        : errorAt(at, `unexpected end of the text: expected ${expected}`)
    }
    const acceptsValue = expected === 'a value' || expected === 'a value or `]`'
    if (character === (open.at(-1) === '[' ? ']' : '}') && expected.includes(character)) {
      open.pop()
      expected = afterValue()
      at += 1
    } else if (character === ',' && expected.startsWith('`,`')) {
      expected = open.at(-1) === '[' ? 'a value' : 'a key'
      at += 1
    } else if (character === ':' && expected === '`:`') {
      expected = 'a value'
      at += 1
    } else if (acceptsValue && (character === '[' || character === '{')) {
      if (open.length === maxLevels) return errorAt(at, `it has more than ${maxLevels} nested levels`)
      open.push(character)
      expected = character === '[' ? 'a value or `]`' : 'a key or `}`'
      at += 1
    } else if (character === '"' && (acceptsValue || expected.startsWith('a key'))) {
      const end = stringEnd(text, at)
      if (end.why !== undefined) return errorAt(end.at, end.why)
      expected = acceptsValue ? afterValue() : '`:`'
      at = end.at
    } else {
      const end = acceptsValue ? skip(scalar, text, at) : at
      if (end === at) return errorAt(at, `it is not JSON: expected ${expected}`)
      expected = afterValue()
      at = end
    }
  }
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

function stringEnd(text: string, start: number): { readonly at: number; readonly why?: string } {
  for (let at = start + 1; at < text.length; ) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return { at: at + 1 }
    if (code < 0x20) return { at, why: 'it is not JSON: a string contains a line break or control character' }
    const end = code === 0x5c ? skip(escaped, text, at) : at + 1
    if (end === at) return { at, why: 'it is not JSON: invalid escape sequence' }
    at = end
  }
  return { at: text.length, why: 'unexpected end of the text within a string' }
}

export function isDeeper(value: Json | undefined, levels: number): boolean {
  let inside = [value]
  for (let level = 0; inside.length > 0; level += 1) {
    const containers = inside.filter((each) => typeof each === 'object' && each !== null)
    if (containers.length > 0 && level === levels) return true
    inside = containers.flatMap((each) => Object.values(each))
  }
  return false
}
