import type { ToolOutcome } from '../../contract/outcome.js'
import type { ToolRequest } from '../../contract/tool-request.js'
import { ToolFailure } from '../failure/tool-failure.js'

const DENIED = 'This tool needs the approval of a person, and it was not given.'

/**
 * The outcome of a call that a person denied: the denied result of the design, else a `denied` hint.
 *
 * @param reason shown to the model where the design has no denied result
 */
export function deniedOutcome(request: ToolRequest, reason: string = DENIED): Promise<ToolOutcome> {
  const result = request.tool.confirmation?.deniedResult
  return result === undefined ? request.fail(new ToolFailure(reason, { reason: 'denied' })) : request.complete(result)
}
