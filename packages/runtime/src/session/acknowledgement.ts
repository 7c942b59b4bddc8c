import type { Acknowledgement, SessionCall } from '../contract/session.js'

/** What a streaming tool's call is answered with when it has begun. */
export function acknowledgement({ callId, toolCallId, tool }: SessionCall): Acknowledgement {
  const message = `The tool '${tool}' has begun. Its result will follow, under the call id '${callId}'.`
  const ids = toolCallId === undefined ? { callId } : { callId, toolCallId }
  return Object.freeze({ status: 'streaming', ...ids, tool, message })
}
