import type { ToolIr } from '../../ir/types.js'
import { wordsOf } from './words.js'

/** What is not undone by calling something else. */
const grave: ReadonlySet<string> = new Set(
  'delete remove drop purge destroy erase wipe truncate revoke cancel refund pay charge send publish terminate uninstall ban'.split(
    ' ',
  ),
)

/** Verbs before which such a word is what they are about: `listCancelReasons`. */
const harmless: ReadonlySet<string> = new Set(
  'get list search find query browse read show describe count check fetch view lookup look preview validate calculate estimate is has can'.split(
    ' ',
  ),
)

/** The word of a tool's name by which it does what cannot be undone; absent where the name says no such thing. */
export function graveVerb({ name }: ToolIr): string | undefined {
  const verb = wordsOf(name).find((word) => grave.has(word) || harmless.has(word))
  return verb !== undefined && grave.has(verb) ? verb : undefined
}
