import { setImmediate, setTimeout } from 'node:timers/promises'
import type { BoundAgent, BoundToolset } from '@toolgen/runtime'
import type { ChatMessage } from '@toolgen/runtime/chat'
import { deepEqual } from '@toolgen/runtime/schema'
import type { CallStart, RunRecord, RunStart, RunSummary, StartedCall, StartOptions } from './api.js'
import { type Catalogue, type ListedTool, READ_RESULT, type StudioTools } from './catalogue.js'
import { RequestError } from './errors.js'
import { messageProblems } from './messages.js'
import { type ContextOptions, type KnownTools, OwnAgentRun, OwnCall } from './own-run.js'
import { canRecord, RunCassette } from './run-cassette.js'
import {
  Listeners,
  Recording,
  type RecordLimits,
  type RunEvent,
  type RunFacts,
  shortened,
  statusOf,
} from './run-record.js'
import { hasWords, searchWords } from './search.js'

export interface RunLimits extends RecordLimits {
  readonly maxRuns: number
  readonly maxTotalBytes: number
}

export interface RunContext {
  readonly catalogue: Catalogue
  /** `tool` is `undefined` for a run of an agent. */
  readonly optionsOf: (tool: string | undefined) => Promise<ContextOptions>
}

const FAST_MS = 20

export class Runs {
  readonly #limits: RunLimits
  readonly #records = new Map<string, Recording>()
  readonly #own = new Map<string, OwnAgentRun | OwnCall>()
  /** A nested call has the record of the outermost call. Contains only running calls outside a run. */
  readonly #byCall = new Map<string, Recording>()
  /** A nested run has the record of the outermost run. */
  readonly #byRun = new Map<string, Recording>()
  /** The changes of all runs are numbered together. The map is sorted by number. */
  readonly #changes = new Map<string, number>()
  /** Contains only the latest removals. */
  readonly #removals = new Map<string, number>()
  #lastForgotten = 0
  #lastChange = 0
  readonly changes: Listeners = new Listeners()

  constructor(limits: RunLimits) {
    this.#limits = limits
  }

  get summaries(): readonly RunSummary[] {
    return [...this.#records.values()].map(({ summary }) => summary).reverse()
  }

  async search(search: string): Promise<readonly RunSummary[]> {
    const words = searchWords(search)
    const found: RunSummary[] = []
    for (const record of [...this.#records.values()].reverse()) {
      const { summary } = record
      if (hasWords(words, summary, record.contents())) found.push(summary)
      // Lets the process handle other requests, because a large run needs some time.
      await setImmediate()
    }
    return found
  }

  find(id: string): Recording {
    const record = this.#records.get(id)
    if (record !== undefined) return record
    throw new RequestError(
      404,
      `There is no run \`${id}\`.`,
      'The studio stores only the latest runs. Select one of the list.',
    )
  }

  own(id: string): OwnAgentRun | OwnCall {
    this.find(id)
    const own = this.#own.get(id)
    if (own !== undefined) return own
    throw new RequestError(
      409,
      `The application started the run \`${id}\`, so the studio can only observe it.`,
      'Start it again in the studio, for example on the page Chat.',
    )
  }

  cassette(id: string): string {
    const { record } = this.own(id)
    if (record.facts.kind === 'call') throw new RequestError(409, 'Only runs of agents have a cassette.')
    if (!record.isEnded) {
      throw new RequestError(409, `The run \`${id}\` has not ended.`, 'Request the cassette when the run has ended.')
    }
    if (record.cassette !== undefined) return record.cassette.text()
    const next = 'Install one version of `@toolgen/runtime`, so that the studio can record the run.'
    throw new RequestError(409, 'The agent and the studio use two copies of `@toolgen/runtime`.', next)
  }

  record(id: string): RunRecord {
    const { record } = this.find(id)
    try {
      this.cassette(id)
      return record
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      const { message, next } = error
      return { ...record, noCassette: { message, ...(next !== undefined && { next }) } }
    }
  }

  /** Waits up to {@link FAST_MS} for the end of the call, so that a client needs no second request for the outcome of a fast call. */
  async call(start: CallStart, context: RunContext): Promise<StartedCall> {
    const { tool: id, agent, arguments: sent } = start
    const tool = context.catalogue.tool(id, agent)
    const owner = callable(tool.owner)
    const facts = { kind: 'call', tool: tool.summary.id, title: '', before: [], earlier: [] } as const
    const options = withStart(await context.optionsOf(tool.spec.toolName), start)
    const ofAgent = tool.summary.agent === undefined ? {} : { agent: tool.summary.agent }
    const record = this.#ownRecord({ ...facts, ...ofAgent })
    const run = new OwnCall(owner, record, knownTools(context.catalogue), options)
    this.#own.set(record.facts.id, run)
    const waiting = new AbortController()
    const { signal } = waiting
    await Promise.race([run.start(sent), setTimeout(FAST_MS, undefined, { signal })])
    waiting.abort()
    const { text, isShortened } = record.record
    const ended = record.isEnded &&
      !isShortened && { ended: { parts: record.parts, ...(text !== undefined && { text }) } }
    return { run: record.facts.id, ...ended }
  }

  async run(start: RunStart, context: RunContext): Promise<string> {
    const { agent: name, input, after, replayOf } = start
    const agent = runnable(context.catalogue.agent(name), name)
    const [problem] = typeof input === 'string' ? [] : messageProblems(input)
    if (problem !== undefined) {
      throw new RequestError(400, `The messages are invalid. body/input${problem}`, 'See the types of the API.')
    }
    const last = typeof input === 'string' ? input : textOf(input.findLast(({ role }) => role === 'user'))
    const before = after === undefined ? undefined : this.#continued(after)
    const options = withSession(withStart(await context.optionsOf(undefined), start), before, () =>
      needsSession(agent, context.catalogue),
    )
    const own: readonly ChatMessage[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input
    const shown = [...(before?.record.messages ?? []), ...own]
    const all = [...(before?.conversation ?? []), ...own]
    const hasHidden = !deepEqual(withoutInstructions(shown), withoutInstructions(all))
    const otherScope = hasHidden ? before?.otherScope(agent, options) : undefined
    if (otherScope !== undefined) {
      const message = `The conversation can have values that only its own runtime and session hide, but ${otherScope}.`
      throw new RequestError(409, message, 'Start a new conversation.', 'cannot_continue')
    }
    const earlier =
      before === undefined || after === undefined
        ? []
        : [...before.record.facts.earlier, { run: after, messages: before.record.messages.length }]
    const facts = { kind: 'run', agent: name, title: shortened(last), before: shown, earlier } as const
    const record = this.#ownRecord({ ...facts, ...(replayOf !== undefined && { replayOf }) })
    if (canRecord(agent)) {
      record.cassette = new RunCassette(this.#limits.maxBytes, hasHidden)
    }
    const run = new OwnAgentRun(agent, record, knownTools(context.catalogue), options)
    this.#own.set(record.facts.id, run)
    run.start(all)
    return record.facts.id
  }

  cancelOwn(reason: string): void {
    for (const own of this.#own.values()) if (!own.record.isEnded) own.cancel(reason)
  }

  observe(event: RunEvent): void {
    const record = this.#recordOf(event)
    if (record === undefined || record.facts.isOwn) return
    record.addEvent(event)
    const { id, kind } = record.facts
    if (kind === 'run' && event.runId === id) {
      if (event.type === 'run_ended') record.setState(event.status)
      else if (record.isEnded) record.setState('running')
    }
    if (kind === 'call' && event.type === 'call_ended' && event.call.toolCallId === id) {
      record.setState(statusOf(event.outcome))
    }
  }

  /** `summary` is `undefined` if the change removed the run. */
  changeAfter(
    after: number,
  ): { readonly number: number; readonly id: string; readonly summary: RunSummary | undefined } | undefined {
    const [changed, removed] = [this.#changes, this.#removals].map((numbers) =>
      [...numbers].find(([, number]) => number > after),
    )
    const [id, number] =
      [changed, removed].flatMap((each) => (each === undefined ? [] : [each])).sort(byNumber)[0] ?? []
    if (id === undefined || number === undefined) return undefined
    return { number, id, summary: this.#records.get(id)?.summary }
  }

  /** Number of the last removal that `#removals` no longer contains, so that {@link Runs.changeAfter} cannot return it. */
  get lastForgotten(): number {
    return this.#lastForgotten
  }

  get lastChange(): number {
    return this.#lastChange
  }

  #continued(after: string): OwnAgentRun {
    const { isEnded } = this.find(after)
    const before = this.#own.get(after)
    if (before instanceof OwnAgentRun && before.conversation !== undefined && isEnded) return before
    const message = `The run \`${after}\` has no conversation that can be continued (after).`
    const next = 'Name an ended run of an agent that the studio started, or start a new conversation.'
    throw new RequestError(409, message, next, 'cannot_continue')
  }

  #ownRecord(facts: Omit<RunFacts, 'id' | 'isOwn'>): Recording {
    const running = [...this.#own.values()].filter(({ record }) => !record.isEnded)
    const next = 'Answer or cancel some of them.'
    if (running.length >= this.#limits.maxRuns) {
      throw new RequestError(429, `${running.length} runs of the studio have not ended.`, next)
    }
    const bytes = running.reduce((sum, { record }) => sum + this.#bytesOf(record), 0)
    if (bytes > this.#limits.maxTotalBytes) {
      throw new RequestError(429, `The runs of the studio that have not ended need ${bytes} bytes.`, next)
    }
    const id = crypto.randomUUID()
    const record = this.#record({ ...facts, id, isOwn: true })
    if (facts.kind === 'run') this.#byRun.set(id, record)
    else this.#byCall.set(id, record)
    return record
  }

  #record(facts: RunFacts): Recording {
    const record = new Recording(facts, this.#limits, (changed) => this.#onChange(changed))
    this.#records.set(facts.id, record)
    this.#removals.delete(facts.id)
    this.#onChange(record)
    return record
  }

  #recordOf(event: RunEvent): Recording | undefined {
    const record = this.#knownRecord(event)
    if (record === undefined) return undefined
    if (event.runId !== undefined) this.#byRun.set(event.runId, record)
    else if (event.type === 'call_started') this.#byCall.set(event.call.toolCallId, record)
    else if (event.type === 'call_ended' && event.outcome.status !== 'suspended') {
      this.#byCall.delete(event.call.toolCallId)
    }
    return record
  }

  #knownRecord(event: RunEvent): Recording | undefined {
    const { runId, agent, parentRunId, parentToolCallId = '' } = event
    const ofParent = parentRunId === undefined ? this.#byCall.get(parentToolCallId) : this.#byRun.get(parentRunId)
    const named = agent === undefined ? {} : { agent }
    if (runId !== undefined) {
      const known = this.#byRun.get(runId) ?? ofParent
      return (
        known ?? this.#record({ id: runId, kind: 'run', ...named, title: '', isOwn: false, before: [], earlier: [] })
      )
    }
    if (!('call' in event) || event.call === undefined) return undefined
    const { tool, toolCallId } = event.call
    const known = this.#byCall.get(toolCallId) ?? ofParent
    if (known !== undefined || event.type !== 'call_started') return known
    this.#remove(toolCallId, 'A later call has the id of this call.')
    return this.#record({
      id: toolCallId,
      kind: 'call',
      ...named,
      tool,
      title: '',
      isOwn: false,
      before: [],
      earlier: [],
    })
  }

  #onChange(record: Recording): void {
    const { id } = record.facts
    // Ignores events for a removed record.
    if (this.#records.get(id) !== record) return
    this.#lastChange += 1
    this.#changes.delete(id)
    this.#changes.set(id, this.#lastChange)
    this.changes.call()
    this.#evict(record)
  }

  #evict(changed: Recording): void {
    const { maxRuns, maxTotalBytes } = this.#limits
    let bytes = [...this.#records.values()].reduce((sum, record) => sum + this.#bytesOf(record), 0)
    // Keeps the newest record, which will receive events, and the changed record, so that clients receive the end of its run.
    for (const [id, record] of [...this.#records].slice(0, -1)) {
      if (this.#records.size <= maxRuns && bytes <= maxTotalBytes) return
      if (record === changed || (record.facts.isOwn && !record.isEnded)) continue
      bytes -= this.#bytesOf(record)
      this.#remove(
        id,
        `The studio keeps at most ${maxRuns} runs and ${sizeText(maxTotalBytes)}, so it discarded this run.`,
      )
    }
  }

  #bytesOf(record: Recording): number {
    return record.bytes + (this.#own.get(record.facts.id)?.bytes ?? 0)
  }

  #remove(id: string, reason: string): void {
    const record = this.#records.get(id)
    if (record === undefined) return
    this.#records.delete(id)
    this.#own.delete(id)
    this.#changes.delete(id)
    for (const ids of [this.#byCall, this.#byRun]) {
      for (const [key, value] of ids) if (value === record) ids.delete(key)
    }
    record.remove(reason)
    this.#lastChange += 1
    this.#removals.set(id, this.#lastChange)
    const [oldest] = this.#removals
    if (oldest !== undefined && this.#removals.size > this.#limits.maxRuns) {
      const [forgotten, number] = oldest
      this.#removals.delete(forgotten)
      this.#lastForgotten = number
    }
    this.changes.call()
  }
}

const MIB = 1024 * 1024

function sizeText(bytes: number): string {
  return bytes % MIB === 0 ? `${bytes / MIB} MiB` : `${bytes} bytes`
}

function byNumber([, one]: readonly [string, number], [, other]: readonly [string, number]): number {
  return one - other
}

function withStart(options: ContextOptions, { sessionId, labels }: StartOptions): ContextOptions {
  const ofContext = options.labels ?? {}
  return {
    ...options,
    sessionId: options.sessionId ?? sessionId,
    // Passes invalid labels of the application to the run, which reports the error.
    labels: typeof ofContext === 'object' ? { ...labels, ...ofContext } : ofContext,
  }
}

/**
 * All runs of a conversation need one session id, because they then replace equal sensitive values with the same pseudonym, such as
 * `email_0f3c5a7b9d1e@redacted.invalid`. Adds no id if a tool needs an id that only the application knows.
 */
function withSession(
  options: ContextOptions,
  before: OwnAgentRun | undefined,
  isNeeded: () => boolean,
): ContextOptions {
  if (options.sessionId !== undefined || isNeeded()) return options
  return { ...options, sessionId: before?.sessionId ?? crypto.randomUUID() }
}

function needsSession({ specs }: BoundAgent<any>, catalogue: Catalogue): boolean {
  const needed = specs.filter(({ id }) => id !== READ_RESULT).map(({ id }) => catalogue.specsOf(id))
  return needed.some(
    (each) => each?.some(({ serverOwned }) => serverOwned.some(({ from }) => from === 'sessionId')) ?? true,
  )
}

function withoutInstructions(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return messages.filter(({ role }) => role !== 'system' && role !== 'developer')
}

function callable(owner: StudioTools): BoundAgent<any> | BoundToolset<any> {
  if ('execute' in owner) return owner
  throw notCallable()
}

function runnable(owner: StudioTools, name: string): BoundAgent<any> {
  if ('run' in owner && owner.canRun) return owner
  if ('run' in owner) {
    const next = 'Register it with a planner or a model: `{ planner, toolsets }`.'
    throw new RequestError(409, `The agent \`${name}\` has no planner, so it cannot run.`, next)
  }
  if ('execute' in owner) throw new RequestError(409, `\`${name}\` is a toolset, so it cannot run.`)
  throw notCallable()
}

function notCallable(): RequestError {
  const next = 'Set `module` in the configuration, or use `toolgen dev src/tools.ts`.'
  return new RequestError(409, 'The project has no module, so nothing can be called.', next)
}

function knownTools(catalogue: Catalogue): KnownTools {
  const find = (id: string, agent: string | undefined): ListedTool | undefined =>
    catalogue.tools.find(({ summary }) => summary.id === id && summary.agent === agent)
  return {
    specOf: (id, agent) => find(id, agent)?.spec,
    async issueOf(id, agent, sent) {
      const tool = find(id, agent)
      if (tool === undefined) return undefined
      const { isValid, text } = await catalogue.validate(tool, sent)
      return isValid ? undefined : text
    },
  }
}

function textOf(message: ChatMessage | undefined): string {
  const content = message?.content
  if (typeof content === 'string') return content
  const text = content?.find((part) => part.type === 'text')
  return text !== undefined && 'text' in text ? text.text : ''
}
