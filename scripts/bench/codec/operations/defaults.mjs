import { readingMistakes } from './mistakes.mjs'

/** JSON text in which some objects lack a field with a default → the valid value with it; unknown keys are refused. */
export const defaults = {
  title: 'text to validated value, defaults added',
  checks: true,
  against: 'json',
  aims: { small: 2.5, medium: 2, large: 2 },
  inputs: ({ texts }) => texts,
  mistakes: (read, { texts, completed, faults }) => readingMistakes({ read, texts, expected: completed, faults }),
  weigh: (value) => (value === undefined ? 0 : 1),
}
