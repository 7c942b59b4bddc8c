import type { CheckValue } from './check-value.js'
import { isObject, type Json, own, type Schema } from './json-schema.js'

/** Values of which one fits most schemas of a single field. */
export const commonValues: readonly Json[] = [
  'sample',
  'sample-0123456789abcdef-0123456789abcdef',
  'a',
  '00000000-0000-4000-8000-000000000000',
  '2024-01-01T00:00:00Z',
  '2024-01-01',
  'sample@example.com',
  'https://example.com/',
  '1',
  'A1',
  'AA==',
  1,
  0,
  0.5,
  100,
  -1,
  true,
  false,
  null,
  [],
  {},
]

/** A value that fits a schema: one that the schema names, else a common one; `undefined` where none of them fits. */
export function sampleOf(schema: Schema, check: CheckValue): Json | undefined {
  return [...namedIn(schema), ...commonValues].find((value) => check(schema, value).length === 0)
}

function namedIn(schema: Schema): readonly Json[] {
  if (!isObject(schema)) return []
  const lists = ['examples', 'enum'].flatMap((keyword) => own(schema, keyword) ?? [])
  const single = ['const', 'default', 'minimum', 'maximum'].flatMap((keyword) => {
    const value = own(schema, keyword)
    return value === undefined ? [] : [value]
  })
  return [...lists, ...single]
}
