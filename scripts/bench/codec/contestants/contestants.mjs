/** Names of the modules in this folder, in the order of the report. toolgen is the first. */
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

export const contestant = (file) => import(`./${file}.mjs`)
