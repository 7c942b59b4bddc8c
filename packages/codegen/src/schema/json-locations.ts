import { pointerOf } from '@toolgen/runtime/schema'
import type { SourceLocation } from '../diagnostics/diagnostic.js'

type JsonLocation = Pick<SourceLocation, 'line' | 'column'>

/**
 * Requires valid JSON. The location of a property is the location of its key. A number as `wanted` is the maximum nesting depth; with depth 1, the
 * result contains only the outermost value and its direct members.
 */
export function jsonLocations(
  text: string,
  wanted: ReadonlySet<string> | number = Number.POSITIVE_INFINITY,
): ReadonlyMap<string, JsonLocation> {
  const locations = new Map<string, JsonLocation>()
  const locationAt = locationsInTurn(text)
  const parents = new Set(typeof wanted === 'number' ? [] : [...wanted].flatMap(parentsOf))
  const keep = (pointer: string, index: number): void => {
    if (typeof wanted === 'number' || wanted.has(pointer)) locations.set(pointer, locationAt(index))
  }
  const visitor = {
    key: keep,
    value: (pointer: string, index: number): void => {
      if (!locations.has(pointer)) keep(pointer, index)
    },
    enters: (pointer: string, depth: number): boolean =>
      typeof wanted === 'number' ? depth < wanted : parents.has(pointer),
  }
  walkJson(text, visitor)
  return locations
}

function parentsOf(pointer: string): readonly string[] {
  return [...pointer.matchAll(/\//g)].map(({ index }) => pointer.slice(0, index))
}

/** Pass the offsets in ascending order, because the returned function continues its search at the line of the previous offset. */
function locationsInTurn(text: string): (index: number) => JsonLocation {
  // Remembers the end of the current line, because searching a very long line for each offset would be slow.
  let [line, lineStart, lineEnd] = [1, 0, text.indexOf('\n')]
  return (index) => {
    for (; lineEnd !== -1 && lineEnd < index; lineEnd = text.indexOf('\n', lineEnd + 1)) {
      line += 1
      lineStart = lineEnd + 1
    }
    return { line, column: index - lineStart + 1 }
  }
}

interface JsonVisitor {
  /** `index` is the offset of the key in the text, and `object` identifies the JSON object that contains the key. */
  key(pointer: string, index: number, object: object): void
  /** `token` is the text of the value, but only the opening bracket of an array or object. */
  value(pointer: string, index: number, token: string): void
  /**
   * Returns true to visit the members of the array or object at `pointer`. `depth` is 0 for the outermost array or object. If absent, all members are
   * visited.
   */
  enters?(pointer: string, depth: number): boolean
}

interface Open {
  readonly pointer: string
  readonly isList: boolean
  step: string
  index: number
}

export function walkJson(text: string, visitor: JsonVisitor): void {
  const tokens = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g
  const open: Open[] = []
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    const { 0: token, index } = match
    const inside = open.at(-1)
    if (token === ']' || token === '}') open.pop()
    else if (token === ',' && inside !== undefined) {
      inside.index += 1
      inside.step = ''
    } else if (token === ':' || token === ',') continue
    else if (inside !== undefined && !inside.isList && inside.step === '') {
      const key: unknown = JSON.parse(token)
      inside.step = pointerOf([String(key)])
      visitor.key(`${inside.pointer}${inside.step}`, index, inside)
    } else {
      const pointer = inside === undefined ? '' : inside.pointer + (inside.isList ? `/${inside.index}` : inside.step)
      visitor.value(pointer, index, token)
      if (token !== '{' && token !== '[') continue
      if (visitor.enters?.(pointer, open.length) === false) tokens.lastIndex = endOfContainer(text, index)
      else open.push({ pointer, isList: token === '[', step: '', index: 0 })
    }
  }
}

const [quote, backslash, ...brackets] = [...'"\\[{]}'].map((character) => character.charCodeAt(0))
const [openList, openObject, closeList, closeObject] = brackets

function endOfContainer(text: string, start: number): number {
  let depth = 0
  for (let index = start; ; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit === quote) index = endOfString(text, index)
    else if (unit === openList || unit === openObject) depth += 1
    else if (unit === closeList || unit === closeObject) {
      depth -= 1
      if (depth === 0) return index + 1
    }
  }
}

export function endOfString(text: string, start: number): number {
  let end = start + 1
  while (text.charCodeAt(end) !== quote) end += text.charCodeAt(end) === backslash ? 2 : 1
  return end
}
