import type { SourcePlace } from '../../diagnostics/diagnostic.js'
import { walkJson } from './walk-json.js'

/** A line and a column, 1-based. */
type JsonPlace = Pick<SourcePlace, 'line' | 'column'>

/**
 * Where each part of a JSON text stands, by JSON Pointer: a property at its key, an item of a list at its value.
 *
 * @param text valid JSON
 * @param wanted the pointers of the parts that are asked for; default: all
 */
export function jsonPlaces(text: string, wanted?: ReadonlySet<string>): ReadonlyMap<string, JsonPlace> {
  const places = new Map<string, JsonPlace>()
  const placeAt = placesInTurn(text)
  const keep = (pointer: string, index: number): void => {
    if (wanted?.has(pointer) !== false) places.set(pointer, placeAt(index))
  }
  const visitor = {
    key: keep,
    value: (pointer: string, index: number): void => {
      if (!places.has(pointer)) keep(pointer, index)
    },
  }
  walkJson(text, visitor, wanted)
  return places
}

/** Gives the lines and columns of places that are asked for in their order. */
function placesInTurn(text: string): (index: number) => JsonPlace {
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
