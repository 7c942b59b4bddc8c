import { type CompiledSource, compileCodecs } from '../../../packages/codegen/src/codecs/compile-codecs.js'
import type { Schema } from '../../../packages/codegen/src/schema/json-schema.js'
import { type Compiled, newCodec } from '../../../packages/runtime/src/codec/codecs.js'
import * as is from '../../../packages/runtime/src/codec/generated-is.js'
import * as serialize from '../../../packages/runtime/src/codec/generated-serialize.js'
import * as strip from '../../../packages/runtime/src/codec/generated-strip.js'
import type { UnknownFields } from '../../../packages/runtime/src/schema/interpreter.js'
import type { Codec } from '../../../packages/runtime/src/types/codec.js'

/** A schema and the definitions that it references. */
export interface SchemaCase {
  readonly schema: Schema
  readonly defs: Readonly<Record<string, Schema>>
}

/** Two codecs of one schema: with generated functions, and with the interpreter only. */
export interface CodecPair {
  /** `undefined` if the generator leaves the schema to the interpreter. */
  readonly compiled: Codec<unknown> | undefined
  readonly interpreted: Codec<unknown>
  /** Source of the generated functions. */
  readonly text: string
  /** True if a generated function serializes values. */
  readonly writes: boolean
  /** Generated codec without the functions that copy values; `undefined` if it has none. */
  readonly unpicked: Codec<unknown> | undefined
}

/** Creates both codecs of a schema, as the generator does. */
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
