import { readingMistakes } from './mistakes.mjs'

/** JSON text in which every object has undeclared keys → the valid value without them. */
export const strip = {
  title: 'text to validated value, unknown keys dropped',
  checks: true,
  against: 'json',
  aims: { small: 1.3, medium: 1.4, large: 1.3 },
  inputs: ({ dirtyTexts }) => dirtyTexts,
  mistakes(read, { dirtyTexts, valid, faults }) {
    const refused = faults.filter((fault) => !fault.unknownKey)
    return readingMistakes({ read, texts: dirtyTexts, expected: valid, faults: refused })
  },
  weigh: (value) => (value === undefined ? 0 : 1),
}
