import type { ToolCallRef } from '../../contract/call.js'
import type { Provenance, ToolOutcome } from '../../contract/outcome.js'
import type { Acknowledgement } from '../../contract/session.js'

/** What a run has of a call that goes on in its session. */
export function acknowledgedOutcome(
  call: ToolCallRef,
  provenance: Provenance,
  acknowledgement: Acknowledgement,
): ToolOutcome {
  const result = Object.freeze({ data: acknowledgement, provenance })
  const json = JSON.stringify(acknowledgement)
  return Object.freeze({ call, provenance, status: 'completed', result, json, acknowledgement })
}
