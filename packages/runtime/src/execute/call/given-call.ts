import type { ToolCall } from '../../contract/call.js'
import type { CallOptions } from '../../contract/call-options.js'
import type { MetaField } from '../../contract/meta.js'
import { peek } from '../failure/peek.js'
import { ToolFailure } from '../failure/tool-failure.js'

/** A call as the runtime can trust it, from what may come straight from a model's message or from plain JavaScript. */
export function givenCall(call: ToolCall<unknown, MetaField>): ToolCall<unknown, MetaField> {
  const toolCallId = text(peek(call, 'toolCallId'))
  const parentToolCallId = text(peek(call, 'parentToolCallId'))
  return {
    // What is no text names no tool and is no JSON; the usual failures follow.
    tool: text(peek(call, 'tool')) ?? '',
    arguments: text(peek(call, 'arguments')) ?? '',
    ...(toolCallId !== undefined && { toolCallId }),
    ...(parentToolCallId !== undefined && { parentToolCallId }),
  }
}

/**
 * How long a call may take, in milliseconds; `undefined`: as long as it likes.
 *
 * @throws {ToolFailure} `internal` for a deadline that is no time, or a signal that is none.
 */
export function allowedTime({ deadline, signal }: CallOptions, now: number): number | undefined {
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw wrongOption('signal', 'an AbortSignal')
  if (deadline === undefined || deadline === Number.POSITIVE_INFINITY) return undefined
  if (!Number.isFinite(deadline)) throw wrongOption('deadline', 'a time in milliseconds since the epoch')
  return deadline - now
}

function wrongOption(option: string, expected: string): ToolFailure {
  return new ToolFailure(`The caller of this tool must give options.${option} as ${expected}.`, { reason: 'internal' })
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
