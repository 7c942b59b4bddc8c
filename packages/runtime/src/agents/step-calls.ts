import { readCall, type ToolTable } from '../call/call-target.js'
import { renderForModel } from '../call/render.js'
import type { ChatMessage } from '../types/chat.js'
import type { Mutable } from '../types/json.js'
import type { SuspendedCall, ToolOutcome } from '../types/outcome.js'
import type { MetaField, ToolCall } from '../types/tool.js'

type AnyCall = ToolCall<unknown, MetaField>

/** A call of a step, with its id in the conversation and the tool name that models use. */
export interface StepCall {
  readonly call: AnyCall
  readonly chatId: string
  readonly toolName: string
}

/** Number of attempts to create an unused id. */
const MAX_ATTEMPTS = 1_000

/**
 * Creates a function that gives the calls of one run their ids, step by step, in call order. A call keeps its id unless an
 * earlier call of the run has it; in the conversation it always keeps it.
 *
 * @param existing ids that the run has used before
 */
export function stepCallFactory(
  table: ToolTable,
  newId: () => string,
  existing: Iterable<string>,
): (calls: readonly AnyCall[]) => readonly StepCall[] {
  const used = new Set(existing)
  const claim = (id: string | undefined): string | undefined => {
    if (id === undefined || used.has(id)) return undefined
    used.add(id)
    return id
  }
  const unusedId = (): string => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const id = claim(newId())
      if (id !== undefined) return id
    }
    throw new Error('the source of ids gives the same ids again and again')
  }
  return (requested) => {
    const calls = Array.from(requested, readCall)
    // The calls' own ids first, so that no created id is that of a later call.
    const own = calls.map(({ toolCallId }) => claim(toolCallId))
    return calls.map((call, index) => {
      const toolCallId = own[index] ?? unusedId()
      return {
        call: toolCallId === call.toolCallId ? call : { ...call, toolCallId },
        chatId: call.toolCallId ?? toolCallId,
        toolName: table.find(call.tool)?.tool.spec.toolName ?? call.tool,
      }
    })
  }
}

/** Returns the assistant message that requests calls. */
export function callsMessage(calls: readonly StepCall[], text: string | undefined): ChatMessage {
  return {
    role: 'assistant',
    content: text ?? null,
    tool_calls: calls.map(({ call, chatId, toolName }) => ({
      id: chatId,
      type: 'function',
      function: { name: toolName, arguments: call.arguments },
    })),
  }
}

/** Returns the tool message for an outcome; `undefined` for a call that waits. */
export function answerMessage({ chatId }: StepCall, outcome: ToolOutcome | undefined): ChatMessage | undefined {
  if (outcome === undefined || outcome.status === 'suspended') return undefined
  return { role: 'tool', tool_call_id: chatId, content: renderForModel(outcome) }
}

/** Returns a call of a step as plain data. */
export function storedCall({ call, chatId, toolName }: StepCall): SuspendedCall {
  const { tool, arguments: sent, toolCallId = '', parentToolCallId } = call
  const stored: Mutable<SuspendedCall> = { tool, arguments: sent, toolCallId, chatId, toolName }
  if (parentToolCallId !== undefined) stored.parentToolCallId = parentToolCallId
  return stored
}

/** Returns the call of a step that was stored. */
export function restoredCall({ chatId, toolName, ...call }: SuspendedCall): StepCall {
  return { call, chatId, toolName }
}
