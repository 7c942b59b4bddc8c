import { isDeepStrictEqual } from 'node:util'
import { faulty } from '../shapes/faults.mjs'

/** What is wrong about reading texts: what is valid must come out as `expected`, what is faulty not at all. */
export function readingMistakes({ read, texts, expected, faults }) {
  const mistakes = []
  texts.forEach((text, index) => {
    const outcome = outcomeOf(() => read(text))
    if (!isDeepStrictEqual(outcome, expected[index])) mistakes.push(`valid value ${index} came out otherwise`)
  })
  for (const fault of faults) {
    const text = JSON.stringify(faulty(expected[0], [fault]))
    if (outcomeOf(() => read(text)) !== undefined) mistakes.push(`took a fault at ${fault.at}`)
  }
  for (const text of ['', '{', 'null', '[]', '"text"', texts[0].slice(0, -1), `${texts[0]}}`])
    if (outcomeOf(() => read(text)) !== undefined) mistakes.push(`took the text ${text.slice(0, 20)}`)
  return mistakes
}

/** A contestant refuses by `undefined`, or by throwing where `JSON.parse` throws. */
function outcomeOf(read) {
  try {
    return read()
  } catch {
    return undefined
  }
}
