import { type Fields, isFields } from '../codec/json/kind.js'
import { isFailureReason } from '../execute/failure/reasons.js'
import type { Exchange } from './exchange.js'

/** Whether a value has the parts of an exchange; what models and tools said in them is theirs. */
export function isExchange(value: unknown): value is Exchange {
  if (!isFields(value) || !Number.isSafeInteger(value.asked)) return false
  if (value.type === 'model') return isModelExchange(value)
  return value.type === 'tool' && isToolExchange(value)
}

function isModelExchange({ agent, request, answer, error }: Fields): boolean {
  if (typeof agent !== 'string' || !isFields(request)) return false
  if (!Array.isArray(request.messages) || !isFields(request.tools)) return false
  if (!Object.values(request.tools).every((tool) => isFields(tool) && isTool(tool))) return false
  if (isFields(answer)) return isFields(answer.message) && Array.isArray(answer.calls)
  return isFields(error) && isError(error)
}

function isToolExchange(exchange: Fields): boolean {
  const { agent, arguments: json, after, updates, outcome } = exchange
  if (agent !== undefined && typeof agent !== 'string') return false
  if (!isTool(exchange) || typeof json !== 'string') return false
  if (after !== undefined && !Number.isSafeInteger(after)) return false
  if (updates !== undefined && !(Array.isArray(updates) && updates.every((update) => typeof update === 'string'))) {
    return false
  }
  return isFields(outcome) && isFields(outcome.provenance) && isOutcome(outcome)
}

function isOutcome({ status, json, data, error, hint, suspension }: Fields): boolean {
  switch (status) {
    case 'completed':
      return typeof json === 'string' && (data === undefined || typeof data === 'string')
    case 'failed':
      return isFields(error) && isError(error) && isFields(hint) && isFailureReason(hint.reason)
    default:
      return status === 'suspended' && isFields(suspension)
  }
}

function isTool({ tool, hash }: Fields): boolean {
  return typeof tool === 'string' && typeof hash === 'string'
}

function isError({ reason, message }: Fields): boolean {
  return isFailureReason(reason) && typeof message === 'string'
}
