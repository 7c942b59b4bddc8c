import { readingMistakes } from './mistakes.mjs'

/** JSON text → the valid value; unknown keys are refused. */
export const decode = {
  title: 'text to validated value, unknown keys rejected',
  checks: true,
  against: 'json',
  aims: { small: 1.4, medium: 1.2, large: 1.1 },
  inputs: ({ texts }) => texts,
  mistakes: (read, { texts, valid, faults }) => readingMistakes({ read, texts, expected: valid, faults }),
  weigh: (value) => (value === undefined ? 0 : 1),
}
