/** What is wrong with a text that should be JSON. */
export interface TextFault {
  /** One sentence. */
  readonly message: string
  /** Index of the faulty UTF-16 code unit; the length of the text where it ends too early. */
  readonly position?: number
  /** The line of the position, from 1. */
  readonly line?: number
  /** Its column, from 1, in UTF-16 code units. */
  readonly column?: number
  /** The character that cannot stand there; absent where the text ends. */
  readonly found?: string
}

const spaces = /[ \t\n\r]*/y
const escapes = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const numbers = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const words = /true|false|null/y

/** Finds the first fault of a text that is not JSON, in linear time and without recursion. */
export function textFault(text: unknown): TextFault {
  if (typeof text !== 'string') return { message: 'This is not JSON text.' }
  if (text.trim() === '') return { message: 'The text is empty; JSON is expected.', position: 0 }
  const position = faultPosition(text)
  if (position === undefined) return { message: 'This is not valid JSON.' }
  const place = { position, ...lineAndColumn(text, position) }
  const found = characterAt(text, position)
  if (found === undefined) return { message: 'The JSON text ends before it is complete.', ...place }
  return {
    message: `This is not valid JSON: the character at position ${position} cannot stand there.`,
    ...place,
    found,
  }
}

function lineAndColumn(text: string, position: number): { readonly line: number; readonly column: number } {
  let line = 1
  let start = 0
  for (let at = text.indexOf('\n'); at !== -1 && at < position; at = text.indexOf('\n', at + 1)) {
    line++
    start = at + 1
  }
  return { line, column: position - start + 1 }
}

/** The whole character at a code unit; half of one is shown as what stands for unreadable text. */
function characterAt(text: string, position: number): string | undefined {
  const code = text.codePointAt(position)
  if (code === undefined) return undefined
  return code >= 0xd800 && code <= 0xdfff ? '\uFFFD' : String.fromCodePoint(code)
}

/** Where the text stops being JSON; `undefined` where it is JSON throughout. */
function faultPosition(text: string): number | undefined {
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
    // A value is complete: close what it completes.
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
