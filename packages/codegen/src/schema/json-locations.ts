import { pointerOf } from '@toolgen/runtime/schema'
import type { SourceLocation } from '../diagnostics/diagnostic.js'

type JsonLocation = Pick<SourceLocation, 'line' | 'column'>

/**
 * Returns the positions of the parts of a JSON text, by JSON Pointer: a property at its key, an item of a list at its
 * value.
 *
 * @param text valid JSON
 * @param wanted the pointers of the parts that are asked for; default: all
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

/** Returns lines and columns of offsets that are requested in ascending order. */
function locationsInTurn(text: string): (index: number) => JsonLocation {
  // Looked for once each: to the end of a text of one line it is far.
  let [line, lineStart, lineEnd] = [1, 0, text.indexOf('\n')]
  return (index) => {
    for (; lineEnd !== -1 && lineEnd < index; lineEnd = text.indexOf('\n', lineEnd + 1)) {
      line += 1
      lineStart = lineEnd + 1
    }
    return { line, column: index - lineStart + 1 }
  }
}

/** Receives the parts of a JSON text in their order. */
interface JsonVisitor {
  /**
   * A key of an object.
   *
   * @param index offset in the text
   * @param object stands for the object: the same for all its keys
   */
  key(pointer: string, index: number, object: object): void
  /**
   * A value.
   *
   * @param token its text; of an object or a list the bracket that opens it
   */
  value(pointer: string, index: number, token: string): void
}

/** An object or array that is being read, with the segment of its current part. */
interface Open {
  readonly pointer: string
  readonly isList: boolean
  step: string
  index: number
}

const tokens = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g

/** Visits the parts of a valid JSON text by their JSON Pointers. */
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
