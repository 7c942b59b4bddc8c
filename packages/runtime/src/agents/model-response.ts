import { shapeIssues } from '../chat/messages.js'
import type { Fields } from '../schema/json-values.js'
import { isFields, shallowCopy } from '../schema/json-values.js'
import type { ChatAssistantMessage } from '../types/chat.js'
import type { ModelResponse } from '../types/planner.js'
import { ModelResponseError } from './model-response-error.js'

/**
 * Keeps unknown properties. Repairs only values that model servers reject in later requests.
 *
 * @param position number of messages before this message; used for new call ids
 */
export function assistantMessage(value: unknown, position: number): ChatAssistantMessage {
  const message = isFields(value) ? repaired(value, position) : value
  if (!isAssistantMessage(message)) {
    // Reports only the location, because text of the server must not be shown.
    const path = shapeIssues(message)[0]?.path ?? '/role'
    const detail = path === '' ? {} : { detail: `The value at ${path} is invalid.` }
    throw new ModelResponseError('malformed_message', { cause: value, ...detail })
  }
  if (message.function_call !== undefined && message.function_call !== null) {
    const detail = 'The message has a `function_call`. Only `tool_calls` are supported.'
    throw new ModelResponseError('malformed_message', { cause: value, detail })
  }
  return message
}

function isAssistantMessage(message: unknown): message is ChatAssistantMessage {
  return isFields(message) && message.role === 'assistant' && shapeIssues(message).length === 0
}

function repaired(message: Fields, position: number): Fields {
  const calls = message.tool_calls
  const role = message.role ?? 'assistant'
  if (Array.isArray(calls) && calls.length > 0) {
    return Object.assign(shallowCopy(message), { role, tool_calls: repairedCalls(calls, position) })
  }
  if (calls !== undefined && calls !== null && !Array.isArray(calls)) return message
  const { tool_calls: _calls, ...rest } = message
  const isEmpty = [rest.content, rest.refusal, rest.audio, rest.function_call].every((part) => (part ?? null) === null)
  return Object.assign(rest, { role }, isEmpty && { content: '' })
}

function repairedCalls(calls: readonly unknown[], position: number): readonly unknown[] {
  const ids = uniqueCallIds(
    calls.map((call) => (isFields(call) ? call.id : undefined)),
    position,
  )
  return calls.map((call, index) => {
    if (!isFields(call)) return call
    const id = ids[index]
    const type = call.type ?? 'function'
    const body = isFields(call.function) ? repairedFunction(call.function) : call.function
    if (id === call.id && type === call.type && body === call.function && !('index' in call)) return call
    const { index: _index, ...rest } = call
    return { ...rest, id, type, ...(isFields(body) && { function: body }) }
  })
}

/**
 * Replaces missing and duplicate ids.
 *
 * @param position number of messages before the message of the calls
 */
export function uniqueCallIds<Id>(ids: readonly (Id | null | undefined)[], position: number): (Id | string)[] {
  let all: Set<unknown> | undefined
  const used = new Set<unknown>()
  return ids.map((original, index) => {
    let id = original === undefined || original === null || original === '' ? `call_${position}_${index}` : original
    if (used.has(id)) {
      all ??= new Set([...ids, ...used])
      id = `${id}_${index}`
      while (all.has(id)) id = `${id}_`
    }
    used.add(id)
    all?.add(id)
    return id
  })
}

function repairedFunction(body: Fields): Fields {
  const { arguments: sent } = body
  if (sent === undefined || sent === null) return { ...body, arguments: '{}' }
  if (typeof sent !== 'object') return body
  try {
    return { ...body, arguments: JSON.stringify(sent) }
  } catch {
    // Arguments that are nested too deeply stay invalid.
    return body
  }
}

export function messageText({ content }: ChatAssistantMessage): string {
  if (content === null || content === undefined) return ''
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

export function refusalText({ content, refusal }: ChatAssistantMessage): string | undefined {
  if (typeof refusal === 'string' && refusal !== '') return refusal
  if (!Array.isArray(content)) return undefined
  const parts = content.flatMap((part) => (part.type === 'refusal' ? [part.refusal] : []))
  return parts.length === 0 ? undefined : parts.join('')
}

/**
 * Repairs duplicate call ids, because some models produce them.
 *
 * @param position number of messages before the message of the response
 */
export function validResponse(response: unknown, position: number): ModelResponse {
  if (!isResponse(response)) {
    throw new ModelResponseError('malformed_message', { detail: 'The driver must return `message` and `calls`.' })
  }
  if (needsNoRepair(response)) return response
  const message = assistantMessage(response.message, position)
  const ids = (message.tool_calls ?? []).map(({ id }) => id)
  if (ids.length !== response.calls.length) {
    throw new ModelResponseError('malformed_message', {
      detail: 'The `tool_calls` of the message differ from the `calls` that the driver returned.',
    })
  }
  const calls = response.calls.map((call, index) => ({ ...call, toolCallId: ids[index] ?? '' }))
  return { ...response, message, calls }
}

function isResponse(response: unknown): response is ModelResponse {
  return isFields(response) && isFields(response.message) && Array.isArray(response.calls)
}

function needsNoRepair({ message, calls }: ModelResponse): boolean {
  const requested = message.tool_calls
  if (message.role !== 'assistant' || message.content === undefined) return false
  if (requested === undefined) return calls.length === 0
  if (!Array.isArray(requested) || requested.length === 0 || requested.length !== calls.length) return false
  const used = new Set<string>()
  // A loop by index: an iterator over entries would take a tenth of the total time of a tool call.
  for (let index = 0; index < requested.length; index += 1) {
    const { id, type } = requested[index] ?? {}
    if (typeof id !== 'string' || id === '' || used.has(id) || calls[index]?.toolCallId !== id) return false
    if (type !== 'function' && type !== 'custom') return false
    used.add(id)
  }
  return true
}
