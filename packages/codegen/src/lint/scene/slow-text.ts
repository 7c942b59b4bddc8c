import { patternTexts } from '../../schema/values/pattern-texts.js'
import { inTime } from '../../time/in-time.js'

/** How often a part is repeated: what doubles with each of them, or almost, then has no end that anybody waits for. */
const repeats = 50
/** Of a text that a pattern takes, so many characters are repeated one after the other, alone and with their neighbours. */
const furthest = 24
const longestPart = 4
/** How many characters are tried as what a pattern does not take at the end. */
const mostEndings = 14

/**
 * A short text that a pattern takes more than half a second to refuse; `undefined` where none was found. Texts that the
 * pattern takes are pulled apart, and their parts repeated, so that whatever is found is slow indeed. What is not found
 * may be slow all the same: for texts that are much longer, or that nobody guesses.
 */
export function slowText(pattern: string): string | undefined {
  // What repeats one thing alone has one way to do so.
  if ((pattern.match(/[*+?{|]/g) ?? []).length <= 1) return undefined
  const expression = compiled(pattern)
  const texts = expression === undefined ? [] : attacks(pattern)
  let index = 0
  while (index < texts.length) {
    const isDone = inTime(() => {
      for (; index < texts.length; index += 1) expression?.test(texts[index] ?? '')
    }).isDone
    const text = texts[index]
    if (isDone || text === undefined) return undefined
    // The time may have been that of many texts together.
    if (!inTime(() => expression?.test(text)).isDone) return text
    index += 1
  }
  return undefined
}

function attacks(pattern: string): readonly string[] {
  const endings = [...new Set(['\0', ...pattern])].slice(0, mostEndings)
  const found = new Set<string>()
  for (const text of new Set([...patternTexts(pattern), 'a', '0'])) {
    for (let start = 0; start < Math.min(text.length, furthest); start += 1) {
      for (let end = start + 1; end <= Math.min(text.length, start + longestPart); end += 1) {
        const repeated = text.slice(0, start) + text.slice(start, end).repeat(repeats)
        for (const ending of endings) found.add(repeated + ending)
      }
    }
  }
  return [...found]
}

/** As codecs read it: by Unicode rules, or without where it is legal only so. */
function compiled(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags)
    } catch {
      // There is no other way to ask whether a pattern is well-formed.
    }
  }
  return undefined
}
