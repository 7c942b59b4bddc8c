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
 * Options as the runtime can trust them: read once, a copy of its own. An own `undefined` counts as absent.
 *
 * @throws {ToolFailure} `internal`, naming the option, for one that is not of its type. What reading them throws passes.
 */
export function givenOptions(options: CallOptions): CallOptions {
  const { runId, sessionId, turnId, parentToolCallId, labels, signal, deadline } = options
  for (const [name, id] of Object.entries({ runId, sessionId, turnId, parentToolCallId })) {
    if (id !== undefined && typeof id !== 'string') throw wrongOption(name, 'a text')
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw wrongOption('signal', 'an AbortSignal')
  if (deadline !== undefined && (typeof deadline !== 'number' || Number.isNaN(deadline))) {
    throw wrongOption('deadline', 'a time in milliseconds since the epoch')
  }
  return { runId, sessionId, turnId, parentToolCallId, labels: givenLabels(labels), signal, deadline }
}

function givenLabels(labels: CallOptions['labels']): Readonly<Record<string, string>> {
  const given = Object.entries(labels ?? {}).filter(([, label]) => label !== undefined)
  const wrong = given.find(([, label]) => typeof label !== 'string')
  if (wrong !== undefined) throw wrongOption(`labels.${wrong[0]}`, 'a text')
  return Object.fromEntries(given)
}

/** How long a call may take, in milliseconds; `undefined`: as long as it likes. */
export function allowedTime({ deadline }: CallOptions, now: number): number | undefined {
  return deadline === undefined || deadline === Number.POSITIVE_INFINITY ? undefined : deadline - now
}

function wrongOption(option: string, expected: string): ToolFailure {
  return new ToolFailure(`The caller of this tool must give options.${option} as ${expected}.`, {
    reason: 'internal',
    action: 'finish',
  })
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
