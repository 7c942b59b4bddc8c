import { pointerOf } from '@toolgen/runtime/schema'
import type { SourceLocation } from '../diagnostics/diagnostic.js'

type JsonLocation = Pick<SourceLocation, 'line' | 'column'>

/**
 * Returns locations in a JSON text by JSON Pointer. The location of a property is its key, that of an array item is its value.
 *
 * @param text valid JSON
 * @param wanted pointers of the requested parts; default: all
 */
export function jsonLocations(text: string, wanted?: ReadonlySet<string>): ReadonlyMap<string, JsonLocation> {
  const locations = new Map<string, JsonLocation>()
  const locationAt = locationsInTurn(text)
  const keep = (pointer: string, index: number): void => {
    if (wanted?.has(pointer) !== false) locations.set(pointer, locationAt(index))
  }
  const visitor = {
    key: keep,
    value: (pointer: string, index: number): void => {
      if (!locations.has(pointer)) keep(pointer, index)
    },
  }
  walkJson(text, visitor)
  return locations
}

/** Returns a function that converts offsets to lines and columns. Offsets must be passed in ascending order. */
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

/** Visitor of the parts of a JSON text, in their order. */
interface JsonVisitor {
  /** Visits a key of an object at an offset of the text. `object` is the same reference for all keys of one object. */
  key(pointer: string, index: number, object: object): void
  /** Visits a value. `token` is its text; the opening bracket of an object or array. */
  value(pointer: string, index: number, token: string): void
}

/** An object or array that is being read, with the key or index of its current member. */
interface Open {
  readonly pointer: string
  readonly isList: boolean
  step: string
  index: number
}

const tokens = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g

/** Visits the parts of valid JSON text with their JSON Pointers. */
export function walkJson(text: string, visitor: JsonVisitor): void {
  const open: Open[] = []
  for (const { 0: token, index } of text.matchAll(tokens)) {
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
      if (token === '{' || token === '[') open.push({ pointer, isList: token === '[', step: '', index: 0 })
    }
  }
}
