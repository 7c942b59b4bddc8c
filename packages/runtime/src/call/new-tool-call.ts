import { isCodecError } from '../codec/codecs.js'
import type { ToolCall, ToolCallOptions } from '../types/call.js'
import type { Codec } from '../types/codec.js'
import type { Issue } from '../types/issue.js'
import type { JsonText } from '../types/json.js'
import type { MetaField, ToolId, ToolSpec } from '../types/tool.js'

/**
 * Makes a call from typed arguments: validates and encodes them. For generated call builders. An own `undefined`
 * counts as absent.
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

/** Thrown by a call builder whose arguments break a constraint. Lists every issue at once. */
export class InvalidArgumentsError extends Error {
  override readonly name = 'InvalidArgumentsError'
  readonly tool: ToolId
  readonly issues: readonly Issue[]

  constructor(tool: ToolId, issues: readonly Issue[], options?: ErrorOptions) {
    const faults = issues.map((issue) => `  - ${issue.path === '' ? 'arguments' : issue.path}: ${issue.message}`)
    super([`the arguments of '${tool}' are not valid:`, ...faults].join('\n'), options)
    this.tool = tool
    this.issues = Object.freeze([...issues])
  }
}
