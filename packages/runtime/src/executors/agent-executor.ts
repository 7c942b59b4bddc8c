import type { AskAgain } from '../agents/run.js'
import type { RunHandle } from '../agents/run-handle.js'
import { BoundAgent } from '../agents/runtime.js'
import {
  type NestedRunOptions,
  type NestedRunProgress,
  type RunnableAgent,
  resumeRun,
  startRun,
} from '../agents/start-run.js'
import { type NestedRunContext, NestedSuspension, nestedRunContext } from '../call/call-context.js'
import { resolveOptions, type ToolTable } from '../call/call-target.js'
import { executorServedBy } from '../call/execute.js'
import { type CallDetail, provenanceDetail } from '../call/provenance.js'
import { renderForModel, templateText } from '../call/render.js'
import { FIXED_MESSAGES, ToolFailure } from '../call/tool-failure.js'
import type { ChatMessage } from '../types/chat.js'
import type { Decoded, Issue } from '../types/codec.js'
import type { JsonText, JsonValue } from '../types/json.js'
import type { FailureReason, ToolOutcome } from '../types/outcome.js'
import type {
  AgentDescriptor,
  AgentToolOptions,
  AgentToolsetOptions,
  ExecutorRequest,
  ToolExecutor,
  ToolsetExport,
} from '../types/registration.js'
import type { AgentRun, RunResult } from '../types/run.js'
import type { AgentToolSpec } from '../types/tool.js'

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
      const nest = nestedRunContext(request)
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
  return executorServedBy(executor, () => {
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
  readonly nest: NestedRunContext
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
  const { env, parent, resumption, call } = nest
  const asked = resolveOptions({
    env,
    config: parent.config,
    sessionId,
    turnId,
    labels,
    signal,
    parentToolCallId: toolCallId,
    deepTracing,
  })
  const beneath: NestedRunOptions = {
    parent,
    askAgain: againFor({ request, nest, tool, table }),
    observe: (progress) => nest.describe(() => detailOf(progress())),
  }
  // Invalid arguments begin no run.
  const messages = await firstMessages(tool, request)
  const handOver = (fromAgent: string, toAgent: string, reason: string): void => {
    if (deepTracing || parent.deepTracing) parent.events?.publish({ type: 'handoff', call, fromAgent, toAgent, reason })
    parent.items?.addHandoff({ kind: 'handoff', from_agent: fromAgent, to_agent: toAgent, reason })
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
function requireFree(descriptor: AgentDescriptor, { parent }: NestedRunContext): void {
  const { agents, maxDepth } = parent
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

function againFor({ request, nest, tool, table }: AgentCall): AskAgain {
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
function detailOf({ runId, agent, outcomes, usage }: NestedRunProgress): CallDetail {
  const { turns, promptTokens, completionTokens, model } = usage
  const extra = { runId, turns, promptTokens, completionTokens }
  // A layer around the run may have put anything into it.
  const detail = provenanceDetail({ model, service: agent, extra })
  return { children: outcomes.map(({ call }) => call), ...detail }
}

/** How an agent is asked once for the result of its tool as JSON, where it answered in prose. */
function askForJson({ name, result }: AgentToolSpec): ReturnType<AskAgain> {
  const question: ChatMessage = {
    role: 'user',
    content: `Answer with JSON that fits this JSON Schema, and with nothing else: ${JSON.stringify(result)}`,
  }
  return { question, responseFormat: { name, schema: result } }
}

/** The conversation that serves a call of an agent's tool. */
async function firstMessages(
  { text, template, systemPrompt }: AgentToolOptions<any>,
  request: ExecutorRequest,
): Promise<readonly ChatMessage[]> {
  const content = text ?? (template === undefined ? await plainTask(request) : await filled(template, request))
  const asked: ChatMessage = { role: 'user', content }
  return systemPrompt === undefined ? [asked] : [{ role: 'system', content: systemPrompt }, asked]
}

/** What the tool is for, and the arguments as they were sent: without what the runtime fills in. */
async function plainTask({ tool, json }: ExecutorRequest): Promise<string> {
  return `${tool.description}\n\n${await json()}`
}

async function filled(template: string, { payload }: ExecutorRequest): Promise<string> {
  return templateText(template, await payload())
}

/** What a run came to. */
interface RunAnswer {
  readonly result?: RunResult | undefined
  /** In call order. */
  readonly outcomes: readonly ToolOutcome[]
  /** The tools of the run: they write the results that they declare. */
  readonly table: ToolTable
}

/** What of it is the result of the call that it served. */
type NestedAnswer =
  | { readonly kind: 'value'; readonly value: unknown }
  /** Every call of the run failed; the last one says why. */
  | { readonly kind: 'failed'; readonly last: Extract<ToolOutcome, { readonly status: 'failed' }> }
  /** There is nothing that fits the tool. */
  | { readonly kind: 'none'; readonly issues: readonly Issue[] }

/**
 * The result of a call that a run served, in this order: a typed answer; the results of the calls that completed (one as it
 * is, else as a list of one; several as a list); a text that is JSON of the result; prose, where that is a result.
 *
 * @param decode as the tool declares its result
 */
function nestedAnswer(
  { result, outcomes, table }: RunAnswer,
  { prose = false }: Pick<AgentToolOptions, 'prose'>,
  decode: (value: JsonValue) => Decoded<unknown>,
): NestedAnswer {
  if (result?.value !== undefined) return answerOf(decode(result.value))
  const completed = outcomes.flatMap((outcome) =>
    outcome.status === 'completed' ? [declaredResult(table, outcome)] : [],
  )
  // A call that was cancelled says nothing of the task.
  const failed = outcomes.flatMap((outcome) =>
    outcome.status === 'failed' && outcome.hint.reason !== 'cancelled' ? [outcome] : [],
  )
  const last = failed.at(-1)
  if (completed.length === 0 && last !== undefined) return { kind: 'failed', last }
  const ofCalls = resultOfCalls(completed, decode)
  if (ofCalls.kind === 'value' || result?.text === undefined) return ofCalls
  const inProse = jsonIn(result.text)
  const ofText = inProse === undefined ? NOTHING : answerOf(decode(inProse))
  if (ofText.kind === 'value' || !prose) return ofText.kind === 'value' ? ofText : ofCalls
  const ofProse = answerOf(decode(result.text))
  return ofProse.kind === 'value' || completed.length === 0 ? ofProse : ofCalls
}

/** One result counts as it is, and as a list of one where the tool answers with a list. */
function resultOfCalls(
  completed: readonly JsonValue[],
  decode: (value: JsonValue) => Decoded<unknown>,
): Extract<NestedAnswer, { readonly kind: 'value' | 'none' }> {
  const [only] = completed
  if (only === undefined) return NOTHING
  if (completed.length > 1) return answerOf(decode(completed))
  const asItIs = answerOf(decode(only))
  if (asItIs.kind === 'value') return asItIs
  const asList = answerOf(decode([only]))
  // Of a tool that answers with a list the issues of the list say what is wrong.
  return asList.kind === 'value' || wantsArray(asItIs.issues) ? asList : asItIs
}

function wantsArray(issues: readonly Issue[]): boolean {
  return issues.some(
    (issue) => issue.path === '' && issue.constraint === 'invalid_type' && issue.expected.includes('array'),
  )
}

const NOTHING = { kind: 'none', issues: [] } as const

function answerOf(decoded: Decoded<unknown>): Extract<NestedAnswer, { readonly kind: 'value' | 'none' }> {
  return decoded.ok ? { kind: 'value', value: decoded.value } : { kind: 'none', issues: decoded.issues }
}

/** The result of a call as its tool declares it: not as a result adapter or a layer has changed it for the model. */
function declaredResult(
  table: ToolTable,
  { call, result, json }: Extract<ToolOutcome, { readonly status: 'completed' }>,
): JsonValue {
  const encoded = table.find(call.tool)?.tool.result.encodeValue(result.data)
  return parsed(encoded?.ok ? encoded.json : json)
}

function parsed(json: JsonText): JsonValue {
  try {
    return JSON.parse(json)
  } catch {
    // A layer has put prose in the place of a result that its tool did not declare.
    return json
  }
}

/** The object or list that a text is; `undefined` where it is prose. */
function jsonIn(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * What a call fails with whose run did not come to an end of its own: what the run failed by, so that all it says of the
 * failure (when to come back, what to do next) reaches those above. `undefined` where it did.
 *
 * @param mayRepeat whether the whole run may be made again
 */
function unendedFailure({ agent, status, stop, error }: AgentRun, mayRepeat: boolean): unknown {
  if (status === 'failed') {
    const { reason = 'internal', message = FIXED_MESSAGES.internal, cause } = error ?? {}
    const failure = new ToolFailure(message, { reason, cause })
    return mayRepeat ? (cause ?? failure) : notRepeatable(failure)
  }
  if (status !== 'cancelled') return undefined
  return new ToolFailure(`The agent '${agent}' was stopped.`, { reason: 'cancelled', cause: stop })
}

/** Why a call fails whose run ended without a result that fits. */
function emptyFailure({ agent, status, stop }: AgentRun, issues: readonly Issue[]): ToolFailure {
  if (status === 'stopped') {
    const message = `The agent '${agent}' was stopped before it had a result (${stop.reason}).`
    return new ToolFailure(message, { reason: 'interrupted' })
  }
  return new ToolFailure(FIXED_MESSAGES.malformed_result, { reason: 'malformed_result', issues })
}

/**
 * The failure of the last call of a run, as that of the call which the run served. What was wrong with the arguments of that
 * call is nothing that the caller of this one could correct.
 *
 * @param mayRepeat whether the whole run may be made again
 */
function lastCallFailure(
  agent: string,
  outcome: Extract<ToolOutcome, { readonly status: 'failed' }>,
  mayRepeat: boolean,
): ToolFailure {
  const { error, hint } = outcome
  const { cause } = error
  switch (hint.reason) {
    case 'missing_fields':
    case 'invalid_arguments':
    case 'unknown_tool': {
      const message = `The agent '${agent}' could not do it. Its last call failed: ${renderForModel(outcome)}`
      return new ToolFailure(message, { reason: 'domain_rejection', action: 'replan', cause })
    }
    default: {
      const failure = Object.assign(new ToolFailure(hint.message, { reason: hint.reason, cause }), {
        action: hint.action,
        // The hint of the outer call hides again what a service answered; its developers' error keeps it.
        ...('issues' in hint && { issues: hint.reason === 'malformed_result' ? error.issues : hint.issues }),
        ...('retryAfterMs' in hint && { retryAfterMs: hint.retryAfterMs }),
      })
      return mayRepeat ? failure : notRepeatable(failure)
    }
  }
}

/** A failure that invites nobody to have done again what has been done. */
function notRepeatable(failure: ToolFailure): ToolFailure {
  const { reason, message, cause } = failure
  if (reason !== 'unavailable' && reason !== 'timeout' && reason !== 'rate_limited') return failure
  return new ToolFailure(message, { reason: reason === 'timeout' ? reason : 'unavailable', action: 'replan', cause })
}
