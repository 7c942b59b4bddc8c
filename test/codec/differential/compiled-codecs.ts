import { type CompiledSource, compileCodecs } from '../../../packages/codegen/src/codecs/compile-codecs.js'
import type { Schema } from '../../../packages/codegen/src/schema/json-schema.js'
import { type Compiled, newCodec } from '../../../packages/runtime/src/codec/codecs.js'
import * as is from '../../../packages/runtime/src/codec/generated-is.js'
import * as serialize from '../../../packages/runtime/src/codec/generated-serialize.js'
import * as strip from '../../../packages/runtime/src/codec/generated-strip.js'
import type { UnknownFields } from '../../../packages/runtime/src/schema/interpreter.js'
import type { Codec } from '../../../packages/runtime/src/types/codec.js'

/** A schema with the definitions to which it refers. */
export interface SchemaCase {
  readonly schema: Schema
  readonly defs: Readonly<Record<string, Schema>>
}

/** The codecs of one schema: by generated functions and by the schema alone. */
export interface CodecPair {
  /** `undefined` where the schema is left to the interpreter. */
  readonly compiled: Codec<unknown> | undefined
  readonly interpreted: Codec<unknown>
  /** The generated functions, as text. */
  readonly text: string
  /** Whether values are written by a generated function. */
  readonly writes: boolean
  /** The generated codec without its functions that copy values; `undefined` if it has none. */
  readonly unpicked: Codec<unknown> | undefined
}

/** Makes both codecs of a schema, as the generator would. */
export function codecPair({ schema, defs }: SchemaCase, unknown: UnknownFields): CodecPair {
  const document = Object.keys(defs).length === 0 || typeof schema === 'boolean' ? schema : { ...schema, $defs: defs }
  const options = { schema: document, serverOwned: [], unknown }
  const [source] = compileCodecs([{ stem: 'Value', schema, drops: unknown === 'strip' }], {
    defs,
    stemOf: (name) => `Def${name}`,
    language: 'js',
    taken: [],
  })
  const functions = source && functionsOf(source)
  return {
    compiled: functions && newCodec(options, functions),
    unpicked:
      (functions?.strip ?? functions?.complete) &&
      newCodec(options, { ...functions, strip: undefined, complete: undefined }),
    interpreted: newCodec(options, undefined),
    text: source?.declarations.join('\n') ?? '',
    writes: source?.serialize !== undefined,
  }
}

/** Evaluates generated functions. */
function functionsOf(source: CompiledSource): Compiled {
  const { is: guard, serialize: write, strip: stripper, complete, parts, declarations } = source
  const gates = parts.map(([pointer, name]) => `${JSON.stringify(pointer)}: ${name}`)
  const result = `{ is: ${guard}, serialize: ${write ?? 'undefined'}, strip: ${stripper}, complete: ${complete}, parts: { ${gates.join(', ')} } }`
  return new Function('is', 'serialize', 'strip', `'use strict'\n${declarations.join('\n')}\nreturn ${result}`)(
    is,
    serialize,
    strip,
  )
}
