import type { AgentDescriptor } from '../../contract/agent.js'
import type { AgentRun } from '../../contract/agent-run.js'
import type { AgentToolOptions, AgentToolsetOptions, ToolsetExport } from '../../contract/agent-toolset.js'
import type { ExecutorRequest, ToolExecutor } from '../../contract/executor.js'
import type { FailureReason } from '../../contract/retry-hint.js'
import { BoundAgent } from '../../execute/bound-agent.js'
import { executorOver } from '../../execute/call/agent-beneath.js'
import { givenOptions } from '../../execute/call/given-call.js'
import type { ToolTable } from '../../execute/call/tool-table.js'
import { ToolFailure } from '../../execute/failure/tool-failure.js'
import { type CallNest, nestOf } from '../../execute/nest/call-nest.js'
import { NestedSuspension } from '../../execute/nest/nested-suspension.js'
import { type CallDetail, provenanceDetail } from '../../execute/result/provenance-detail.js'
import type { RunHandle } from '../run-handle.js'
import type { RunBeneath, RunnableAgent, ServingRun } from '../run-parts.js'
import { resumeRun, startRun } from '../start-run.js'
import { askForJson } from './ask-for-json.js'
import { firstMessages } from './first-message.js'
import { nestedAnswer } from './nested-answer.js'
import { emptyFailure, lastCallFailure, unendedFailure } from './nested-failure.js'

/** The agent that serves a toolset, or how to get at it: two agents may use each other. */
export type AgentSource<Env = unknown> = BoundAgent<Env> | (() => BoundAgent<Env>)

/**
 * Serves the tools that an agent exports: each call is a run of the agent, beneath the call.
 *
 * @param options go before what the design says
 */
export function agentExecutor(
  exported: ToolsetExport,
  agent: AgentSource<any>, // `any`: the env is checked by the types of registrations
  options: AgentToolsetOptions<any>,
): ToolExecutor {
  const served = (): RunnableAgent => servingAgent(exported, agent).runnable
  const executor: ToolExecutor = {
    service: exported.agent.name,
    execute: async (request) => {
      const runnable = served()
      const nest = nestOf(request)
      requireFree(runnable.descriptor, nest)
      const tool = toolOptions(exported, options, request.tool.name)
      const call: AgentCall = { request, nest, tool, table: runnable.target.table }
      const run = await servingRun(runnable, call, options.suppressChildEvents === false)
      const detail = detailOf(run)
      nest.describe(() => detail)
      if (run.suspension !== undefined) return new NestedSuspension(run.suspension)
      return resultOf(run, call)
    },
  }
  return executorOver(executor, () => {
    const { descriptor, target } = served()
    return { descriptor, table: target.table }
  })
}

/** @throws {ToolFailure} where the application's function gives no agent. */
function servingAgent({ agent: { name } }: ToolsetExport, source: AgentSource<any>): BoundAgent<any> {
  const agent: unknown = typeof source === 'function' ? source() : source
  if (agent instanceof BoundAgent) return agent
  throw new ToolFailure(`The function that is to give the agent '${name}' gives no bound agent.`, {
    reason: 'internal',
    action: 'finish',
  })
}

/** A call on its way to the agent that serves it. */
interface AgentCall {
  readonly request: ExecutorRequest
  readonly nest: CallNest
  readonly tool: AgentToolOptions
  /** The tools of the agent that serves it. */
  readonly table: ToolTable
}

async function servingRun(
  agent: RunnableAgent,
  { request, nest, tool, table }: AgentCall,
  deepTracing: boolean,
): Promise<AgentRun> {
  const { sessionId, turnId, labels, signal, toolCallId, agent: caller } = request.meta
  const { env, above, resumption, call } = nest
  const asked = givenOptions({
    env,
    config: above.config,
    sessionId,
    turnId,
    labels,
    signal,
    parentToolCallId: toolCallId,
    deepTracing,
  })
  const beneath: RunBeneath = {
    above,
    askAgain: againFor({ request, nest, tool, table }),
    observe: (progress) => nest.describe(() => detailOf(progress())),
  }
  // Invalid arguments begin no run.
  const messages = await firstMessages(tool, request)
  const handOver = (fromAgent: string, toAgent: string, reason: string): void => {
    if (deepTracing || above.deepTracing) above.events?.publish({ type: 'handoff', call, fromAgent, toAgent, reason })
    above.items?.addHandoff({ kind: 'handoff', from_agent: fromAgent, to_agent: toAgent, reason })
  }
  const from = caller ?? ''
  handOver(from, agent.descriptor.name, resumption === undefined ? 'started' : 'resumed')
  const handle: RunHandle =
    resumption?.kind === 'nested'
      ? resumeRun(agent, resumption, asked, beneath)
      : startRun(agent, messages, asked, beneath)
  const run = await handle
  handOver(agent.descriptor.name, from, run.status)
  return run
}

/** @throws {ToolFailure} `denied` where the agent is at work above already, or too many are. */
function requireFree(descriptor: AgentDescriptor, { above }: CallNest): void {
  const { agents, maxDepth } = above
  if (agents.includes(descriptor)) {
    const path = [...agents, descriptor].map(({ name }) => name).join(' → ')
    throw new ToolFailure(`The agent '${descriptor.name}' is at work above this call already (${path}).`, {
      reason: 'denied',
      action: 'replan',
    })
  }
  if (agents.length <= maxDepth) return
  throw new ToolFailure(`Agents may call agents only ${maxDepth} deep here.`, { reason: 'denied', action: 'replan' })
}

function toolOptions(exported: ToolsetExport, options: AgentToolsetOptions<any>, name: string): AgentToolOptions {
  const given = own<AgentToolOptions>(options.tools, name)
  const { text, template, ...design } = own(exported.tools, name) ?? {}
  const message = given?.text ?? given?.template
  if (message !== undefined) return { ...design, ...given }
  return { ...(text !== undefined && { text }), ...(template !== undefined && { template }), ...design, ...given }
}

function own<Value>(values: Readonly<Record<string, Value | undefined>> | undefined, name: string): Value | undefined {
  return values !== undefined && Object.hasOwn(values, name) ? values[name] : undefined
}

function againFor({ request, nest, tool, table }: AgentCall): RunBeneath['askAgain'] {
  return ({ outcomes }, { stop, result }) => {
    if (stop.reason !== 'answered' || tool.aggregate !== undefined) return undefined
    const found = nestedAnswer({ result, outcomes, table }, tool, (value) => nest.decodeResult(value))
    return found.kind === 'none' ? askForJson(request.tool) : undefined
  }
}

async function resultOf(run: AgentRun, { request, nest, tool, table }: AgentCall): Promise<unknown> {
  const { idempotent, readOnly } = request.tool.annotations
  const mayRepeat = idempotent === true || readOnly === true || !hasWorked(run)
  const unended = unendedFailure(run, mayRepeat)
  if (unended !== undefined) throw unended
  if (tool.aggregate !== undefined) return tool.aggregate(run)
  const { result, outcomes } = run
  const found = nestedAnswer({ result, outcomes, table }, tool, (value) => nest.decodeResult(value))
  if (found.kind === 'value') return found.value
  throw found.kind === 'failed' ? lastCallFailure(run.agent, found.last, mayRepeat) : emptyFailure(run, found.issues)
}

/** Why calls fail that have changed nothing: they were refused. */
const REFUSALS: ReadonlySet<FailureReason> = new Set<FailureReason>([
  'missing_fields',
  'invalid_arguments',
  'unknown_tool',
  'denied',
  'domain_rejection',
  'rate_limited',
])

/** Whether something may have happened in a run that must not happen again. */
function hasWorked({ outcomes }: AgentRun): boolean {
  return outcomes.some((outcome) => {
    if (outcome.provenance.attempts === 0) return false
    return outcome.status !== 'failed' || !(REFUSALS.has(outcome.hint.reason) || outcome.hint.action === 'wait')
  })
}

/** The facts of a run for the provenance of the call that it serves. */
function detailOf({ runId, agent, outcomes, usage }: ServingRun): CallDetail {
  const { turns, promptTokens, completionTokens, model } = usage
  const extra = { runId, turns, promptTokens, completionTokens }
  // A layer around the run may have put anything into it.
  const detail = provenanceDetail({ model, service: agent, extra })
  return { children: outcomes.map(({ call }) => call), ...detail }
}
