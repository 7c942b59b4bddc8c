import type { BoundAgent } from '../agents/bound-agent.js'
import { budgetedPlanner } from '../agents/model-cost.js'
import { requireAnswersTo, restoredOutcome } from '../agents/resume.js'
import { endedRun } from '../agents/run-result.js'
import {
  allBudgets,
  answersProblem,
  type NestedRunOptions,
  type RunnableAgent,
  readInput,
  resumeRun,
  startRun,
} from '../agents/start-run.js'
import { storedOutcome } from '../agents/stored-outcome.js'
import type { CallContext, RunJournal } from '../call/call-context.js'
import { type ResolvedOptions, resolveOptions } from '../call/call-target.js'
import { classify } from '../call/classify.js'
import { EventScope } from '../call/events.js'
import { type NestedRunRequest, TokenLedger } from '../call/nested-run.js'
import { joinPolicies, runConfig } from '../call/run-config.js'
import { toolError } from '../call/tool-error.js'
import { ToolFailure } from '../call/tool-failure.js'
import { askAgainFor } from '../executors/agent-toolset.js'
import type { FailureFacts } from '../types/failure.js'
import type { Answers, PendingCall, RunSuspension } from '../types/outcome.js'
import type { AgentRun, RunInput, RunState } from '../types/run.js'
import { requireJson, requireRunOptions, requireString, shown } from './arguments.js'
import { type DurableAgents, unknownOutcomeOf } from './durable-agents.js'
import {
  DurableError,
  type DurableInput,
  type DurableInvocation,
  type DurableParent,
  type DurableResult,
  type DurableRunOptions,
} from './engine.js'
import { Journal } from './journal.js'
import { type JournalRedaction, journalRedaction } from './journal-redaction.js'
import { RunApprovals } from './running-call.js'

/**
 * Validates the arguments for the start of a run, and returns the input for the engine.
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
 * Validates answers before an engine stores them.
 *
 * @throws {SuspensionError} `wrong_answers` if an answer does not match a pending call of the suspension.
 */
export function requireAnswers(suspension: RunSuspension, answers: Answers): void {
  requireAnswersTo(suspension, answers)
}

/**
 * Layers and hooks around the run, or around a decision of the planner with its calls, execute in every attempt. These layers and hooks must
 * therefore not have side effects.
 *
 * @throws {DurableError} the same errors as `runInvocation`.
 */
export async function durableRun(
  invocation: DurableInvocation,
  agents: DurableAgents,
  input: DurableInput,
): Promise<DurableResult> {
  requireVersion(input, invocation)
  const session = sessionOf(input)
  const runId = input.parent?.runId ?? invocation.id
  const target = Object.hasOwn(agents.agents, input.agent) ? agents.agents[input.agent]?.runnable.target : undefined
  const redaction = target && journalRedaction(target.context, runId, input.sessionId)
  const journal = new Journal(invocation, {
    runId,
    eventsBefore: input.resume?.suspension.progress.events ?? 0,
    table: target?.table,
    unknownOutcome: (tool) => unknownOutcomeOf(agents, tool),
    collects: input.parent !== undefined,
    session,
    redaction,
  })
  return journal.whileFitting(new Attempt(journal, agents, input, { approvals: session?.approvals, redaction }).run())
}

export function sessionOf({
  sessionId,
  userId,
  approvals = [],
}: Pick<DurableInput, 'sessionId' | 'userId' | 'approvals'>):
  | { readonly id: string; readonly approvals: RunApprovals }
  | undefined {
  if (sessionId === undefined || userId === undefined) return undefined
  return { id: sessionId, approvals: new RunApprovals(approvals) }
}

export function requireVersion({ version }: Pick<DurableInput, 'version'>, { id }: DurableInvocation): void {
  if (version === 1) return
  const message = `The run '${id}' was started by a newer version of this package (format ${String(version)}). Update the package in this process.`
  throw new DurableError('newer_version', message, { runId: id })
}

interface AttemptState {
  readonly approvals: RunApprovals | undefined
  readonly redaction: JournalRedaction | undefined
}

export class Attempt {
  readonly #journal: Journal
  readonly #agents: DurableAgents
  readonly #input: DurableInput
  readonly #approvals: RunApprovals | undefined
  readonly #redaction: JournalRedaction | undefined

  constructor(journal: Journal, agents: DurableAgents, input: DurableInput, { approvals, redaction }: AttemptState) {
    this.#journal = journal
    this.#agents = agents
    this.#input = input
    this.#approvals = approvals
    this.#redaction = redaction
  }

  async run(): Promise<DurableResult> {
    const { parent } = this.#input
    const redaction = this.#redaction
    const { input: start, resume } =
      redaction === undefined ? this.#input : await redaction.restore(dataOf(this.#input))
    const journal = this.#journal
    const agent = this.#agent(this.#input.agent)
    const {
      version: _version,
      input: _input,
      resume: _resume,
      parent: _parent,
      approvals: _approvals,
      sensitive: _sensitive,
      ...facts
    } = this.#input
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
      const { suspension } = run
      const answers = await this.#validAnswers(runnable, suspension, options)
      if (answers === undefined) {
        run = cancelledRun(run, runnable)
        const { status, stop } = run
        this.#eventScope(runnable, options).publish({ type: 'run_ended', status, stop })
      } else run = await resumeRun(runnable, { suspension, answers }, options)
    }
    journal.publish()
    const result = durableResult(run, runnable, journal, parent?.returnsEvents === true)
    if (parent === undefined) {
      // Later runs of the session need the pseudonyms in its messages.
      if (redaction === undefined || this.#approvals === undefined) return result
      return { ...result, ...(await redaction.hideFully({})) }
    }
    const approvals = this.#approvals?.added ?? []
    const hidden = redaction === undefined ? result : await redaction.hideFully(result)
    return approvals.length === 0 ? hidden : { ...hidden, approvals }
  }

  /** Invalid answers, for example invalid arguments from an approver, suspend the run again with a new suspension id. */
  async #validAnswers(
    agent: RunnableAgent,
    suspension: RunSuspension,
    options: ResolvedOptions,
  ): Promise<Answers | undefined> {
    const { invocation } = this.#journal
    for (let asked = suspension; ; ) {
      this.#journal.publish()
      const answers = await invocation.answer(asked)
      // An answer can arrive after the cancellation.
      if (answers === undefined || invocation.signal.aborted) return undefined
      const problem = await answersProblem(agent, { suspension, answers }, options)
      if (problem === undefined) return answers
      asked = askedAgain(suspension, { id: this.#journal.newId('suspension'), answers, problem })
    }
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
    const options = resolveOptions({
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
    return { ...options, approvals: this.#approvals }
  }

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
        runId: parent.parentRunId,
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
        nestedItems: undefined,
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
    const result = await journal.nestedRun(call, async (id) => {
      const timeLeftMs = journal.timeLeft(call)
      const { limit, costLimit } = parent.tokens ?? {}
      const sources = parent.sources()
      const { approvals = [] } = this.#approvals ?? {}
      const plain =
        'input' in source
          ? { input: source.input }
          : { resume: { suspension: source.suspension, answers: source.answers } }
      const input: DurableInput = {
        version: 1,
        agent,
        ...(this.#redaction === undefined ? plain : await this.#redaction.hideFully(plain)),
        ...(sessionId !== undefined && { sessionId }),
        ...(turnId !== undefined && { turnId }),
        ...(data !== undefined && { data }),
        ...(userId !== undefined && { userId }),
        ...(approvals.length > 0 && { approvals }),
        labels,
        parent: {
          runId: 'input' in source ? id : source.suspension.runId,
          ...(parent.runId !== undefined && { parentRunId: parent.runId }),
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

function dataOf({ input, resume, sensitive }: DurableInput): Pick<DurableInput, 'input' | 'resume' | 'sensitive'> {
  return {
    ...(input !== undefined && { input }),
    ...(resume !== undefined && { resume }),
    ...(sensitive !== undefined && { sensitive }),
  }
}

function askedAgain(
  suspension: RunSuspension,
  { id, answers, problem }: { readonly id: string; readonly answers: Answers; readonly problem: string },
): RunSuspension {
  const pending = suspension.pending.map((each): PendingCall => {
    if (!Object.hasOwn(Object(answers), each.id)) return each
    return { ...each, prompt: each.prompt === undefined ? problem : `${each.prompt} ${problem}` }
  })
  return { ...suspension, id, pending }
}

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

function restoredRun(
  {
    outcomes,
    error,
    events = [],
    version: _version,
    endedAt: _at,
    approvals: _approvals,
    sensitive: _sensitive,
    ...others
  }: DurableResult,
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
