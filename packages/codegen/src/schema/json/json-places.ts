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

const tokens = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g
const brackets = /"(?:[^"\\]|\\.)*"|[[\]{}]/g

/**
 * Where each part of a JSON text stands, by JSON Pointer: a property at its key, an item of a list at its value.
 *
 * @param text valid JSON
 * @param wanted the pointers of the parts that are asked for; default: all
 */
export function jsonPlaces(text: string, wanted?: ReadonlySet<string>): ReadonlyMap<string, JsonPlace> {
  const places = new Map<string, JsonPlace>()
  const around = wanted && withParts(wanted)
  const placeAt = placesInTurn(text)
  const keep = (pointer: string, index: number): void => {
    if (wanted?.has(pointer) !== false) places.set(pointer, placeAt(index))
  }
  const open: Open[] = []
  tokens.lastIndex = 0
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
      inside.step = pointerStep(String(key))
      keep(`${inside.pointer}${inside.step}`, index)
    } else {
      const pointer = inside === undefined ? '' : inside.pointer + (inside.isList ? `/${inside.index}` : inside.step)
      if (!places.has(pointer)) keep(pointer, index)
      if (token !== '{' && token !== '[') continue
      if (around?.has(pointer) === false) tokens.lastIndex = endOf(text, index)
      else open.push({ pointer, isList: token === '[', step: '', index: 0 })
    }
  }
  return places
}

/** The pointers of what has some of the parts inside. */
function withParts(pointers: ReadonlySet<string>): ReadonlySet<string> {
  const around = new Set<string>()
  for (const pointer of pointers) {
    let outer = pointer
    while (outer !== '') {
      outer = outer.slice(0, outer.lastIndexOf('/'))
      around.add(outer)
    }
  }
  return around
}

/** Where the object or the list ends that begins at a place. */
function endOf(text: string, start: number): number {
  brackets.lastIndex = start
  let depth = 0
  for (let match = brackets.exec(text); match !== null; match = brackets.exec(text)) {
    const [token] = match
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    if (depth === 0) break
  }
  return brackets.lastIndex
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
