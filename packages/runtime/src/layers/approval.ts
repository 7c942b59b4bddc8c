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

/** Call that `when` receives to decide if it needs an approval. */
export interface ApprovalCandidate<Arguments = unknown> {
  /** Spec of the called tool: its id, names, schemas and annotations. */
  readonly tool: AgentToolSpec
  /** Decoded arguments: valid, with defaults, without server-owned fields. Frozen. */
  readonly arguments: Arguments
  /** Ids of the call, its run and its session, with labels. Models cannot set them. */
  readonly meta: ToolCallMeta
}

/** Options for `approval`: the calls that need an approval. */
export interface ApprovalOptions<Arguments = unknown> {
  /**
   * Returns true if a call needs an approval. If the function throws or rejects, the call fails. Default: every call
   * needs an approval.
   */
  readonly when?: (call: ApprovalCandidate<Arguments>) => boolean | Promise<boolean>
}

/**
 * Asks `env.approval` before a tool runs. The arguments are decoded first, so an invalid call fails without a question. A denied call
 * returns the denied result of the design, or fails as `denied`. A call without an `env.approval`, which untyped code can make, is denied
 * too. Tools whose design declares a confirmation already have this layer.
 *
 * With the descriptor of a tool, the layer asks only for calls of this tool, and `when` receives typed arguments.
 *
 * An approval is valid for the arguments that the approver received or returned, also in retries. If an inner layer changes the arguments,
 * the approver is asked again. If the approver changes the arguments, inner layers and the tool receive the changed arguments.
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

/** Returns the approval layer of a tool whose design declares a confirmation. */
export function confirmationLayer(spec: ToolSpec): ToolLayer<HasApproval> {
  const needs = confirmationCondition(spec)
  const isNeeded = async (candidate: ApprovalCandidate): Promise<boolean> =>
    needs === undefined || needs(candidate.arguments)
  return approvalLayer({ isNeeded, isConfirmation: true })
}

/** Approvals of questions that contained the question of the design and a further reason. */
const asksDesign = new WeakSet<ApprovalRecord>()

/** Data flow for which a layer asks the approver. Remembered approvals do not apply, and the approval is not remembered. */
interface ApprovalNeed {
  /** Text for the approver, after the question of the design. */
  readonly text: string
  readonly dataFlow: DataFlow
}

/** Question of a layer to the approver of a call. */
interface ApprovalQuestion {
  /**
   * Returns true for a tool to which the layer applies. The layer adds nothing to calls of other tools. Default: all
   * tools.
   */
  readonly appliesTo?: (tool: AgentToolSpec) => boolean
  /** Returns true, or a reason, if a call needs an approval. */
  readonly isNeeded: (candidate: ApprovalCandidate, request: CallRequest) => Promise<boolean | ApprovalNeed>
  /**
   * True for the question of the design. This question is not asked again if an outer layer has already asked it
   * together with a further reason.
   */
  readonly isConfirmation?: true
}

/** Creates a layer that asks `env.approval` before a tool runs; see {@link approval}. */
export function approvalLayer({ appliesTo, isNeeded, isConfirmation }: ApprovalQuestion): ToolLayer<HasApproval> {
  // Approvals by call, and by the arguments after the payload adapter.
  const approved = new WeakMap<ToolCallRef, Map<JsonText, ApprovalRecord>>()
  /**
   * Decides if a call may run, asks the approver if necessary, and records the approval.
   *
   * @param isLate true if an inner layer changed the arguments after the approval
   */
  const verdict = async (request: CallRequest, isLate: boolean): Promise<ApprovalVerdict> => {
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
    // After a resumption, the call would be suspended with the old arguments again, without end.
    if (decision === 'suspend')
      return isLate ? request.fail(changedBelow(request)) : request.suspend('approval', prompt)
    // All other decisions are denials.
    const reason = peek(decision, 'reason')
    return request.denied(typeof reason === 'string' ? reason : undefined)
  }
  return (next) => {
    const served = toolServedBy(next)
    if (served !== undefined && appliesTo?.(served) === false) return next
    return async (received) => {
      if (appliesTo?.(received.tool) === false) return next(received)
      const request = requireCallRequest(received)
      const first = await verdict(request, false)
      if ('status' in first) return first
      return next(request.approvedAs(first.approval, (changed) => verdict(changed, true)))
    }
  }
}

function changedBelow({ tool }: CallRequest): TypeError {
  return new TypeError(
    `a layer or hook inside approval() changed the arguments of '${tool.id}', and the approver suspended the changed call. Attach approval() inside that layer, for example to the tool`,
  )
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
