import { wordsOf } from './words.js'

const pageWords: ReadonlySet<string> = new Set(
  'limit max maximum page pages cursor offset count top first last take per start skip'.split(' '),
)

/** Whether a field is called like those by which a part of a list is asked for. */
export function speaksOfPages(name: string): boolean {
  return wordsOf(name).some((word) => pageWords.has(word))
}
