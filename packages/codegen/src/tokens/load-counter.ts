import type { Encoding } from '../config/tokens-config.js'

/** How many tokens a text is. */
export type CountTokens = (text: string) => number

/**
 * Loads an encoding, some megabytes of ranks, and counts in it. What looks like a special token counts as plain text. Words of
 * more than {@link longestWord} characters are counted in parts, which can give a token more for each part.
 */
export async function loadCounter(encoding: Encoding): Promise<CountTokens> {
  const { countTokens } =
    encoding === 'o200k_base'
      ? await import('gpt-tokenizer/encoding/o200k_base')
      : await import('gpt-tokenizer/encoding/cl100k_base')
  const plain = { disallowedSpecial: new Set<string>() }
  return (text) => partsOf(text).reduce((sum, part) => sum + countTokens(part, plain), 0)
}

/** The time that the tokenizer takes grows with the square of a word's length: a picture in base64 would take minutes. */
const longestWord = 1_000

const unbroken: RegExp = new RegExp(String.raw`\S{${longestWord}}|\s{${longestWord}}`)

const longRun: RegExp = new RegExp(
  [String.raw`[\p{L}\p{M}]`, String.raw`[^\s\p{L}\p{M}\p{N}]`, String.raw`\s`]
    .map((kind) => `${kind}{${longestWord}}`)
    .join('|'),
  'gu',
)

function partsOf(text: string): readonly string[] {
  // Looks at the ends of words alone, which is quick, and most texts have no such word.
  if (!unbroken.test(text)) return [text]
  const ends = [...text.matchAll(longRun)].map(({ index, 0: run }) => index + run.length)
  return [...ends, text.length].map((end, at) => text.slice(ends[at - 1] ?? 0, end))
}
