import { BoundAgent } from '../agents/bound-agent.js'
import { budgetedPlanner } from '../agents/model-cost.js'
import { requireAnswersTo, restoredOutcome } from '../agents/resume.js'
import { endedRun } from '../agents/run-result.js'
import {
  allBudgets,
  type NestedRunOptions,
  type RunnableAgent,
  readInput,
  resumeRun,
  startRun,
} from '../agents/start-run.js'
import { storedOutcome } from '../agents/stored-outcome.js'
import type { BoundTool } from '../call/bound-tools.js'
import { BoundToolset } from '../call/bound-toolset.js'
import { type CallContext, isRepeatable, type RunJournal } from '../call/call-context.js'
import { type ResolvedOptions, resolveOptions } from '../call/call-target.js'
import { classify } from '../call/classify.js'
import { EventScope } from '../call/events.js'
import { type NestedRunRequest, TokenLedger } from '../call/nested-run.js'
import { agentServing } from '../call/required-options.js'
import { joinPolicies, runConfig } from '../call/run-config.js'
import { toolError } from '../call/tool-error.js'
import { ToolFailure } from '../call/tool-failure.js'
import { askAgainFor } from '../executors/agent-toolset.js'
import type { FailureFacts } from '../types/failure.js'
import type { Answers, RunSuspension } from '../types/outcome.js'
import type { AgentRun, RunInput, RunState } from '../types/run.js'
import type { AgentToolSpec } from '../types/tool.js'
import { requireJson, requireObject, requireRunOptions, requireString, shown } from './arguments.js'
import {
  DurableError,
  type DurableInput,
  type DurableInvocation,
  type DurableParent,
  type DurableResult,
  type DurableRunOptions,
} from './engine.js'
import { Journal, type UnknownOutcome } from './journal.js'
import { type DurableSessionsOptions, sessionSettings } from './session-types.js'

/**
 * Data about a run, or about a call of a session, for the function `env`. `agent` is the name of the agent. If a session calls a tool
 * without an agent, `agent` is the name of the toolset or namespace.
 */
export type DurableFacts = Omit<DurableInput, 'version' | 'input' | 'resume' | 'parent'>

/** Options of {@link durableAgents}: the agents, their `env`, and the reaction to unknown outcomes. */
export interface DurableAgentsOptions {
  /** Agent name → registered agent. Must contain every agent that another one uses. */
  readonly agents: Readonly<Record<string, BoundAgent<any>>>
  /**
   * Returns the `env` of a run, or of a call of a session. Receives the name of the agent, ids, labels and `data`.
   * Called at the start of each attempt. If the function throws, or returns a promise that does not settle within 60
   * seconds, the attempt ends with this error, and the engine starts another attempt. Default: no `env`.
   */
  readonly env?: (input: DurableFacts) => unknown
  /**
   * Reaction to a call whose process ended before its result was recorded. Applies only to tools that must not run twice: tools that are
   * neither `readOnly` nor `idempotent`, and have no server-owned `idempotencyKey`. `fail`: the call fails with the reason
   * `unknown_outcome`. `ask`: the run is suspended, and `approve` runs the tool again. `repeat`: the tool runs again. Default: `fail`. A
   * function is called by `durableAgents`, once for each of these tools.
   */
  readonly unknownOutcome?: UnknownOutcome | ((tool: AgentToolSpec) => UnknownOutcome)
  /** Name → registered toolset that sessions can use, in addition to the agents. Default: none. */
  readonly toolsets?: Readonly<Record<string, BoundToolset<any>>>
  /** Limits of the sessions, and whether they keep the messages of their runs. Default: the defaults of {@link DurableSessionsOptions}. */
  readonly sessions?: DurableSessionsOptions
}

/** Agents whose runs are durable. Created by {@link durableAgents}. */
export interface DurableAgents extends DurableAgentsOptions {
  /** Names of the agents: the keys of `agents`. */
  readonly names: readonly string[]
}

/**
 * Checks agents for durable runs, and returns them for an engine.
 *
 * Limits in durable runs: `timeBudgetMs` continues after a crash, and `toolTimeoutMs` starts again with the call.
 * Neither limit includes the time in which a run waits. A `timeout` layer around a recorded wait or a nested run takes
 * effect when the wait or the nested run has ended; `toolTimeoutMs` also limits nested runs. Nested runs that run at
 * the same time count each other's tokens only when they end, so together they can exceed `maxTokens`.
 *
 * The journal records the calls of a program of code mode together with the call of the program. Errors in outcomes
 * have no `cause`. If a tool has an asynchronous `payloadAdapter`, the event `call_started` has no `hint`.
 *
 * @throws {TypeError} if an option has the wrong type, if `agents` is empty, if a key is not the name of its agent, or
 * if an agent uses an agent that is missing. Also if `unknownOutcome` is neither a reaction nor a function that returns
 * one, if the name of a toolset is invalid or equals the name of an agent, or if a toolset calls an agent. Rethrows the
 * errors of the function `unknownOutcome`.
 * @throws {RangeError} if a limit in `sessions` is out of range.
 *
 * @example
 * const agents = durableAgents({ agents: { support, research }, env: () => ({ approval }) })
 */
export function durableAgents(options: DurableAgentsOptions): DurableAgents {
  requireObject('durableAgents: options', options, 'an object, for example { agents: { support } }')
  const { agents, env, unknownOutcome = 'fail' } = options
  requireObject('durableAgents: agents', agents, 'an object of registered agents, for example { support }')
  if (env !== undefined && typeof env !== 'function') {
    throw new TypeError(
      `durableAgents: env is ${shown(env)}. Expected a function that returns the env, for example () => ({ approval }).`,
    )
  }
  if (typeof unknownOutcome !== 'function' && !isUnknownOutcome(unknownOutcome)) {
    throw new TypeError(
      `durableAgents: unknownOutcome is ${shown(unknownOutcome)}. Expected 'fail', 'ask', 'repeat' or a function.`,
    )
  }
  const entries = Object.entries<unknown>(agents)
  if (entries.length === 0) throw new TypeError('durableAgents: `agents` is empty. Pass at least one registered agent.')
  for (const [name, agent] of entries) {
    if (!(agent instanceof BoundAgent)) {
      throw new TypeError(`durableAgents: agents.${name} must be a registered agent, for example registerSupport(...).`)
    }
    if (agent.agent.name !== name) {
      throw new TypeError(`durableAgents: agents.${name} is the agent '${agent.agent.name}'. Use its name as the key.`)
    }
    for (const { tool } of agent.runnable.target.table.served) {
      const used = agentOf(tool)
      if (used === undefined || Object.hasOwn(agents, used)) continue
      throw new TypeError(
        `durableAgents: the agent '${name}' uses the agent '${used}' (tool ${tool.id}), which is not in \`agents\`. Add it.`,
      )
    }
  }
  if (options.sessions !== undefined) {
    requireObject('durableAgents: sessions', options.sessions, 'an object, for example { conversation: true }')
  }
  sessionSettings(options.sessions)
  requireToolsets(options)
  return Object.freeze({
    ...options,
    unknownOutcome: typeof unknownOutcome === 'function' ? reactions(options, unknownOutcome) : unknownOutcome,
    agents: Object.freeze({ ...agents }),
    names: entries.map(([name]) => name),
  })
}

function requireToolsets({ agents, toolsets = {} }: DurableAgentsOptions): void {
  requireObject('durableAgents: toolsets', toolsets, 'an object that maps names to registered toolsets')
  for (const [name, toolset] of Object.entries<unknown>(toolsets)) {
    if (!(toolset instanceof BoundToolset)) {
      throw new TypeError(
        `durableAgents: toolsets.${name} must be a registered toolset, for example registerToolset(...).`,
      )
    }
    if (Object.hasOwn(agents, name) || name === '' || name.includes('.')) {
      throw new TypeError(
        `durableAgents: the toolset name '${name}' is ${Object.hasOwn(agents, name) ? 'also the name of an agent' : 'invalid'}. Use another name, without dots.`,
      )
    }
    const served = toolset.target.table.served.find(({ tool }) => agentOf(tool) !== undefined)
    if (served === undefined) continue
    throw new TypeError(
      `durableAgents: \`toolsets.${name}\` has the tool ${served.tool.id}, which calls an agent. Remove the toolset from \`toolsets\`, and let an agent in \`agents\` use it.`,
    )
  }
}

/** Returns the name of the agent whose runs produce the results of a tool; `undefined` for other tools. */
function agentOf(tool: BoundTool): string | undefined {
  const agent = agentServing(tool)
  return agent?.choosesTools === true ? undefined : agent?.descriptor.name
}

function isUnknownOutcome(value: unknown): value is UnknownOutcome {
  return value === 'fail' || value === 'ask' || value === 'repeat'
}

/**
 * Reads the reactions to unknown outcomes, once for each tool that must not run twice. Returns a function: tool → its
 * reaction.
 *
 * @throws {TypeError} if `unknownOutcome` returns another value. Rethrows its errors.
 */
function reactions(
  { agents, toolsets = {} }: DurableAgentsOptions,
  unknownOutcome: (tool: AgentToolSpec) => unknown,
): (tool: AgentToolSpec) => UnknownOutcome {
  const ofAgents = Object.values(agents).map(({ runnable }) => runnable.target)
  const targets = [...ofAgents, ...Object.values(toolsets).map(({ target }) => target)]
  const tools = targets.flatMap(({ table }) => table.served.map(({ tool }) => tool))
  const specs = tools.filter((tool) => agentOf(tool) === undefined && !isRepeatable(tool.spec)).map(({ spec }) => spec)
  const known = new Map(
    specs.map((spec) => {
      const reaction = unknownOutcome(spec)
      if (isUnknownOutcome(reaction)) return [spec, reaction]
      throw new TypeError(
        `durableAgents: unknownOutcome returned ${shown(reaction)} for the tool ${spec.id}. Expected 'fail', 'ask' or 'repeat'.`,
      )
    }),
  )
  return (tool) => known.get(tool) ?? 'fail'
}

/** @throws {TypeError} unless `agents` has the form of the result of {@link durableAgents}. */
export function requireDurableAgents(caller: string, agents: DurableAgents): void {
  const expected = 'the result of durableAgents({ agents: ... })'
  requireObject(`${caller}: agents`, agents, expected)
  const { names, agents: byName } = agents
  const isComplete = Array.isArray(names) && names.every((name) => byName?.[name] instanceof BoundAgent)
  if (!isComplete) throw new TypeError(`${caller}: agents is an object of another form. Expected ${expected}.`)
}

/**
 * Checks the arguments with which a client starts a run, and returns the input with which the engine starts it.
 *
 * @throws {TypeError} if an argument or an option has the wrong type, if JSON cannot represent `input` or `data`, or if `runId` is empty or
 * contains a slash.
 */
export function durableInput(agent: string, input: RunInput, options: DurableRunOptions = {}): DurableInput {
  requireString('start: agent', agent)
  requireInput(input)
  requireRunOptions(options)
  const { sessionId, turnId, labels, data } = options
  return {
    version: 1,
    agent,
    input,
    ...(sessionId !== undefined && { sessionId }),
    ...(turnId !== undefined && { turnId }),
    ...(labels !== undefined && { labels }),
    ...(data !== undefined && { data }),
  }
}

function requireInput(input: RunInput): void {
  if (typeof input === 'string') return
  const expected = 'Expected a string, an array of chat messages, or a chat request with `messages`.'
  const received: unknown = input
  if (typeof received !== 'object' || received === null) {
    throw new TypeError(`start: input is ${shown(received)}. ${expected}`)
  }
  requireJson('start: input', input, { skipsUndefined: true })
  try {
    readInput(input)
  } catch (cause) {
    throw new TypeError(`start: input has an invalid chat message, or no \`messages\`. ${expected}`, { cause })
  }
}

/**
 * Checks answers before an engine stores them.
 *
 * @throws {SuspensionError} `wrong_answers` if an answer matches no pending call of the suspension.
 */
export function requireAnswers(suspension: RunSuspension, answers: Answers): void {
  requireAnswersTo(suspension, answers)
}

/**
 * Executes one attempt of a run. Records each decision of the planner and each call with its layers; their recorded results are not computed
 * again. Run and step layers and hooks run in every attempt, so they must not have effects of their own.
 *
 * @returns the result of the run, also if the run failed or was cancelled
 * @throws {DurableError} as `runInvocation`.
 */
export async function durableRun(
  invocation: DurableInvocation,
  agents: DurableAgents,
  input: DurableInput,
): Promise<DurableResult> {
  requireVersion(input, invocation)
  const journal = new Journal(invocation, {
    runId: input.parent?.runId ?? invocation.id,
    eventsBefore: input.resume?.suspension.progress.events ?? 0,
    table: Object.hasOwn(agents.agents, input.agent) ? agents.agents[input.agent]?.runnable.target.table : undefined,
    unknownOutcome: (tool) => unknownOutcomeOf(agents, tool),
    collects: input.parent !== undefined,
  })
  return journal.whileFitting(new Attempt(journal, agents, input).run())
}

/** Returns the reaction to a call of a tool whose process ended before the result was recorded. */
export function unknownOutcomeOf({ unknownOutcome = 'fail' }: DurableAgents, tool: AgentToolSpec): UnknownOutcome {
  return typeof unknownOutcome === 'function' ? unknownOutcome(tool) : unknownOutcome
}

/**
 * Checks that this version of the package can read an input.
 *
 * @throws {DurableError} `newer_version`.
 */
export function requireVersion({ version }: Pick<DurableInput, 'version'>, { id }: DurableInvocation): void {
  if (version === 1) return
  const message = `The run '${id}' was started by a newer version of this package (format ${String(version)}). Update the package in this process.`
  throw new DurableError('newer_version', message, { runId: id })
}

/** One attempt of a durable run. The call of a session uses only {@link Attempt.context}. */
export class Attempt {
  readonly #journal: Journal
  readonly #agents: DurableAgents
  readonly #input: DurableInput

  constructor(journal: Journal, agents: DurableAgents, input: DurableInput) {
    this.#journal = journal
    this.#agents = agents
    this.#input = input
  }

  async run(): Promise<DurableResult> {
    const { input: start, resume, parent } = this.#input
    const journal = this.#journal
    const agent = this.#agent(this.#input.agent)
    const { version: _version, input: _input, resume: _resume, parent: _parent, ...facts } = this.#input
    const env = await journal.env(() => this.#agents.env?.(facts))
    await journal.start()
    const runnable = this.#runnable(agent.runnable)
    const options = this.#options(runnable, env)
    const nested = parent && this.#nested(parent, runnable)
    journal.addCalls(resume?.suspension.calls.map(({ toolCallId }) => toolCallId) ?? [])
    let run = await (resume === undefined
      ? startRun(runnable, start ?? '', options, nested)
      : resumeRun(runnable, resume, options, nested))
    while (run.suspension !== undefined && parent === undefined) {
      journal.publish()
      const { suspension } = run
      const answers = await journal.invocation.answer(suspension)
      // An answer can arrive after the cancellation.
      if (answers === undefined || journal.invocation.signal.aborted) {
        run = cancelledRun(run, runnable)
        const { status, stop } = run
        this.#eventScope(runnable, options).publish({ type: 'run_ended', status, stop })
      } else run = await resumeRun(runnable, { suspension, answers }, options)
    }
    journal.publish()
    return durableResult(run, runnable, journal, parent?.returnsEvents === true)
  }

  #agent(name: string): BoundAgent<any> {
    const { agents, names } = this.#agents
    const agent = Object.hasOwn(agents, name) ? agents[name] : undefined
    if (agent !== undefined) return agent
    const { id } = this.#journal.invocation
    throw new DurableError('unknown_agent', `This process has no agent '${name}'. It has: ${names.join(', ')}.`, {
      runId: id,
    })
  }

  /** Returns the agent with a context that uses the journal. */
  #runnable(agent: RunnableAgent): RunnableAgent {
    const { context: inner } = agent.target
    const target = agent.target.withContext(this.context(inner))
    const { parent, resume } = this.#input
    const timeLeftMs = parent?.timeLeftMs
    const spentMs = resume?.suspension.progress.elapsedMs ?? 0
    const policy =
      timeLeftMs === undefined ? agent.policy : joinPolicies(agent.policy, { timeBudgetMs: spentMs + timeLeftMs })
    // A replay must not spend the budgets again, and must find the same decisions.
    const budgets = allBudgets(
      ...(parent?.agents ?? []).map((name) => this.#agent(name).runnable.budgets),
      agent.budgets,
    )
    const planner = this.#journal.planner(budgetedPlanner(agent.planner, budgets), inner)
    return { ...agent, target, policy, planner, spendsBudgets: true }
  }

  /** Returns a context with which calls use the journal. */
  context(inner: CallContext): CallContext {
    const journal = this.#journal
    const runJournal: RunJournal = {
      inner,
      startRunTimer: (delayMs, action) => journal.startRunTimer(delayMs, action),
      sleep: (call, delayMs, signal) => journal.sleep(call, delayMs, signal),
      startCallTimer: (call, delayMs, action) => journal.startCallTimer(call, delayMs, action),
      nestedRun: (request) => this.#nestedRun(request),
    }
    return {
      ...inner,
      effects: journal,
      // The engine continues each suspension exactly once, and stores it where users cannot change it.
      claims: { claim: () => true },
      suspensions: undefined,
      journal: runJournal,
    }
  }

  #options({ target }: RunnableAgent, env: unknown): ResolvedOptions {
    const { sessionId, turnId, labels, parent } = this.#input
    const { signal, id } = this.#journal.invocation
    return resolveOptions({
      runId: parent?.runId ?? id,
      sessionId,
      turnId,
      labels,
      parentToolCallId: parent?.toolCallId,
      signal,
      env,
      config: runConfig().layer(this.#journal.layer(target)),
      onEvent: (event: Parameters<Journal['receive']>[0]) => this.#journal.receive(event),
    })
  }

  /** Returns the options of a run that produces the result of a call. */
  #nested(parent: DurableParent, { target }: RunnableAgent): NestedRunOptions {
    const { context } = target
    const { tokens, cost, tool, maxDepth, returnsEvents = false, sources = [] } = parent
    const caller = this.#agent(parent.agents.at(-1) ?? '')
    const called = caller.runnable.target.table.find(tool)?.tool
    const askAgain = called && askAgainFor(called)
    if (askAgain === undefined) {
      throw this.#journal.mismatch(`the tool '${tool}' of the agent '${caller.agent.name}' no longer calls an agent.`)
    }
    const spent = { promptTokens: tokens?.used ?? 0, completionTokens: 0, cost: cost?.used ?? 0 }
    const limits = {
      ...(tokens !== undefined && { maxTokens: tokens.limit }),
      ...(cost !== undefined && { maxCost: cost.limit }),
    }
    return {
      askAgain,
      observe: () => undefined,
      parent: {
        runtime: context.calls,
        config: undefined,
        agents: parent.agents.map((name) => this.#agent(name).agent),
        maxDepth,
        tokens: (tokens ?? cost) && new TokenLedger(limits, undefined, spent),
        budgets: allBudgets(...parent.agents.map((name) => this.#agent(name).runnable.budgets)),
        events: new EventScope(
          {},
          { now: () => this.#journal.now(), sinks: [(event) => this.#journal.receive(event)] },
        ),
        items: undefined,
        deepTracing: returnsEvents,
        confirm: undefined,
        redaction: undefined,
        approvals: undefined,
        sources: () => sources,
      },
    }
  }

  async #nestedRun({ agent, call, source, meta, deepTracing, parent }: NestedRunRequest): Promise<AgentRun> {
    const journal = this.#journal
    const { table } = this.#agent(agent).runnable.target
    const { sessionId, turnId, labels } = meta
    const { data, userId } = this.#input
    const result = await journal.nestedRun(call, (id) => {
      const timeLeftMs = journal.timeLeft(call)
      const { limit, costLimit } = parent.tokens ?? {}
      const sources = parent.sources()
      const input: DurableInput = {
        version: 1,
        agent,
        ...('input' in source
          ? { input: source.input }
          : { resume: { suspension: source.suspension, answers: source.answers } }),
        ...(sessionId !== undefined && { sessionId }),
        ...(turnId !== undefined && { turnId }),
        ...(data !== undefined && { data }),
        ...(userId !== undefined && { userId }),
        labels,
        parent: {
          runId: 'input' in source ? id : source.suspension.runId,
          agents: parent.agents.map(({ name }) => name),
          tool: call.tool,
          toolCallId: call.toolCallId,
          maxDepth: parent.maxDepth,
          ...(limit !== undefined && { tokens: limit }),
          ...(costLimit !== undefined && { cost: costLimit }),
          ...(timeLeftMs !== Number.POSITIVE_INFINITY && { timeLeftMs }),
          ...(deepTracing && { returnsEvents: true }),
          ...(sources.length > 0 && { sources }),
        },
      }
      return { agent, id, input }
    })
    try {
      return restoredRun(result, table)
    } catch (error) {
      throw journal.mismatch(error instanceof Error ? error.message : String(error))
    }
  }

  #eventScope({ descriptor }: RunnableAgent, { runId, sessionId, turnId }: ResolvedOptions): EventScope {
    const origin = { ...(runId !== undefined && { runId }), agent: descriptor.name }
    const ids = { ...(sessionId !== undefined && { sessionId }), ...(turnId !== undefined && { turnId }) }
    const journal = this.#journal
    return new EventScope(
      { ...origin, ...ids },
      { now: () => journal.now(), sinks: [(event) => journal.receive(event)] },
    )
  }
}

/** Returns a suspended run as cancelled. */
function cancelledRun(run: AgentRun, { descriptor }: RunnableAgent): AgentRun {
  const { runId, messages, outcomes, usage, suspension } = run
  const { durationMs, ...counts } = usage
  const runStart = suspension?.progress.runStart ?? 0
  const state: RunState = { ...counts, messages, outcomes, elapsedMs: durationMs, refused: 0, runStart }
  const meta = { runId, agent: descriptor.name, labels: {}, signal: AbortSignal.abort() }
  return endedRun(meta, state, [{ reason: 'cancelled' }])
}

function durableResult(run: AgentRun, { target }: RunnableAgent, journal: Journal, withEvents: boolean): DurableResult {
  const { outcomes, error, events: _events, ...others } = run
  const issues = error?.issues
  const { retryAfterMs } = classify(error?.cause, journal.now(), target.context)
  const result: DurableResult = {
    version: 1,
    ...others,
    outcomes: outcomes.map((outcome) => storedOutcome(target.table, outcome)),
    ...(error !== undefined && {
      error: {
        reason: error.reason,
        message: error.message,
        ...(issues !== undefined && { issues }),
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      },
    }),
    endedAt: journal.now(),
    ...(withEvents && { events: journal.collected }),
  }
  return JSON.parse(JSON.stringify(result))
}

/** Returns the run of a result that another process returned. */
function restoredRun(
  { outcomes, error, events = [], version: _version, endedAt: _at, ...others }: DurableResult,
  table: RunnableAgent['target']['table'],
): AgentRun {
  const { reason = 'internal', message = '', issues, retryAfterMs } = error ?? {}
  const thrown =
    retryAfterMs === undefined ? undefined : new ToolFailure(message, { reason, retryAfterMs } as FailureFacts)
  return {
    ...others,
    outcomes: outcomes.map((outcome) => restoredOutcome(table, outcome)),
    events,
    ...(error !== undefined && { error: toolError({ reason, message }, { reason, message, issues }, thrown) }),
  }
}
