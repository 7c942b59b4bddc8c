import { CallRequest } from '../call/call-request.js'
import { hintTemplate } from '../call/hint-template.js'
import { deniedOutcome } from '../call/outcomes.js'
import { peek } from '../call/tool-failure.js'
import { cloneJson } from '../schema/json-values.js'
import type { ApprovalDecision, HasApproval } from '../types/call-options.js'
import type { JsonText } from '../types/json.js'
import type { ToolLayer, ToolRequest, ToolService } from '../types/layer.js'
import type { DataFlow, ToolOutcome } from '../types/outcome.js'
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
  const gate = approvalGate()
  return (next) => async (request) => (when(request.tool) ? gate(request, next) : next(request))
}

/** Reason of a layer for an approval. */
interface ApprovalNeed {
  /** Text for the approver, after the question of the design. */
  readonly text: string
  readonly dataFlow: DataFlow
}

/** Calls `next` with a request after an approver has approved it. See {@link approval}. */
type ApprovalGate = <E extends HasApproval>(
  request: ToolRequest<E>,
  next: ToolService<E>,
  need?: ApprovalNeed,
) => Promise<ToolOutcome>

/** Returns a function with which layers ask for approvals. It stores which arguments were approved. */
export function approvalGate(): ApprovalGate {
  // Approved arguments by call, after the payload adapter.
  const approved = new WeakMap<ToolCallRef, Set<JsonText>>()
  /** @param isLate true if an inner layer changed the arguments after the approval */
  const refusal = async (
    request: ToolRequest<HasApproval>,
    isLate: boolean,
    need: ApprovalNeed | undefined,
  ): Promise<ToolOutcome | undefined> => {
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
    const question = confirmation && hintTemplate(confirmation.prompt)(decoded.value)
    const prompt = need === undefined ? question : [question, need.text].filter(Boolean).join('\n')
    // The approver receives a copy, so that it cannot change the arguments.
    const decision = await ask(request, cloneJson(decoded.value), prompt, need?.dataFlow)
    if (decision === 'approve') {
      approved.set(request.call, new Set(before).add(adapted))
      return undefined
    }
    // After a resumption, the call would be suspended with the old arguments again, without end.
    if (decision === 'suspend')
      return isLate ? request.fail(changedBelow(request)) : request.suspend('approval', prompt)
    return deniedOutcome(request, typeof decision === 'object' ? decision.reason : undefined)
  }
  return async (request, next, need) => {
    const outcome = await refusal(request, false, need)
    if (outcome !== undefined) return outcome
    return next(request instanceof CallRequest ? request.approved((changed) => refusal(changed, true, need)) : request)
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
  dataFlow: DataFlow | undefined,
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
    ...(dataFlow !== undefined && { dataFlow }),
    signal: meta.signal,
  })
  if (decision === 'approve' || decision === 'suspend') return decision
  // All other decisions are denials.
  const reason = peek(decision, 'reason')
  return typeof reason === 'string' ? { decision: 'deny', reason } : 'deny'
}
