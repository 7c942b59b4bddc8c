/** Whoever takes part: the name of its module here, in the order of the report. */
export const contestantFiles = [
  'toolgen',
  'json',
  'typia',
  'typia-is',
  'ajv',
  'zod',
  'typebox',
  'valibot',
  'arktype',
  'fast-json-stringify',
]

/** The module of a contestant. */
export const contestant = (file) => import(`./${file}.mjs`)
