import { toJsonSchema } from '../../packages/codegen/src/schema/to-json-schema.js'
import { payloadCodec } from '../../packages/runtime/src/codec/codecs.js'
import type { Codec } from '../../packages/runtime/src/types/codec.js'

type Io = 'input' | 'output'

/** Takes the schema of a library through the intake. */
export function read(schema: unknown, io: Io = 'input') {
  return toJsonSchema(schema, { io, hint: 'Root' })
}

/** The codes with which a schema is refused or noted. */
export function codesOf(schema: unknown, io: Io = 'input'): readonly string[] {
  return read(schema, io).faults.map(({ code }) => code)
}

/** The codec of a schema that the intake takes, as of a payload whose unknown fields are dropped. */
export function codecOf(schema: unknown): Codec<unknown> {
  const { value } = read(schema)
  if (value === undefined || typeof value.root === 'boolean') throw new Error('The schema was not converted.')
  return payloadCodec<unknown, unknown>({ schema: value.root, unknown: 'strip' })
}
