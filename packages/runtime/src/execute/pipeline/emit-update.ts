import type { ToolCallMeta } from '../../contract/meta.js'
import { FIXED_MESSAGES } from '../failure/reasons.js'
import { ToolFailure } from '../failure/tool-failure.js'
import type { BoundTool } from '../tool/bound-tool.js'
import { limitOf } from '../tool/call-signal.js'
import type { RunningCall } from '../tool/running-call.js'

/**
 * Passes an update of a streaming tool on to whoever listens. A fault of the update fails the call too, whatever the
 * executor makes of the rejection.
 *
 * @throws {ToolFailure} when the call has ended or was aborted; when the tool does not stream, or the update breaks its
 * schema.
 */
export async function emitUpdate(
  tool: BoundTool,
  running: RunningCall,
  meta: ToolCallMeta,
  update: unknown,
): Promise<void> {
  if (running.ended || limitOf(meta, running).aborted !== undefined) {
    throw new ToolFailure('The call has ended: it takes no more updates.', { reason: 'cancelled' })
  }
  if (tool.updates === undefined) {
    const message = `The tool '${tool.id}' is not declared as streaming, and it emitted an update.`
    throw faultOf(running, new ToolFailure(message, { reason: 'internal' }))
  }
  const encoded = tool.updates.encodeValue(update)
  if (!encoded.ok) {
    const { issues } = encoded
    throw faultOf(running, new ToolFailure(FIXED_MESSAGES.malformed_result, { reason: 'malformed_result', issues }))
  }
  running.updates += 1
  await running.listener?.update(running.updates, encoded.json)
}

function faultOf(running: RunningCall, fault: ToolFailure): ToolFailure {
  running.fault ??= fault
  return fault
}
