import { isCodecError } from '../../codec/codec-error.js'
import type { ToolCall, ToolCallOptions } from '../../contract/call.js'
import type { Codec } from '../../contract/codec.js'
import type { JsonText } from '../../contract/json.js'
import type { MetaField } from '../../contract/meta.js'
import type { ToolSpec } from '../../contract/spec.js'
import { InvalidArgumentsError } from './invalid-arguments-error.js'

/**
 * What generated call builders do: checks and encodes typed arguments. An own `undefined` counts as absent, and an id
 * is never invented.
 *
 * @throws {InvalidArgumentsError} listing every issue.
 */
export function newToolCall<Arguments, Result = unknown, Needs extends MetaField = never>(
  spec: ToolSpec,
  codec: Pick<Codec<Arguments, unknown>, 'encode'>,
  args: Arguments,
  options: ToolCallOptions = {},
): ToolCall<Result, Needs> {
  const { toolCallId, parentToolCallId, as } = options
  return Object.freeze({
    tool: as === undefined ? spec.id : `${as}.${spec.name}`,
    arguments: encoded(spec, codec, args),
    ...(toolCallId !== undefined && { toolCallId }),
    ...(parentToolCallId !== undefined && { parentToolCallId }),
  })
}

function encoded<Arguments>(
  spec: ToolSpec,
  codec: Pick<Codec<Arguments, unknown>, 'encode'>,
  args: Arguments,
): JsonText {
  try {
    return codec.encode(args)
  } catch (error) {
    throw isCodecError(error) ? new InvalidArgumentsError(spec.id, error.issues, { cause: error }) : error
  }
}
