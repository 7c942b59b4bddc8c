/** Where a text stops being JSON, and why: in words that end the sentence "... cannot be read:". */
export interface JsonFault {
  readonly line: number
  readonly column: number
  readonly why: string
}

/** Values nested deeper are refused: nothing that describes tools is, and what walks over a value would run out of stack. */
const deepestDefault = 200

const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y
const space = /[ \t\r\n]*/y
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

type Expected =
  | 'a value'
  | 'a value or `]`'
  | 'a key or `}`'
  | 'a key'
  | '`:`'
  | '`,` or `]`'
  | '`,` or `}`'
  | 'its end'

/**
 * Returns the first fault of a text that is not JSON, or that nests too deep; `undefined` for any other text.
 *
 * @param deepest maximum number of levels; default: 200
 */
export function jsonFault(text: string, deepest: number = deepestDefault): JsonFault | undefined {
  const open: ('[' | '{')[] = []
  let expected: Expected = 'a value'
  const ended = (): Expected => (open.length === 0 ? 'its end' : open.at(-1) === '[' ? '`,` or `]`' : '`,` or `}`')
  for (let at = skip(space, text, 0); ; at = skip(space, text, at)) {
    const character = text[at]
    if (character === undefined) {
      return expected === 'its end' ? undefined : fault(text, at, `it ends where ${expected} is expected`)
    }
    const takesValue: boolean = expected === 'a value' || expected === 'a value or `]`'
    const closes = character === (open.at(-1) === '[' ? ']' : '}') && expected.includes(character)
    if (closes) {
      open.pop()
      expected = ended()
      at += 1
    } else if (character === ',' && expected.startsWith('`,`')) {
      expected = open.at(-1) === '[' ? 'a value' : 'a key'
      at += 1
    } else if (character === ':' && expected === '`:`') {
      expected = 'a value'
      at += 1
    } else if (takesValue && (character === '[' || character === '{')) {
      if (open.length === deepest) return fault(text, at, `it nests more than ${deepest} levels deep`)
      open.push(character)
      expected = character === '[' ? 'a value or `]`' : 'a key or `}`'
      at += 1
    } else if (character === '"' && (takesValue || expected.startsWith('a key'))) {
      const end = stringEnd(text, at)
      if (end.why !== undefined) return fault(text, end.at, end.why)
      expected = takesValue ? ended() : '`:`'
      at = end.at
    } else {
      const end = takesValue ? skip(scalar, text, at) : at
      if (end === at) return fault(text, at, `it is no JSON: ${expected} is expected`)
      expected = ended()
      at = end
    }
  }
}

/** The place after what a sticky pattern finds at a place; the place itself where it finds nothing. */
function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

/** The place after a string that begins at a place, or where it goes wrong. */
function stringEnd(text: string, start: number): { readonly at: number; readonly why?: string } {
  for (let at = start + 1; at < text.length; ) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return { at: at + 1 }
    if (code < 0x20) return { at, why: 'it is no JSON: a text ends on the line on which it begins' }
    const end = code === 0x5c ? skip(escaped, text, at) : at + 1
    if (end === at) return { at, why: 'it is no JSON: JSON has no such escape' }
    at = end
  }
  return { at: text.length, why: 'it ends within a text' }
}

function fault(text: string, at: number, why: string): JsonFault {
  const before = text.slice(0, at)
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n'), why }
}
