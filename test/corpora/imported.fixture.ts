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

/** The records of a file of JSON lines below the data folder; none where that is absent. */
export function recordsOf<Line>(file: string): readonly Line[] {
  if (!hasData) return []
  const text = readFileSync(join(dataFolder() ?? '', file), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line): Line => JSON.parse(line))
}

/** A schema that went through the intake, in the form that codecs take. */
export interface Imported {
  readonly schema: JsonSchema
  /** The same in the form that the compiler of codecs takes. */
  readonly source: SchemaCase
  readonly diagnostics: readonly SchemaDiagnostic[]
}

/** Takes a schema through the intake. @throws when it is refused */
export function imported(schema: unknown, io: 'input' | 'output' = 'input'): Imported {
  const { value, diagnostics } = toJsonSchema(schema, { io, hint: 'Root' })
  if (value === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'))
  const { root } = value
  const defs = Object.fromEntries(value.defs)
  const document = typeof root === 'boolean' ? root : { ...root, $defs: defs }
  return { schema: document, source: { schema: root, defs }, diagnostics }
}

/** A payload codec for a schema that went through the intake. */
export function payloadOf(
  { schema }: Imported,
  unknown: 'reject' | 'strip' | 'keep' = 'reject',
): Codec<unknown, unknown> {
  return payloadCodec({ schema, unknown })
}

/** A result codec for a schema that went through the intake. */
export function resultOf({ schema }: Imported): Codec<unknown, unknown> {
  return resultCodec({ schema })
}

/** Whether an example can be made of a schema, and whether its codec takes it. */
export function exampleVerdict(source: Imported): 'none' | 'decodes' | 'is refused' {
  const example = exampleOf(source.schema)
  if (example === undefined) return 'none'
  return payloadOf(source).decodeValue(example).ok ? 'decodes' : 'is refused'
}

/** How often each text occurs, most frequent first, then by code points. */
export function counted(texts: Iterable<string>): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)))
}
