import { cloneJson } from '../codec/json/clone.js'
import type { ToolCallRef } from '../contract/call.js'
import type { ApprovalDecision, HasApproval } from '../contract/capability.js'
import type { JsonText } from '../contract/json.js'
import type { ToolLayer } from '../contract/layer.js'
import type { AgentToolSpec } from '../contract/spec.js'
import type { ToolRequest } from '../contract/tool-request.js'
import { hintText } from '../event/hint-text.js'
import { deniedOutcome } from '../execute/pipeline/denied-outcome.js'

/** How an approval layer differs from the plainest one. */
export interface ApprovalOptions {
  /** Which tools are asked about; absent: all beneath the layer. */
  readonly when?: (tool: AgentToolSpec) => boolean
}

/**
 * Asks `env.approval` before a tool runs. The arguments are decoded first: an invalid call fails without anybody being
 * asked. A denied call answers with the denied result of the design, else it fails as `denied`; so does a call whose
 * caller, in untyped code, gave no approval. A tool whose design declares a confirmation has this layer already.
 *
 * @example
 * support.layer(approval({ when: (tool) => tool.annotations.destructive === true }))
 */
export function approval({ when = () => true }: ApprovalOptions = {}): ToolLayer<HasApproval> {
  // A person is asked once about a call, however often it is tried; about other arguments anew.
  const approved = new WeakMap<ToolCallRef, JsonText>()
  return (next) => async (request) => {
    // Who resumed the run has answered: the tool runs, or not, as they said.
    if (request.answer !== undefined) return next(request)
    if (!when(request.tool) || approved.get(request.call) === request.arguments) return next(request)
    const decoded = await request.decode()
    if (!decoded.ok) return request.failInvalid(decoded.issues)
    const prompt = promptOf(request, decoded.value)
    // The tool runs with what was decoded, whatever the approver does to what it is shown.
    const decision = await ask(request, cloneJson(decoded.value), prompt)
    if (decision === 'approve') {
      approved.set(request.call, request.arguments)
      return next(request)
    }
    if (decision === 'suspend') return request.suspend('approval', prompt)
    return deniedOutcome(request, typeof decision === 'object' ? decision.reason : undefined)
  }
}

function promptOf({ tool }: ToolRequest, payload: unknown): string | undefined {
  return tool.confirmation === undefined ? undefined : hintText(tool.confirmation.prompt, payload)
}

async function ask(
  { env, tool, meta }: ToolRequest<Partial<HasApproval>>,
  payload: unknown,
  prompt: string | undefined,
): Promise<ApprovalDecision> {
  if (typeof env.approval?.approve !== 'function') return 'deny'
  const decision: unknown = await env.approval.approve({
    ...(meta.agent !== undefined && { agent: meta.agent }),
    tool: tool.id,
    title: tool.title,
    toolCallId: meta.toolCallId,
    arguments: payload,
    ...(prompt !== undefined && { prompt }),
    signal: meta.signal,
  })
  if (decision === 'approve' || decision === 'suspend') return decision
  return isReasoned(decision) ? { decision: 'deny', reason: decision.reason } : 'deny'
}

/** Anything but a clear yes or a clear "later" is a no. */
function isReasoned(decision: unknown): decision is { readonly reason: string } {
  return (
    typeof decision === 'object' && decision !== null && 'reason' in decision && typeof decision.reason === 'string'
  )
}
