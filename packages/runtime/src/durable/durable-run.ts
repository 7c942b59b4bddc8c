import { BoundAgent } from '../agents/bound-agent.js'
import { requireAnswersTo, restoredOutcome } from '../agents/resume.js'
import { endedRun } from '../agents/run-result.js'
import { type NestedRunOptions, type RunnableAgent, readInput, resumeRun, startRun } from '../agents/start-run.js'
import { storedOutcome } from '../agents/stored-outcome.js'
import { isRepeatable, type RunJournal } from '../call/call-context.js'
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

/** Options of {@link durableAgents}. */
export interface DurableAgentsOptions {
  /** Registered agents, by name. Must contain every agent that another one uses. */
  readonly agents: Readonly<Record<string, BoundAgent<any>>>
  /** Returns the `env` of a run. Called at the start of each attempt. Default: no `env`. */
  readonly env?: (input: Omit<DurableInput, 'version' | 'input' | 'resume' | 'parent'>) => unknown
  /**
   * Reaction to a call whose process ended before its result was recorded. Only for tools that may not run twice: they are neither
   * `readOnly` nor `idempotent`, and have no server-owned `idempotencyKey`. `fail`: the call fails with the reason `unknown_outcome`.
   * `ask`: the run is suspended, and `approve` runs the tool again. `repeat`: the tool runs again. Default: `fail`. A function is called
   * by `durableAgents`, once for each of these tools.
   */
  readonly unknownOutcome?: UnknownOutcome | ((tool: AgentToolSpec) => UnknownOutcome)
}

/** Agents whose runs are durable. Created by {@link durableAgents}. */
export interface DurableAgents extends DurableAgentsOptions {
  /** Names of the agents. */
  readonly names: readonly string[]
}

/**
 * Checks agents for durable runs, and returns them for an engine.
 *
 * @throws {TypeError} if an option has the wrong type, if a key is not the name of its agent, or if an agent uses an agent that is missing.
 * Rethrows the errors of the function `unknownOutcome`.
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
  const reactions = new Map<AgentToolSpec, UnknownOutcome>()
  for (const [name, agent] of entries) {
    if (!(agent instanceof BoundAgent)) {
      throw new TypeError(`durableAgents: agents.${name} must be a registered agent, for example registerSupport(...).`)
    }
    if (agent.agent.name !== name) {
      throw new TypeError(`durableAgents: agents.${name} is the agent '${agent.agent.name}'. Use its name as the key.`)
    }
    for (const { tool } of agent.runnable.target.table.served) {
      const serving = agentServing(tool)
      if (serving === undefined || serving.choosesTools === true) {
        if (typeof unknownOutcome === 'function' && !isRepeatable(tool.spec)) {
          reactions.set(tool.spec, reactionTo(tool.spec, unknownOutcome))
        }
        continue
      }
      const used = serving.descriptor.name
      if (Object.hasOwn(agents, used)) continue
      throw new TypeError(
        `durableAgents: the agent '${name}' uses the agent '${used}' (tool ${tool.id}), which is not in \`agents\`. Add it.`,
      )
    }
  }
  return Object.freeze({
    ...options,
    unknownOutcome:
      typeof unknownOutcome === 'function' ? (tool: AgentToolSpec) => reactions.get(tool) ?? 'fail' : unknownOutcome,
    agents: Object.freeze({ ...agents }),
    names: entries.map(([name]) => name),
  })
}

function isUnknownOutcome(value: unknown): value is UnknownOutcome {
  return value === 'fail' || value === 'ask' || value === 'repeat'
}

function reactionTo(tool: AgentToolSpec, unknownOutcome: (tool: AgentToolSpec) => unknown): UnknownOutcome {
  const reaction = unknownOutcome(tool)
  if (isUnknownOutcome(reaction)) return reaction
  throw new TypeError(
    `durableAgents: unknownOutcome returned ${shown(reaction)} for the tool ${tool.id}. Expected 'fail', 'ask' or 'repeat'.`,
  )
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
    throw new TypeError(`start: input contains an invalid chat message, or no messages. ${expected}`, { cause })
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
 * Executes a run in one attempt of a durable invocation. Engines call it again with the same input after a crash. Records each decision of
 * the planner and each call with its layers; their recorded results are not computed again. Run and step layers and hooks run in every
 * attempt, so they must not have effects of their own.
 *
 * @returns the result of the run, also if the run failed or was cancelled
 * @throws {DurableError} `journal_mismatch` if the journal does not fit the code, `newer_version` if a newer version of this package wrote
 * it, `unknown_agent` if the agent is not in `agents`.
 *
 * @example
 * const handler = (context: EngineContext, input: DurableInput) => durableRun(invocationOf(context), agents, input)
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
    unknownOutcome: (tool) => {
      const { unknownOutcome = 'fail' } = agents
      return typeof unknownOutcome === 'function' ? unknownOutcome(tool) : unknownOutcome
    },
    collects: input.parent !== undefined,
  })
  return journal.whileFitting(new Attempt(journal, agents, input).run())
}

function requireVersion({ version }: DurableInput, { id }: DurableInvocation): void {
  if (version === 1) return
  const message = `The run '${id}' was started by a newer version of this package (format ${String(version)}). Update the package in this process.`
  throw new DurableError('newer_version', message, { runId: id })
}

/** One attempt of a durable run. */
class Attempt {
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
    const env = await this.#agents.env?.(facts)
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
    const journal = this.#journal
    const runJournal: RunJournal = {
      inner,
      startRunTimer: (delayMs, action) => journal.startRunTimer(delayMs, action),
      sleep: (call, delayMs, signal) => journal.sleep(call, delayMs, signal),
      startCallTimer: (call, delayMs, action) => journal.startCallTimer(call, delayMs, action),
      nestedRun: (request) => this.#nestedRun(request),
    }
    const target = agent.target.withContext({
      ...inner,
      effects: journal,
      // The engine continues each suspension exactly once, and stores it where users cannot change it.
      claims: { claim: () => true },
      suspensions: undefined,
      journal: runJournal,
    })
    const { parent, resume } = this.#input
    const timeLeftMs = parent?.timeLeftMs
    const spentMs = resume?.suspension.progress.elapsedMs ?? 0
    const policy =
      timeLeftMs === undefined ? agent.policy : joinPolicies(agent.policy, { timeBudgetMs: spentMs + timeLeftMs })
    return { ...agent, target, policy, planner: journal.planner(agent.planner, inner) }
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
    const { tokens, tool, maxDepth, returnsEvents = false } = parent
    const caller = this.#agent(parent.agents.at(-1) ?? '')
    const called = caller.runnable.target.table.find(tool)?.tool
    const askAgain = called && askAgainFor(called)
    if (askAgain === undefined) {
      throw this.#journal.mismatch(`the tool '${tool}' of the agent '${caller.agent.name}' no longer calls an agent.`)
    }
    const spent = { promptTokens: tokens?.used ?? 0, completionTokens: 0 }
    return {
      askAgain,
      observe: () => undefined,
      parent: {
        runtime: context.calls,
        config: undefined,
        agents: parent.agents.map((name) => this.#agent(name).agent),
        maxDepth,
        tokens: tokens && new TokenLedger(tokens.limit, undefined, spent),
        events: new EventScope(
          {},
          { now: () => this.#journal.now(), sinks: [(event) => this.#journal.receive(event)] },
        ),
        items: undefined,
        deepTracing: returnsEvents,
        confirm: undefined,
      },
    }
  }

  async #nestedRun({ agent, call, source, meta, deepTracing, parent }: NestedRunRequest): Promise<AgentRun> {
    const journal = this.#journal
    const { table } = this.#agent(agent).runnable.target
    const { sessionId, turnId, labels } = meta
    const { data } = this.#input
    const result = await journal.nestedRun(call, (id) => {
      const timeLeftMs = journal.timeLeft(call)
      const limit = parent.tokens?.limit
      const input: DurableInput = {
        version: 1,
        agent,
        ...('input' in source
          ? { input: source.input }
          : { resume: { suspension: source.suspension, answers: source.answers } }),
        ...(sessionId !== undefined && { sessionId }),
        ...(turnId !== undefined && { turnId }),
        ...(data !== undefined && { data }),
        labels,
        parent: {
          runId: 'input' in source ? id : source.suspension.runId,
          agents: parent.agents.map(({ name }) => name),
          tool: call.tool,
          toolCallId: call.toolCallId,
          maxDepth: parent.maxDepth,
          ...(limit !== undefined && { tokens: limit }),
          ...(timeLeftMs !== Number.POSITIVE_INFINITY && { timeLeftMs }),
          ...(deepTracing && { returnsEvents: true }),
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
