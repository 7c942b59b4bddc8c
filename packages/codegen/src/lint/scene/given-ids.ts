import type { ToolIr } from '../../ir/types.js'
import type { ToolScene } from './scene.js'
import { namedById, singular, wordsOf } from './words.js'

/** The ids that a tool answers, as far as its result says. */
export interface GivenIds {
  readonly tool: ToolIr
  /** The names of all fields of the result; absent where no schema says what it holds. */
  readonly names?: ReadonlySet<string>
  /** What the ids among them name: `order` for `orderId`. */
  readonly things: ReadonlySet<string>
  /** The words around fields that are called `id`. */
  readonly around: ReadonlySet<string>
  /** The words of the tool's own name. */
  readonly own: ReadonlySet<string>
}

/** Reads which ids a tool answers. */
export function givenIds({ tool, resultFields }: ToolScene): GivenIds {
  const own = new Set(wordsOf(tool.name).map(singular))
  const things = new Set<string>()
  const around = new Set<string>()
  for (const { name, names } of resultFields) {
    const thing = mayNameId.test(name) ? namedById(name) : undefined
    if (thing === undefined) continue
    things.add(thing)
    if (thing !== '') continue
    for (const word of [...names.slice(0, -1).flatMap(wordsOf).map(singular), ...own]) around.add(word)
  }
  const names = new Set(resultFields.map(({ name }) => name))
  return { tool, things, around, own, ...(resultFields.length > 0 && { names }) }
}

/** Spares the words of most names: results can have thousands. */
const mayNameId: RegExp = /(?:ids?|uuid|guid|identifier)$/i

/** Whether an id is answered; a result that nobody describes is taken to have those of what its tool's name says. */
export function gives({ names, things, around, own }: GivenIds, name: string, thing: string): boolean {
  const words = thing.split(' ')
  const isAbout = words.some((word) => own.has(word))
  if (names === undefined) return isAbout
  if (names.has(name) && (namedById(name) !== '' || isAbout)) return true
  return things.has(thing) || words.some((word) => around.has(word))
}
