import { pointerStep } from './pointer.js'

/** What a walk over a JSON text tells of its parts, in their order. */
export interface JsonVisitor {
  /**
   * A key of an object.
   *
   * @param index where it stands in the text
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
 * Walks over the parts of a JSON text, and tells of each by its JSON Pointer.
 *
 * @param text valid JSON
 * @param wanted the pointers of the parts that matter: what has none of them inside is not walked over. Default: all
 */
export function walkJson(text: string, visitor: JsonVisitor, wanted?: ReadonlySet<string>): void {
  const around = wanted && withParts(wanted)
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
      visitor.key(`${inside.pointer}${inside.step}`, index, inside)
    } else {
      const pointer = inside === undefined ? '' : inside.pointer + (inside.isList ? `/${inside.index}` : inside.step)
      visitor.value(pointer, index, token)
      if (token !== '{' && token !== '[') continue
      if (around?.has(pointer) === false) tokens.lastIndex = endOf(text, index)
      else open.push({ pointer, isList: token === '[', step: '', index: 0 })
    }
  }
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
