import type { Field } from './fields.js'
import type { ToolScene } from './scene.js'
import { namedById, singular, wordsOf } from './words.js'

/**
 * What a field is an id of, in words: `order` for `orderId`, and for the `id` of `getOrder`; absent for other fields and
 * for ids whose values are listed.
 */
export function thingOf({ name, shape }: Field, { tool }: ToolScene): string | undefined {
  const thing = shape.kind === 'string' || shape.kind === 'number' ? namedById(name) : undefined
  if (thing !== '') return thing
  // What the name of a tool says behind its verb.
  return wordsOf(tool.name).slice(1).map(singular).join(' ')
}

/** What a tool lists by its name: `order` for `listOrdersOfCustomer`; absent where the name says nothing of the kind. */
export function thingListed({ tool }: ToolScene): string | undefined {
  const words = wordsOf(tool.name)
  const verb = words.findIndex((word) => listingVerbs.has(word))
  if (verb === -1) return undefined
  const behind = words.slice(verb + 1)
  const end = behind.findIndex((word) => prepositions.has(word))
  const last = (end === -1 ? behind : behind.slice(0, end)).at(-1)
  return last === undefined ? undefined : singular(last)
}

const listingVerbs: ReadonlySet<string> = new Set('list search find query browse'.split(' '))
const prepositions: ReadonlySet<string> = new Set('for of in on by with from to at'.split(' '))
