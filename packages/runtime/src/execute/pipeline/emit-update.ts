import { FIXED_MESSAGES } from '../failure/reasons.js'
import { ToolFailure } from '../failure/tool-failure.js'
import { lateUpdate } from '../stream/late-update.js'
import type { BoundTool } from '../tool/bound-tool.js'
import type { Abortable, RunningCall } from '../tool/running-call.js'

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
  limit: Abortable,
  update: unknown,
): Promise<void> {
  try {
    await told(tool, running, limit, update)
  } finally {
    // A tool that waits for nothing but this would keep the event loop, and with it the end of its own call.
    await running.slice.turn()
  }
}

/** Tells of the update at once, so that updates come in the order in which they are emitted. */
function told(tool: BoundTool, running: RunningCall, limit: Abortable, update: unknown): Promise<void> | undefined {
  if (running.ended || limit.aborted !== undefined) throw lateUpdate()
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
  return running.listener?.update(running.updates, encoded.json)
}

function faultOf(running: RunningCall, fault: ToolFailure): ToolFailure {
  running.fault ??= fault
  return fault
}
