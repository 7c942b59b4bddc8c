import { CallRequest } from '../call/call-request.js'
import { hintTemplate } from '../call/hint-template.js'
import { deniedOutcome } from '../call/outcomes.js'
import { cloneJson } from '../schema/json-values.js'
import type { ApprovalDecision, HasApproval } from '../types/call-options.js'
import type { JsonText } from '../types/json.js'
import type { ToolLayer, ToolRequest } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { AgentToolSpec, ToolCallRef } from '../types/tool.js'

/** Options of `approval`. */
export interface ApprovalOptions {
  /** Selects tools that need an approval. Default: all. */
  readonly when?: (tool: AgentToolSpec) => boolean
}

/**
 * Asks `env.approval` before a tool runs. The arguments are decoded first: an invalid call fails without anybody being
 * asked. A denied call answers with the denied result of the design, else it fails as `denied`; so does a call whose
 * caller, in untyped code, gave no approval. A tool whose design declares a confirmation has this layer already.
 *
 * An approval holds for the arguments that the approver received, and for retries of the call with the same arguments.
 * Other arguments are asked about again, also where a layer between this one and the tool changes them.
 *
 * @example
 * support.layer(approval({ when: (tool) => tool.annotations.destructive === true }))
 */
export function approval({ when = () => true }: ApprovalOptions = {}): ToolLayer<HasApproval> {
  // By call: the arguments, after the payload adapter, that were approved.
  const approved = new WeakMap<ToolCallRef, Set<JsonText>>()
  /** @param isLate whether a layer below this one has changed the arguments of a call that had been let through */
  const refusal = async (request: ToolRequest<HasApproval>, isLate: boolean): Promise<ToolOutcome | undefined> => {
    // The answer of a resumed call stands: the tool service applies a denial or a result.
    if (request.answer !== undefined && (await isAsApproved(request))) return undefined
    const decoded = await request.decode()
    if (!decoded.ok) return request.failInvalid(decoded.issues)
    const adapted = await request.json()
    const before = approved.get(request.call)
    if (before?.has(adapted)) return undefined
    const prompt = promptOf(request, decoded.value)
    // The tool runs with the decoded value, whatever the approver does to its copy.
    const decision = await ask(request, cloneJson(decoded.value), prompt)
    if (decision === 'approve') {
      approved.set(request.call, new Set(before).add(adapted))
      return undefined
    }
    // Resumed, the call would be asked about with the arguments before the change again, without end.
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

function isAsApproved(request: ToolRequest): boolean | Promise<boolean> {
  return !(request instanceof CallRequest) || request.isAsApproved()
}

function changedBelow({ tool }: ToolRequest): TypeError {
  return new TypeError(
    `a layer or hook below approval() changed the arguments of '${tool.id}', and the approver suspended the changed call: attach approval() below that layer, for example on the tool`,
  )
}

function promptOf({ tool }: ToolRequest, payload: unknown): string | undefined {
  return tool.confirmation === undefined ? undefined : hintTemplate(tool.confirmation.prompt)(payload)
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
  return isReasoned(decision) ? { decision: 'deny', reason: decision.reason } : 'deny'
}

/** Anything but a clear yes or a clear "later" is a no. */
function isReasoned(decision: unknown): decision is { readonly reason: string } {
  return (
    typeof decision === 'object' && decision !== null && 'reason' in decision && typeof decision.reason === 'string'
  )
}
