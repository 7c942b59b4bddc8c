import type { Codec } from '../contract/codec.js'
import { type Compiled, CompiledCodec } from './compiled-codec.js'
import { InterpretedCodec } from './interpreted-codec.js'
import type { InterpreterOptions } from './interpreter.js'

/** The codec of a schema, with a fast path where one was generated. */
export function newCodec<Sent, Value>(options: InterpreterOptions, compiled: Compiled | undefined): Codec<Sent, Value> {
  return compiled === undefined ? new InterpretedCodec(options) : new CompiledCodec(options, compiled)
}
