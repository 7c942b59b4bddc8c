import { pointerOf } from '@toolgen/runtime/schema'
import type { SourceLocation } from '../diagnostics/diagnostic.js'

type JsonLocation = Pick<SourceLocation, 'line' | 'column'>

/**
 * Returns the line and column of each property and array item in a JSON text, by JSON Pointer. A property is located at its key, an array
 * item at its value.
 *
 * @param text valid JSON
 * @param wanted pointers of the properties and items to locate; default: all
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

/** Returns a function that converts an offset in `text` to a line and column. Offsets must be passed in ascending order. */
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

/** Functions that {@link walkJson} calls for the keys and values of a JSON text, in the order of the text. */
interface JsonVisitor {
  /** Receives a key: the pointer of its property, its offset in the text, and a reference that all keys of the same object share. */
  key(pointer: string, index: number, object: object): void
  /** Receives a value: its pointer, its offset, and its text (for an array or object, only the opening bracket). */
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

/** Calls `visitor` for each key and value of a valid JSON text. */
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
