import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SchemaDiagnostic } from '../../packages/codegen/src/schema/json-schema.js'
import { toJsonSchema } from '../../packages/codegen/src/schema/to-json-schema.js'
import { payloadCodec, resultCodec } from '../../packages/runtime/src/codec/codecs.js'
import { exampleOf } from '../../packages/runtime/src/schema/examples.js'

import type { Codec } from '../../packages/runtime/src/types/codec.js'
import type { JsonSchema } from '../../packages/runtime/src/types/json.js'
import type { SchemaCase } from '../codec/differential/compiled-codecs.js'
import { dataFolder, hasData } from '../data.js'

/** Returns the records of a JSON Lines file in the data folder; empty without the data folder. */
export function recordsOf<Line>(file: string): readonly Line[] {
  if (!hasData) return []
  const text = readFileSync(join(dataFolder() ?? '', file), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line): Line => JSON.parse(line))
}

/** An imported schema in the form for codecs. */
export interface Imported {
  readonly schema: JsonSchema
  /** The same schema in the form for the compiler of codecs. */
  readonly source: SchemaCase
  readonly diagnostics: readonly SchemaDiagnostic[]
}

/** Imports a schema. @throws if the schema is rejected */
export function imported(schema: unknown, io: 'input' | 'output' = 'input'): Imported {
  const { value, diagnostics } = toJsonSchema(schema, { io, hint: 'Root' })
  if (value === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'))
  const { root } = value
  const defs = Object.fromEntries(value.defs)
  const document = typeof root === 'boolean' ? root : { ...root, $defs: defs }
  return { schema: document, source: { schema: root, defs }, diagnostics }
}

/** Returns a payload codec of an imported schema. */
export function payloadOf(
  { schema }: Imported,
  unknown: 'reject' | 'strip' | 'keep' = 'reject',
): Codec<unknown, unknown> {
  return payloadCodec({ schema, unknown })
}

/** Returns a result codec of an imported schema. */
export function resultOf({ schema }: Imported): Codec<unknown, unknown> {
  return resultCodec({ schema })
}

/** Creates an example of a schema and decodes it. Returns `none` if there is no example. */
export function exampleVerdict(source: Imported): 'none' | 'decodes' | 'is refused' {
  const example = exampleOf(source.schema)
  if (example === undefined) return 'none'
  return payloadOf(source).decodeValue(example).ok ? 'decodes' : 'is refused'
}

/** Returns the number of occurrences of each text, the most frequent first, then by code points. */
export function counted(texts: Iterable<string>): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)))
}
