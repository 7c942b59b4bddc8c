import { confirmationCondition, readApproval } from '../call/approvals.js'
import { type ApprovalVerdict, type CallRequest, requireCallRequest } from '../call/call-request.js'
import { hintTemplate } from '../call/hint-template.js'
import { toolServedBy } from '../call/layer-guard.js'
import { peek } from '../call/tool-failure.js'
import { cloneJson } from '../schema/json-values.js'
import type { ApprovalRecord } from '../types/approval.js'
import type { HasApproval } from '../types/call-options.js'
import type { JsonText } from '../types/json.js'
import type { ToolLayer } from '../types/layer.js'
import type { DataFlow } from '../types/outcome.js'
import type { AgentToolSpec, ToolCallMeta, ToolCallRef, ToolDescriptor, ToolSpec } from '../types/tool.js'

export interface ApprovalCandidate<Arguments = unknown> {
  readonly tool: AgentToolSpec
  /** Decoded arguments: valid, with defaults, without server-owned fields. The object is frozen. */
  readonly arguments: Arguments
  /** Ids of the call, its run and its session, and labels. Models cannot set these values. */
  readonly meta: ToolCallMeta
}

export interface ApprovalOptions<Arguments = unknown> {
  /** Returns true if a call needs an approval. If the function throws or rejects, the call fails. Default: all calls need an approval. */
  readonly when?: (call: ApprovalCandidate<Arguments>) => boolean | Promise<boolean>
}

/**
 * Asks `env.approval` before a tool runs. The layer first decodes the arguments, so that a call with invalid arguments fails before the approver
 * is asked. A denied call returns the denied result of the design, or fails with the reason `denied`. The layer also denies a call without an
 * `env.approval`; only untyped code can make such a call. A tool with a confirmation in its design already has this layer.
 *
 * If you pass the descriptor of a tool, the layer asks only about calls of this tool, and `when` receives typed arguments.
 *
 * An approval is valid for the arguments that the approver received or returned, including retries. If an inner layer changes the
 * arguments, the layer asks the approver again. If the approver changes the arguments, inner layers and the tool receive the changed
 * arguments.
 *
 * @example
 * support.layer(approval({ when: ({ tool }) => tool.annotations.destructive === true }))
 *
 * @example
 * desk.layer(approval(payments.refundPayment, { when: ({ arguments: { amount } }) => amount > 100 }))
 */
export function approval(options?: ApprovalOptions): ToolLayer<HasApproval>
export function approval<Arguments>(
  tool: ToolDescriptor<never, Arguments>,
  options?: ApprovalOptions<Arguments>,
): ToolLayer<HasApproval>
export function approval(
  first: ToolDescriptor<never, any> | ApprovalOptions<any> = {},
  second: ApprovalOptions<any> = {},
): ToolLayer<HasApproval> {
  // `any`: the overloads connect the arguments of `when` with the descriptor.
  const [id, { when }] = 'spec' in first ? [first.spec.id, second] : [undefined, first]
  return approvalLayer({
    ...(id !== undefined && { appliesTo: (tool) => tool.id === id }),
    isNeeded: async (candidate) => {
      const isNeeded: unknown = when === undefined || (await when(candidate))
      if (typeof isNeeded === 'boolean') return isNeeded
      throw new TypeError('approval: the function `when` must return a boolean.')
    },
  })
}

export function confirmationLayer(spec: ToolSpec): ToolLayer<HasApproval> {
  const needs = confirmationCondition(spec)
  const isNeeded = async (candidate: ApprovalCandidate): Promise<boolean> =>
    needs === undefined || needs(candidate.arguments)
  return approvalLayer({ isNeeded, isConfirmation: true })
}

/**
 * Approvals of questions of the layer `dataFlow`. Such a question contains the tool's confirmation text, so the confirmation layer does not ask
 * again.
 */
const asksDesign = new WeakSet<ApprovalRecord>()

/**
 * Question of the layer `dataFlow` to the approver. A remembered approval does not answer this question, and the session does not remember the
 * answer.
 */
interface ApprovalNeed {
  readonly text: string
  readonly dataFlow: DataFlow
}

interface ApprovalQuestion {
  readonly appliesTo?: (tool: AgentToolSpec) => boolean
  readonly isNeeded: (candidate: ApprovalCandidate, request: CallRequest) => Promise<boolean | ApprovalNeed>
  /**
   * True for the layer of the tool's own confirmation. This layer does not ask again if an outer layer `dataFlow` has already asked the approver,
   * because that question contained the confirmation.
   */
  readonly isConfirmation?: true
}

export function approvalLayer({ appliesTo, isNeeded, isConfirmation }: ApprovalQuestion): ToolLayer<HasApproval> {
  // Approvals by call, and by the arguments after `payloadAdapter`.
  const approved = new WeakMap<ToolCallRef, Map<JsonText, ApprovalRecord>>()
  const verdict = async (request: CallRequest): Promise<ApprovalVerdict> => {
    const { answer, tool, meta, call } = request
    // A resumed call already has an answer. The tool service applies answers other than an approval.
    if (answer !== undefined && (await request.isAsApproved())) {
      return { approval: answer === 'approve' ? await request.resumedApproval() : undefined }
    }
    const decoded = await request.decode()
    if (!decoded.ok) return request.failInvalid(decoded.issues)
    const needed = await isNeeded({ tool, arguments: decoded.value, meta }, request)
    if (needed === false) return { approval: undefined }
    const need = needed === true ? undefined : needed
    if (isConfirmation === true && request.approval !== undefined && asksDesign.has(request.approval))
      return { approval: undefined }
    const adapted = await request.json()
    const before = approved.get(call)
    const known = before?.get(adapted) ?? (need === undefined ? request.remembered(decoded.value) : undefined)
    if (known !== undefined) return { approval: known }
    const { confirmation } = tool
    const question = confirmation && hintTemplate(confirmation.prompt)(decoded.value)
    const prompt = need === undefined ? question : [question, need.text].filter(Boolean).join('\n')
    // The approver receives a copy, so that it cannot change the arguments.
    const decision = await ask(request, cloneJson(decoded.value), prompt, need?.dataFlow)
    const approval = readApproval(decision)
    if (approval !== undefined) {
      const record = await request.accept(approval, decoded.value, need === undefined)
      approved.set(call, new Map(before).set(adapted, record))
      if (need !== undefined) asksDesign.add(record)
      return { approval: record }
    }
    if (decision === 'suspend') return request.suspend('approval', prompt)
    // All other decisions are denials.
    return request.denied(peek(decision, 'reason'), peek(decision, 'by'))
  }
  return (next) => {
    const served = toolServedBy(next)
    if (served !== undefined && appliesTo?.(served) === false) return next
    return async (received) => {
      if (appliesTo?.(received.tool) === false) return next(received)
      const request = requireCallRequest(received)
      const first = await verdict(request)
      if ('status' in first) return first
      return next(request.approvedAs(first.approval, verdict))
    }
  }
}

async function ask(
  { env, tool, meta, arguments: sent, execution }: CallRequest,
  payload: unknown,
  prompt: string | undefined,
  dataFlow: DataFlow | undefined,
): Promise<unknown> {
  if (typeof env.approval?.approve !== 'function') return 'deny'
  return env.approval.approve({
    ...(meta.agent !== undefined && { agent: meta.agent }),
    tool: tool.id,
    title: tool.title,
    toolCallId: meta.toolCallId,
    arguments: payload,
    rawArguments: sent,
    ...(prompt !== undefined && { prompt }),
    ...(dataFlow !== undefined && { dataFlow }),
    canRemember: dataFlow === undefined && execution.approvals !== undefined,
    signal: meta.signal,
  })
}
