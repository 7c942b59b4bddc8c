import type { Random } from './random.js'

/** Numbers at the limits of a double, and other spellings of numbers, valid and invalid. */
const numbers: readonly string[] = [
  ...['1e999', '-1e400', '9007199254740993', '1.0', '-0', '1e0', '0.1e1', '5e-324', '1e21', '123456789012345678901234'],
  ...['01', '1.', '.5', '+1', 'NaN', 'Infinity', '1e', '--1'],
]
/** Valid and almost valid pieces of JSON. */
const pieces: readonly string[] = [
  ...[
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    ' ',
    '\n',
    '\t',
    '\u00a0',
    '\ufeff',
    '\u2028',
    '\0',
    '\u{1f600}',
    '\ud800',
    '/',
  ],
  ...['null', 'true', 'undefined', '""', '{}', '[]', '"a":1,', '"__proto__":{},', '\\ud83d', '\\u0000', '//', "'a'"],
]

/** Returns a JSON text with one to three changes. The result is often invalid JSON, or JSON with another value. */
export function mutatedText(random: Random, text: string): string {
  let changed = text
  for (const change of random.list(1, 3, () => random.pick(changes))) changed = change(random, changed)
  return changed
}

const changes: readonly ((random: Random, text: string) => string)[] = [
  (random, text) => text.slice(0, random.below(text.length + 1)),
  (random, text) => replaced(text, random.below(text.length + 1), 1 + random.below(3), ''),
  (random, text) => replaced(text, random.below(text.length + 1), random.below(2), random.pick(pieces)),
  (random, text) => replaced(text, random.below(text.length + 1), 1, String.fromCharCode(random.below(0x10000))),
  (random, text) => replacedMatch(random, text, /-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/g, () => random.pick(numbers)),
  // Duplicates a property: the last value counts.
  (random, text) =>
    replacedMatch(random, text, /"[^"\\]*":/g, (key) => `${key}${random.pick(['1', 'null', '"a"'])},${key}`),
  (random, text) => replacedMatch(random, text, /[[\]{},:]/g, (mark) => `${random.pick([' ', '\n', '\r\t'])}${mark} `),
  (random, text) => {
    const levels = random.pick([3, 498, 499, 500, 501, 5000])
    return replacedMatch(random, text, /null|true|false/g, (word) => '['.repeat(levels) + word + ']'.repeat(levels))
  },
]

function replaced(text: string, start: number, length: number, by: string): string {
  return text.slice(0, start) + by + text.slice(start + length)
}

/** Replaces one random match. Returns the same text if there is no match. */
function replacedMatch(random: Random, text: string, pattern: RegExp, by: (match: string) => string): string {
  const found = [...text.matchAll(pattern)]
  if (found.length === 0) return text
  const { 0: match, index } = random.pick(found)
  return replaced(text, index, match.length, by(match))
}
