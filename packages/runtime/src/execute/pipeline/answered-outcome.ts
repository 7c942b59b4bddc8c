import type { ToolOutcome } from '../../contract/outcome.js'
import type { PendingAnswer } from '../../contract/resume.js'
import type { ToolRequest } from '../../contract/tool-request.js'
import { FIXED_MESSAGES } from '../failure/reasons.js'
import { ToolFailure } from '../failure/tool-failure.js'
import type { BoundTool } from '../tool/bound-tool.js'
import { deniedOutcome } from './denied-outcome.js'

/** The outcome of a call whose tool is not run, since somebody answered in its place. Never rejects. */
export async function answeredOutcome(
  tool: BoundTool,
  request: ToolRequest,
  answer: Exclude<PendingAnswer, 'approve'>,
): Promise<ToolOutcome> {
  if (answer === 'deny') return deniedOutcome(request)
  if ('decision' in answer) return deniedOutcome(request, answer.reason)
  if ('failure' in answer) {
    const { message, reason = 'domain_rejection' } = answer.failure
    return request.fail(new ToolFailure(message, { reason }))
  }
  // A text answers a question of an agent; a call that asks none cannot go on with it.
  const decoded = tool.result.decodeValue('result' in answer ? answer.result : answer.text)
  if (decoded.ok) return request.complete(decoded.value)
  const { issues } = decoded
  return request.fail(new ToolFailure(FIXED_MESSAGES.malformed_result, { reason: 'malformed_result', issues }))
}
