import { BoundAgent } from '../agents/bound-agent.js'
import { type NestedRunProgress, type RunnableAgent, resumeRun, startRun } from '../agents/start-run.js'
import type { AskAgain } from '../agents/step-attempts.js'
import {
  bindingErrors,
  isGiven,
  type Layered,
  layeredBinding,
  property,
  providerErrors,
  type Requirements,
  type ToolsetBinding,
} from '../call/binding.js'
import type { BindingErrorDetails } from '../call/binding-error.js'
import type { BoundTool } from '../call/bound-tools.js'
import { resolveOptions } from '../call/call-target.js'
import { templateText } from '../call/hint-template.js'
import { type NestedRunContext, NestedSuspension, nestedRunContext } from '../call/nested-run.js'
import { type CallDetail, provenanceDetail, readsOf } from '../call/provenance.js'
import { useName } from '../call/registrations.js'
import { renderForModel } from '../call/render.js'
import { executorServedBy } from '../call/required-options.js'
import { FIXED_MESSAGES, malformedResult, peek, ToolFailure } from '../call/tool-failure.js'
import { toolsetRegistration } from '../layers/registration.js'
import { isContainer } from '../schema/json-values.js'
import { parseJson } from '../schema/parse-json.js'
import type { ChatMessage } from '../types/chat.js'
import type { Decoded, Issue } from '../types/codec.js'
import type { ExecutorRequest, ToolExecutor } from '../types/executor.js'
import type { FailureReason } from '../types/failure.js'
import type { JsonValue } from '../types/json.js'
import type { ToolOutcome } from '../types/outcome.js'
import type {
  AgentToolOptions,
  AgentToolsetOptions,
  ExportedTool,
  RegistrationOptions,
  ToolsetExport,
  ToolsetRegistration,
  ToolsetUse,
} from '../types/registration.js'
import type { AgentRun } from '../types/run.js'

/** Agent that runs the tools of a toolset, or a function that returns this agent. With a function, two agents can use each other as tools. */
type AgentSource<Env = unknown> = BoundAgent<Env> | (() => BoundAgent<Env>)

/**
 * Creates the registration of a toolset that an agent exports. Each call of a tool starts a run of this agent. Called by generated code.
 *
 * @param options options of the tools; an option replaces the option with the same name in the design
 * @param use names of the toolset and its tools in the agent that calls the tools. Default: the names in the design
 * @throws {TypeError} if a tool option has the wrong type.
 */
export function agentToolsetRegistration<Env = unknown>(
  exported: ToolsetExport,
  agent: AgentSource<Env>,
  options: AgentToolsetOptions<any> = {}, // `any`: the results of the tools are in the types of generated code
  use: ToolsetUse = { toolset: exported.toolset, provider: 'agent' },
): ToolsetRegistration<Env> {
  requireToolOptions(useName(use), options)
  return toolsetRegistration<Env>(use, agentExecutor(exported, agent, options), options)
}

/**
 * Value of `toolsets.<name>` for a toolset that another agent exports. Pass one of these values:
 *
 * - the bound agent, or a function that returns the bound agent (with a function, two agents can use each other as tools)
 * - an object with `agent`, options and layers
 * - an object with an `executor` that runs the tools
 *
 * `AgentEnv` is the type of the option `env` that the agent requires. `Env` is the type of the option `env` that the added layers require.
 *
 * @example
 * registerSupport(runtime, { planner, toolsets: { investigation: research } })
 */
export type AgentBinding<Options extends AgentToolsetOptions<any>, AgentEnv = unknown, Env = unknown> =
  // A bare agent is only allowed if no options are required.
  | (Partial<Options> extends Options ? AgentSource<AgentEnv> : never)
  | (Options & Layered<Env> & { readonly agent: AgentSource<AgentEnv>; readonly executor?: never })
  | (Pick<Options, keyof Options & keyof RegistrationOptions> &
      Layered<Env> & { readonly executor: ToolExecutor; readonly agent?: never; readonly wrap?: never })

/**
 * Creates the registration of a toolset that another agent exports. A registration connects a toolset with its executor and layers. Returns errors
 * instead of throwing errors, so that `registerAgent` can report the errors of all toolsets together.
 *
 * @param binding value of `toolsets.<name>` in the application
 * @param requirements options that tools require, by tool name
 */
export function bindAgentToolset(
  use: ToolsetUse,
  binding: AgentBinding<any, any>, // `any`: options and env are in the types of generated code
  exported: ToolsetExport,
  requirements: Requirements = {},
): ToolsetBinding {
  const options = binding instanceof BoundAgent || typeof binding === 'function' ? { agent: binding } : binding
  const exporter = exported.agent.name
  const hint = ` to the registered agent '${exporter}'`
  const errors = bindingErrors(use, options, requirements, {
    name: 'agent',
    hint,
    errors: (toolset, provided) => agentErrors(toolset, provided, exporter, hint),
  })
  if (errors.length > 0) return { use, errors }
  const registration = options.executor
    ? toolsetRegistration(use, options.executor, options)
    : agentToolsetRegistration(exported, options.agent, options, use)
  return layeredBinding(use, registration, options.layers)
}

function agentErrors(toolset: string, binding: object, exporter: string, hint: string): BindingErrorDetails[] {
  const agent = property(binding, 'agent')
  if (isGiven(property(binding, 'executor')) || !isGiven(agent)) return providerErrors(toolset, binding, 'agent', hint)
  if (typeof agent === 'function') return []
  if (!(agent instanceof BoundAgent)) return providerErrors(toolset, {}, 'agent', hint)
  if (agent.agent.name === exporter) return []
  const message = `Toolset '${toolset}' needs the agent '${exporter}', which exports it, but toolsets.${toolset} has the agent '${agent.agent.name}'.`
  return [{ code: 'wrong_agent', toolset, message }]
}

const OPTION_TYPES = {
  text: 'string',
  template: 'string',
  systemPrompt: 'string',
  prose: 'boolean',
  aggregate: 'function',
} as const

function requireToolOptions(toolset: string, { tools = {} }: AgentToolsetOptions<any>): void {
  for (const [tool, options] of Object.entries<unknown>(tools)) {
    for (const [name, type] of Object.entries(OPTION_TYPES)) {
      const option = peek(options, name)
      if (option === undefined || typeof option === type) continue
      throw new TypeError(`toolset '${toolset}': tools.${tool}.${name} must be a ${type}`)
    }
  }
}

function agentExecutor(
  exported: ToolsetExport,
  source: AgentSource<any>, // `any`: the env is checked by the types of registrations
  options: AgentToolsetOptions<any>,
): ToolExecutor {
  const { name } = exported.agent
  const served = (): RunnableAgent => {
    const agent: unknown = typeof source === 'function' ? source() : source
    if (agent instanceof BoundAgent) return agent.runnable
    const message = `The function for the agent '${name}' must return a registered agent.`
    throw new ToolFailure(message, { reason: 'internal', action: 'finish' })
  }
  const executor: ToolExecutor = {
    service: name,
    execute: async (request) => {
      const call = new AgentCall(served(), request, toolOptions(exported, options, request.tool.name))
      return call.execute(options.suppressChildEvents === false)
    },
  }
  const askAgain: AskAgainOf = (tool) =>
    new NestedResultReader(served(), tool, toolOptions(exported, options, tool.spec.name)).askAgain
  return Object.assign(
    executorServedBy(executor, () => {
      const { descriptor, target } = served()
      return { descriptor, table: target.table }
    }),
    { [ASK_AGAIN]: askAgain },
  )
}

type AskAgainOf = (tool: Pick<BoundTool, 'spec' | 'result'>) => AskAgain

const ASK_AGAIN: unique symbol = Symbol('askAgain')

/** With the returned function, the run of an agent asks its model again if the answer is not a valid result of the tool. */
export function askAgainFor(tool: BoundTool): AskAgain | undefined {
  const executor: ToolExecutor & { readonly [ASK_AGAIN]?: AskAgainOf } = tool.executor
  return executor[ASK_AGAIN]?.(tool)
}

/** `text` and `template` are alternatives, so one of them in the application replaces both options of the design. */
function toolOptions(exported: ToolsetExport, options: AgentToolsetOptions<any>, name: string): AgentToolOptions {
  const own: AgentToolOptions = property(options.tools, name) ?? {}
  const design: ExportedTool = property(exported.tools, name) ?? {}
  if (own.text === undefined && own.template === undefined) return { ...design, ...own }
  const { text: _text, template: _template, ...others } = design
  return { ...others, ...own }
}

type FailedOutcome = Extract<ToolOutcome, { readonly status: 'failed' }>

type NestedResult = Decoded<unknown> & { readonly lastFailure?: FailedOutcome }

const NO_RESULT = { ok: false, issues: [] } as const

class NestedResultReader {
  readonly #agent: RunnableAgent
  readonly #tool: Pick<BoundTool, 'spec' | 'result'>
  readonly #options: AgentToolOptions

  constructor(agent: RunnableAgent, tool: Pick<BoundTool, 'spec' | 'result'>, options: AgentToolOptions) {
    this.#agent = agent
    this.#tool = tool
    this.#options = options
  }

  readonly askAgain: AskAgain = ({ outcomes }, { stop, result }) => {
    if (stop.reason !== 'answered' || this.#options.aggregate !== undefined) return undefined
    const found = this.#result({ outcomes, ...(result !== undefined && { result }) })
    if (found.ok || found.lastFailure !== undefined) return undefined
    const { name, result: schema } = this.#tool.spec
    const content = `Answer only with JSON that matches this JSON Schema: ${JSON.stringify(schema)}`
    return { question: { role: 'user', content }, responseFormat: { name, schema } }
  }

  /**
   * If a call of the run may have had an effect, the failure does not ask for a repetition of the tool call, because the effect would occur twice.
   * @throws {ToolFailure} if the run has no valid result. For a failed run, throws the error of the run.
   */
  async read(run: AgentRun): Promise<unknown> {
    const { idempotent, readOnly } = this.#tool.spec.annotations
    const mayRepeat = idempotent === true || readOnly === true || !run.outcomes.some(mayHaveEffect)
    const { agent, status, stop } = run
    if (status === 'failed') {
      const { reason = 'internal', message = FIXED_MESSAGES.internal, cause } = run.error ?? {}
      const failure = new ToolFailure(message, { reason, cause })
      // The original error has details.
      throw mayRepeat ? (cause ?? failure) : notRepeatable(failure)
    }
    if (status === 'cancelled') {
      throw new ToolFailure(`The agent '${agent}' was stopped.`, { reason: 'cancelled', cause: stop })
    }
    if (stop.reason === 'guardrail') {
      // Results of its calls must not replace the answer that a guardrail has blocked.
      const message = `The agent '${agent}' was stopped by its guardrail '${stop.by}'.`
      throw new ToolFailure(message, { reason: 'denied', cause: stop })
    }
    if (this.#options.aggregate !== undefined) return this.#options.aggregate(run)
    const found = this.#result(run)
    if (found.ok) return found.value
    if (found.lastFailure !== undefined) throw lastCallFailure(agent, found.lastFailure, mayRepeat)
    if (status === 'stopped') {
      const message = `The agent '${agent}' was stopped before it had a result (${stop.reason}).`
      throw new ToolFailure(message, { reason: 'interrupted' })
    }
    throw malformedResult(found.issues)
  }

  #result({ result, outcomes }: Pick<AgentRun, 'result' | 'outcomes'>): NestedResult {
    const decode = (value: JsonValue): Decoded<unknown> => this.#tool.result.decodeValue(value)
    if (result?.value !== undefined) return decode(result.value)
    const completed = outcomes.filter((outcome) => outcome.status === 'completed')
    // Cancelled calls are ignored.
    const failed = outcomes.filter((outcome) => outcome.status === 'failed' && outcome.hint.reason !== 'cancelled')
    const lastFailure = failed.at(-1)
    if (completed.length === 0 && lastFailure?.status === 'failed') return { ...NO_RESULT, lastFailure }
    const ofCalls = this.#resultOfCalls(completed.map((outcome) => this.#declaredResult(outcome)))
    if (ofCalls.ok || result?.text === undefined) return ofCalls
    const parsed = parseJson(result.text)
    const ofText = parsed.ok && isContainer(parsed.value) ? decode(parsed.value as JsonValue) : NO_RESULT
    if (ofText.ok) return ofText
    if (this.#options.prose !== true) return ofCalls
    const ofProse = decode(result.text)
    return ofProse.ok || completed.length === 0 ? ofProse : ofCalls
  }

  #resultOfCalls(results: readonly JsonValue[]): Decoded<unknown> {
    const [only] = results
    if (only === undefined) return NO_RESULT
    const decode = (value: JsonValue): Decoded<unknown> => this.#tool.result.decodeValue(value)
    if (results.length > 1) return decode(results)
    const asItIs = decode(only)
    if (asItIs.ok) return asItIs
    const asArray = decode([only])
    // If the tool returns an array, the issues of the array are more helpful.
    return asArray.ok || asItIs.issues.some(wantsArray) ? asArray : asItIs
  }

  #declaredResult({ call, result, json }: Extract<ToolOutcome, { status: 'completed' }>): JsonValue {
    const encoded = this.#agent.target.table.find(call.tool)?.tool.result.encodeValue(result.data)
    const parsed = parseJson(encoded?.ok ? encoded.json : json)
    // A layer can replace the JSON by prose if the tool declares no result.
    return parsed.ok ? (parsed.value as JsonValue) : json
  }
}

class AgentCall {
  readonly #agent: RunnableAgent
  readonly #request: ExecutorRequest
  readonly #nest: NestedRunContext
  readonly #options: AgentToolOptions
  readonly #reader: NestedResultReader

  constructor(agent: RunnableAgent, request: ExecutorRequest, options: AgentToolOptions) {
    this.#agent = agent
    this.#request = request
    this.#nest = nestedRunContext(request)
    this.#options = options
    this.#reader = new NestedResultReader(agent, this.#nest.tool, options)
  }

  async execute(deepTracing: boolean): Promise<unknown> {
    this.#requireDepth()
    const run = await this.#run(deepTracing)
    const detail = detailOf(run)
    this.#nest.describe(() => detail)
    return run.suspension === undefined ? this.#reader.read(run) : new NestedSuspension(run.suspension)
  }

  #requireDepth(): void {
    const { descriptor } = this.#agent
    const { agents, maxDepth } = this.#nest.parent
    const denied = (message: string): ToolFailure => new ToolFailure(message, { reason: 'denied', action: 'replan' })
    if (agents.includes(descriptor)) {
      const path = [...agents, descriptor].map(({ name }) => name).join(' → ')
      throw denied(`The agent '${descriptor.name}' is already running in this call chain (${path}).`)
    }
    if (agents.length > maxDepth) throw denied(`Agents may call other agents at most ${maxDepth} levels deep.`)
  }

  async #run(deepTracing: boolean): Promise<AgentRun> {
    const { sessionId, turnId, labels, signal, toolCallId: parentToolCallId, agent: caller = '' } = this.#request.meta
    const { env, parent, resumption, call, runSeparately } = this.#nest
    const { config } = parent
    const context = { env, config, sessionId, turnId, labels, signal, parentToolCallId, deepTracing }
    const options = resolveOptions(context)
    // Do not start a run if the arguments are invalid.
    const messages = await this.#firstMessages()
    const handOver = (fromAgent: string, toAgent: string, reason: string): void => {
      if (deepTracing || parent.deepTracing)
        parent.events?.publish({ type: 'handoff', call, fromAgent, toAgent, reason })
      parent.items?.push({ kind: 'handoff', from_agent: fromAgent, to_agent: toAgent, reason })
    }
    const { name } = this.#agent.descriptor
    handOver(caller, name, resumption === undefined ? 'started' : 'resumed')
    const source = resumption?.kind === 'nested' ? resumption : { input: messages }
    let run: AgentRun
    if (runSeparately !== undefined) {
      const meta = {
        ...(sessionId !== undefined && { sessionId }),
        ...(turnId !== undefined && { turnId }),
        labels,
        signal,
      }
      const traced = deepTracing || parent.deepTracing
      run = await runSeparately({ agent: name, call, source, meta, deepTracing: traced, parent })
    } else {
      const nested = {
        parent,
        askAgain: this.#reader.askAgain,
        observe: (progress: () => NestedRunProgress) => this.#nest.describe(() => detailOf(progress())),
      }
      run = await ('input' in source
        ? startRun(this.#agent, source.input, options, nested)
        : resumeRun(this.#agent, source, options, nested))
    }
    handOver(name, caller, run.status)
    return run
  }

  async #firstMessages(): Promise<readonly ChatMessage[]> {
    const { tool, json, payload } = this.#request
    const { text, template, systemPrompt } = this.#options
    let content = text
    if (template !== undefined) content ??= templateText(template, await payload())
    content ??= `${tool.description}\n\n${await json()}`
    const message: ChatMessage = { role: 'user', content }
    return systemPrompt === undefined ? [message] : [{ role: 'system', content: systemPrompt }, message]
  }
}

function wantsArray(issue: Issue): boolean {
  return issue.path === '' && issue.constraint === 'invalid_type' && issue.expected.includes('array')
}

function detailOf({ runId, agent, outcomes, usage }: NestedRunProgress): CallDetail {
  const { turns, promptTokens, completionTokens, model } = usage
  const extra = { runId, turns, promptTokens, completionTokens }
  // Layers around the run can set any value.
  const detail = provenanceDetail({ model, service: agent, extra })
  return { children: outcomes.map(({ call }) => call), ...readsOf(outcomes), ...detail }
}

/** After these failures, a call has had no side effects, because the runtime rejected the call, or the service rejected the request. */
const REJECTIONS: ReadonlySet<FailureReason> = new Set<FailureReason>([
  'missing_fields',
  'invalid_arguments',
  'unknown_tool',
  'denied',
  'domain_rejection',
  'rate_limited',
])

function mayHaveEffect(outcome: ToolOutcome): boolean {
  if (outcome.provenance.attempts === 0) return false
  return outcome.status !== 'failed' || !(REJECTIONS.has(outcome.hint.reason) || outcome.hint.action === 'wait')
}

/**
 * The calling model cannot change calls inside the nested run. The failure therefore does not ask for a corrected call if the last call of the
 * run was wrong, for example because of invalid arguments.
 */
function lastCallFailure(agent: string, outcome: FailedOutcome, mayRepeat: boolean): ToolFailure {
  const { error, hint } = outcome
  const { cause } = error
  if (hint.reason === 'missing_fields' || hint.reason === 'invalid_arguments' || hint.reason === 'unknown_tool') {
    const message = `The agent '${agent}' could not complete the task. Its last call failed: ${renderForModel(outcome)}`
    return new ToolFailure(message, { reason: 'domain_rejection', action: 'replan', cause })
  }
  const failure = Object.assign(new ToolFailure(hint.message, { reason: hint.reason, cause }), {
    action: hint.action,
    // The hint of the outer call hides the service's response; the error contains its issues.
    ...('issues' in hint && { issues: hint.reason === 'malformed_result' ? error.issues : hint.issues }),
    ...('retryAfterMs' in hint && { retryAfterMs: hint.retryAfterMs }),
    // The tool of this agent can declare the same failure.
    ...('failure' in hint && { failure: hint.failure, data: hint.data }),
  })
  return mayRepeat ? failure : notRepeatable(failure)
}

function notRepeatable(failure: ToolFailure): ToolFailure {
  const { reason, message, cause } = failure
  if (reason !== 'unavailable' && reason !== 'timeout' && reason !== 'rate_limited') return failure
  return new ToolFailure(message, { reason: reason === 'timeout' ? reason : 'unavailable', action: 'replan', cause })
}
