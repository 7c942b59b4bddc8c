import { toJsonSchema } from '../../packages/codegen/src/schema/to-json-schema.js'
import { payloadCodec } from '../../packages/runtime/src/codec/codecs.js'
import type { Codec } from '../../packages/runtime/src/types/codec.js'

type Io = 'input' | 'output'

/** Imports the schema of a library. */
export function read(schema: unknown, io: Io = 'input') {
  return toJsonSchema(schema, { io, hint: 'Root' })
}

/** Returns the codes of the diagnostics for a schema. */
export function codesOf(schema: unknown, io: Io = 'input'): readonly string[] {
  return read(schema, io).diagnostics.map(({ code }) => code)
}

/** Returns a payload codec of an importable schema. The codec drops unknown fields. */
export function codecOf(schema: unknown): Codec<unknown> {
  const { value } = read(schema)
  if (value === undefined || typeof value.root === 'boolean') throw new Error('The schema was not converted.')
  return payloadCodec<unknown, unknown>({ schema: value.root, unknown: 'strip' })
}
