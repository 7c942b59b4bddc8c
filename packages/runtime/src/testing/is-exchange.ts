import { isConversation } from '../chat/is-conversation.js'
import { type Fields, isFields } from '../codec/json/kind.js'
import { isFailureReason } from '../execute/failure/reasons.js'
import type { Exchange } from './exchange.js'

/** Whether a value has the parts of an exchange, as far as a replay reads them; what models and tools said is theirs. */
export function isExchange(value: unknown): value is Exchange {
  if (!isFields(value) || !isNumber(value.asked)) return false
  if (value.type === 'model') return isModelExchange(value)
  return value.type === 'tool' && isToolExchange(value)
}

function isModelExchange({ agent, request, answer, error }: Fields): boolean {
  if (typeof agent !== 'string' || !isFields(request)) return false
  if (!isConversation(request.messages) || !isFields(request.tools)) return false
  if (!Object.values(request.tools).every((tool) => isFields(tool) && isTool(tool))) return false
  return isFields(answer) ? isAnswer(answer) : isFields(error) && isError(error)
}

function isAnswer({ message, calls }: Fields): boolean {
  return isConversation([message]) && Array.isArray(calls) && calls.every((call) => isFields(call) && isCall(call))
}

function isCall({ tool, arguments: json, toolCallId }: Fields): boolean {
  return (
    typeof tool === 'string' && typeof json === 'string' && (toolCallId === undefined || typeof toolCallId === 'string')
  )
}

function isToolExchange(exchange: Fields): boolean {
  const { agent, arguments: json, after, updates, outcome } = exchange
  if (agent !== undefined && typeof agent !== 'string') return false
  if (!isTool(exchange) || typeof json !== 'string') return false
  if (after !== undefined && !isNumber(after)) return false
  if (updates !== undefined && !(Array.isArray(updates) && updates.every((update) => typeof update === 'string'))) {
    return false
  }
  return isFields(outcome) && isFields(outcome.provenance) && isProvenance(outcome.provenance) && isOutcome(outcome)
}

function isOutcome({ status, json, data, error, hint, suspension }: Fields): boolean {
  switch (status) {
    case 'completed':
      return typeof json === 'string' && (data === undefined || typeof data === 'string')
    case 'failed':
      return isFields(error) && isError(error) && isFields(hint) && isError(hint)
    default:
      return status === 'suspended' && isFields(suspension) && typeof suspension.kind === 'string'
  }
}

function isProvenance({ tool, durationMs, attempts }: Fields): boolean {
  return typeof tool === 'string' && typeof durationMs === 'number' && isNumber(attempts)
}

function isTool({ tool, hash }: Fields): boolean {
  return typeof tool === 'string' && typeof hash === 'string'
}

/** Of a model, of a tool, or the hint of a tool. */
function isError({ reason, message }: Fields): boolean {
  return isFailureReason(reason) && typeof message === 'string'
}

function isNumber(value: unknown): boolean {
  return Number.isSafeInteger(value)
}
