import type { SourcePlace } from '../../diagnostics/diagnostic.js'
import { pointerStep } from './pointer.js'

/** A line and a column, 1-based. */
type JsonPlace = Pick<SourcePlace, 'line' | 'column'>

/** An object or a list that is being read, with the step to its current part. */
interface Open {
  readonly pointer: string
  readonly isList: boolean
  step: string
  index: number
}

/**
 * Where each part of a JSON text stands, by JSON Pointer: a property at its key, an item of a list at its value.
 *
 * @param text valid JSON
 * @param wanted the pointers of the parts that are asked for; default: all
 */
export function jsonPlaces(text: string, wanted?: ReadonlySet<string>): ReadonlyMap<string, JsonPlace> {
  const places = new Map<string, JsonPlace>()
  const keep = (pointer: string, place: JsonPlace): void => {
    if (wanted?.has(pointer) !== false) places.set(pointer, place)
  }
  const open: Open[] = []
  // Looked for once each: to the end of a text of one line it is far.
  let [line, lineStart, lineEnd] = [1, 0, text.indexOf('\n')]
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g)) {
    for (; lineEnd !== -1 && lineEnd < index; lineEnd = text.indexOf('\n', lineEnd + 1)) {
      line += 1
      lineStart = lineEnd + 1
    }
    const here = { line, column: index - lineStart + 1 }
    const inside = open.at(-1)
    if (token === ']' || token === '}') open.pop()
    else if (token === ',' && inside !== undefined) {
      inside.index += 1
      inside.step = ''
    } else if (token === ':' || token === ',') continue
    else if (inside !== undefined && !inside.isList && inside.step === '') {
      const key: unknown = JSON.parse(token)
      inside.step = pointerStep(String(key))
      keep(`${inside.pointer}${inside.step}`, here)
    } else {
      const pointer = inside === undefined ? '' : inside.pointer + (inside.isList ? `/${inside.index}` : inside.step)
      if (!places.has(pointer)) keep(pointer, here)
      if (token === '{' || token === '[') open.push({ pointer, isList: token === '[', step: '', index: 0 })
    }
  }
  return places
}
