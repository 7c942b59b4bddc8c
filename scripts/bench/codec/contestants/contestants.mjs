/** Names of the contestants' files, in the order of the report. toolgen is the first. */
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

/** Imports the module of a contestant. */
export const contestant = (file) => import(`./${file}.mjs`)
