import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import { isFields } from '../../codec/json/kind.js'

/** What a message that is sent means for the requests of its connection. */
export interface SentMessage {
  /** The request that it is; absent for an answer and a notification. */
  readonly request?: RequestId
  /** The request that it calls off. */
  readonly cancels?: RequestId
}

/** Reads what the SDK sends. */
export function sentMessage(body: unknown): SentMessage {
  const message: unknown = typeof body === 'string' ? JSON.parse(body) : undefined
  if (!isFields(message) || typeof message.method !== 'string') return {}
  const { id, method, params } = message
  if (isId(id)) return { request: id }
  const cancelled = method === 'notifications/cancelled' && isFields(params) ? params.requestId : undefined
  return isId(cancelled) ? { cancels: cancelled } : {}
}

function isId(id: unknown): id is RequestId {
  return typeof id === 'number' || typeof id === 'string'
}
