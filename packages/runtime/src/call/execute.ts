import { isFields } from '../schema/json-values.js'
import { nearestNames } from '../schema/nearest.js'
import type { Approval, ApprovalRecord } from '../types/approval.js'
import type { CallOptions } from '../types/call-options.js'
import type { Mutable } from '../types/json.js'
import type { Answers, CallSuspension, PendingAnswer, RunSuspension, ToolOutcome } from '../types/outcome.js'
import type { ToolCallRef } from '../types/tool.js'
import type { BoundTool } from './bound-tools.js'
import type { ExecutionOptions } from './call-context.js'
import { CallRequest } from './call-request.js'
import { type AnyCall, type CallTarget, type ResolvedOptions, readCall } from './call-target.js'
import { classify } from './classify.js'
import type { RunCallContext } from './nested-run.js'
import { missingCallOptions } from './required-options.js'
import type { ToolTable } from './served-tool.js'
import { internalFailure, ToolCallExecution } from './tool-call.js'
import { callerFailure, FIXED_MESSAGES, peek, ToolFailure } from './tool-failure.js'
import { shorten } from './value-text.js'

/**
 * Never rejects.
 *
 * @param call result of {@link readCall}
 */
export function startCall(
  target: CallTarget,
  call: AnyCall,
  options: ResolvedOptions,
  run?: RunCallContext,
): Promise<ToolOutcome> {
  try {
    const configured = options.config === undefined ? target : target.under(options.config)
    const served = configured.table.find(call.tool)
    const tool = served?.tool
    const execution = newExecution(configured, call, tool, options, run)
    const refusal = refusalOf(target, execution, options)
    if (tool === undefined || served === undefined || refusal !== undefined) {
      execution.publishStart()
      return execution.reject(rejected(execution, refusal))
    }
    const request = new CallRequest(execution, tool)
    execution.begin()
    execution.publishStart(() => request.decoded())
    return execution.settle(served.service, request)
  } catch (error) {
    const ref = callRef(call, {}, undefined, call.toolCallId ?? '')
    return Promise.resolve(internalFailure(ref, call.arguments, error))
  }
}

/** Never rejects. */
export function continueCall(
  target: CallTarget,
  suspension: unknown,
  answers: Answers,
  options: ResolvedOptions,
): Promise<ToolOutcome> {
  const ref = peek(suspension, 'call')
  const facts = {
    tool: peek(ref, 'tool'),
    toolCallId: peek(ref, 'toolCallId'),
    parentToolCallId: peek(ref, 'parentToolCallId'),
    arguments: peek(suspension, 'arguments'),
  }
  const call = readCall(facts as AnyCall)
  const nested = peek(suspension, 'nested')
  const approval = approvalOf(suspension)
  if (isFields(nested)) {
    // The executor validates the nested suspension and the answers.
    const run = nested as RunSuspension
    const resumption = { kind: 'nested', suspension: run, answers, arguments: call.arguments, approval } as const
    return startCall(target, call, { ...options, resumption })
  }
  const elicitation = peek(suspension, 'elicitation')
  if (elicitation !== undefined) {
    const adapted = peek(suspension, 'adapted')
    // The executor validates the questions and the answers.
    const resumption = {
      kind: 'elicitation',
      elicitation,
      answers,
      arguments: call.arguments,
      adapted: typeof adapted === 'string' ? adapted : undefined,
      approval,
    } as const
    return startCall(target, call, { ...options, resumption })
  }
  const message = `The call of '${call.tool}' cannot continue: it waits neither for a nested run or program nor for answers to an MCP server. Make the call again. To let a call wait for an approval or a result, make it in a run.`
  return Promise.resolve(rejectCall(target, call, callerFailure(message)))
}

function approvalOf(suspension: unknown): ApprovalRecord | undefined {
  const record = peek(suspension, 'approval')
  const [by, at, edited] = [peek(record, 'by'), peek(record, 'at'), peek(record, 'edited')]
  if (typeof at !== 'number') return undefined
  return Object.freeze({
    ...(typeof by === 'string' && { by }),
    at,
    ...(typeof edited === 'string' && { edited }),
    ...(peek(record, 'remembered') === true && { remembered: true as const }),
  })
}

/**
 * Only the process that suspended the call may continue the call, because no check prevents a second continuation by another process. Never rejects.
 */
export function answerCall(
  target: CallTarget,
  { call: { tool, toolCallId, parentToolCallId }, arguments: sent, adapted }: CallSuspension,
  answer: Extract<PendingAnswer, 'approve' | 'deny' | Approval>,
  options: ResolvedOptions,
): Promise<ToolOutcome> {
  const ids = { toolCallId, ...(parentToolCallId !== undefined && { parentToolCallId }) }
  const resumption = { kind: 'answer', answer, arguments: sent, adapted } as const
  return startCall(target, readCall({ tool, arguments: sent, ...ids }), { ...options, resumption })
}

/** Emits no event. */
export function rejectCall(target: CallTarget, call: AnyCall, refusal: ToolFailure): ToolOutcome {
  const read = readCall(call)
  const tool = target.table.find(read.tool)?.tool
  return rejected(newExecution(target, read, tool, { env: undefined }, undefined), refusal)
}

function newExecution(
  target: CallTarget,
  call: AnyCall,
  tool: BoundTool | undefined,
  options: ExecutionOptions,
  run: RunCallContext | undefined,
): ToolCallExecution {
  const { context, agent } = target
  const { effects } = context
  const startedAt = effects.now()
  const ref = callRef(call, options, tool?.id, call.toolCallId ?? effects.newId('toolCall'))
  return new ToolCallExecution({
    ref,
    arguments: call.arguments,
    startedAt,
    tool,
    agent,
    context,
    options,
    run,
    target,
  })
}

function refusalOf(target: CallTarget, execution: ToolCallExecution, { error }: ResolvedOptions): unknown {
  if (error !== undefined) return error
  const { context, table, through } = target
  // Runs that started before `close` may finish.
  if (context.calls.closed && execution.run === undefined) return context.calls.refusal()
  const { tool, ref } = execution
  if (tool === undefined) return unknownTool(ref.tool, table, through)
  const missing = missingCallOptions(tool, execution)
  if (missing.length === 0) return undefined
  return callerFailure(`The caller of '${tool.id}' must pass ${missing.join(', ')} to \`execute\`.`)
}

function rejected(execution: ToolCallExecution, cause: unknown): ToolOutcome {
  const { context } = execution
  return execution.failed(classify(cause, context.effects.now(), context), { cause })
}

export function callRef(
  call: AnyCall,
  options: Pick<CallOptions, 'parentToolCallId'>,
  id: string | undefined,
  toolCallId: string,
): ToolCallRef {
  const parentToolCallId = call.parentToolCallId ?? options.parentToolCallId
  const ref: Mutable<ToolCallRef> = { tool: id ?? call.tool, toolCallId }
  if (parentToolCallId !== undefined) ref.parentToolCallId = parentToolCallId
  return Object.freeze(ref)
}

export const MAX_NEAR = 3

function unknownTool(name: string, { ids, toolNames }: ToolTable, through: string | undefined): ToolFailure {
  const dot = name.indexOf('.')
  // Suggests the same tool of other toolsets: the agent may have renamed the toolset with `as`.
  const sameTool = dot < 0 ? [] : ids.filter((id) => id.slice(id.indexOf('.')) === name.slice(dot))
  const first = through === undefined ? [] : [through]
  const near = [...first, ...sameTool, ...nearestNames(name, dot < 0 ? toolNames : ids, MAX_NEAR)]
  const names = [...new Set(near)].slice(0, MAX_NEAR)
  const message = names.length > 0 ? FIXED_MESSAGES.unknown_tool : noToolText(name, dot < 0 ? toolNames : ids)
  return new ToolFailure(message, { reason: 'unknown_tool', near: names })
}

const MAX_LISTED = 10

function noToolText(name: string, names: readonly string[]): string {
  if (names.length === 0) return FIXED_MESSAGES.unknown_tool
  const listed = names.slice(0, MAX_LISTED).map((each) => JSON.stringify(each))
  const rest = names.length - listed.length
  const more = rest > 0 ? ` and ${rest} more` : ''
  return `There is no tool ${JSON.stringify(shorten(name, 64))}. Available tools: ${listed.join(', ')}${more}.`
}
