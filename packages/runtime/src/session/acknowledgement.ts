import type { Acknowledgement, SessionCall } from '../contract/session.js'

/** What a streaming tool's call is answered with when it has begun; models know the tool by its wire name. */
export function acknowledgement({ callId, toolCallId, tool }: SessionCall, wireName: string): Acknowledgement {
  const message = `The tool '${wireName}' has begun. Its result will follow, under the call id '${callId}'.`
  const ids = toolCallId === undefined ? { callId } : { callId, toolCallId }
  return Object.freeze({ status: 'streaming', ...ids, tool, message })
}
