import { CallRequest } from '../call/call-request.js'
import { hintTemplate } from '../call/hint-template.js'
import { deniedOutcome } from '../call/outcomes.js'
import { peek } from '../call/tool-failure.js'
import { cloneJson } from '../schema/json-values.js'
import type { ApprovalDecision, HasApproval } from '../types/call-options.js'
import type { JsonText } from '../types/json.js'
import type { ToolLayer, ToolRequest } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { AgentToolSpec, ToolCallRef } from '../types/tool.js'

/** Options for `approval`: the tools that need an approval. */
export interface ApprovalOptions {
  /** Returns whether a tool needs an approval. Default: every tool does. */
  readonly when?: (tool: AgentToolSpec) => boolean
}

/**
 * Asks `env.approval` before a tool runs. The arguments are decoded first, so an invalid call fails without a question. A denied call
 * returns the denied result of the design, or fails as `denied`. A call without an `env.approval`, which untyped code can make, is denied
 * too. Tools whose design declares a confirmation already have this layer.
 *
 * An approval is valid for the arguments that the approver received, also in retries. If an inner layer changes the arguments, the approver
 * is asked again.
 *
 * @example
 * support.layer(approval({ when: (tool) => tool.annotations.destructive === true }))
 */
export function approval({ when = () => true }: ApprovalOptions = {}): ToolLayer<HasApproval> {
  // Approved arguments by call, after the payload adapter.
  const approved = new WeakMap<ToolCallRef, Set<JsonText>>()
  /** @param isLate true if an inner layer changed the arguments after the approval */
  const refusal = async (request: ToolRequest<HasApproval>, isLate: boolean): Promise<ToolOutcome | undefined> => {
    // A resumed call already has an answer, which the tool service applies.
    if (request.answer !== undefined) {
      if (!(request instanceof CallRequest) || (await request.isAsApproved())) return undefined
    }
    const decoded = await request.decode()
    if (!decoded.ok) return request.failInvalid(decoded.issues)
    const adapted = await request.json()
    const before = approved.get(request.call)
    if (before?.has(adapted)) return undefined
    const { confirmation } = request.tool
    const prompt = confirmation && hintTemplate(confirmation.prompt)(decoded.value)
    // The approver receives a copy, so that it cannot change the arguments.
    const decision = await ask(request, cloneJson(decoded.value), prompt)
    if (decision === 'approve') {
      approved.set(request.call, new Set(before).add(adapted))
      return undefined
    }
    // After a resumption, the call would be suspended with the old arguments again, without end.
    if (decision === 'suspend')
      return isLate ? request.fail(changedBelow(request)) : request.suspend('approval', prompt)
    return deniedOutcome(request, typeof decision === 'object' ? decision.reason : undefined)
  }
  return (next) => async (request) => {
    if (!when(request.tool)) return next(request)
    const outcome = await refusal(request, false)
    if (outcome !== undefined) return outcome
    return next(request instanceof CallRequest ? request.approved((changed) => refusal(changed, true)) : request)
  }
}

function changedBelow({ tool }: ToolRequest): TypeError {
  return new TypeError(
    `a layer or hook inside approval() changed the arguments of '${tool.id}', and the approver suspended the changed call. Attach approval() inside that layer, for example to the tool`,
  )
}

async function ask(
  { env, tool, meta, arguments: sent }: ToolRequest<Partial<HasApproval>>,
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
    rawArguments: sent,
    ...(prompt !== undefined && { prompt }),
    signal: meta.signal,
  })
  if (decision === 'approve' || decision === 'suspend') return decision
  // All other decisions are denials.
  const reason = peek(decision, 'reason')
  return typeof reason === 'string' ? { decision: 'deny', reason } : 'deny'
}
