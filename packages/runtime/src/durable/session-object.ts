import { readInput } from '../agents/start-run.js'
import { storedOutcome } from '../agents/stored-outcome.js'
import { withApproval, withoutApprovals } from '../call/approvals.js'
import { rejectCall } from '../call/execute.js'
import { ToolFailure } from '../call/tool-failure.js'
import { Conversation, continued, requireNewMessages, withoutInstructions } from '../sessions/conversation.js'
import { entrySize, KeptEntries, outcomeSize } from '../sessions/entries.js'
import { requireMatch, sessionRequest } from '../sessions/session-request.js'
import { NamespaceTools, type SessionTools } from '../sessions/session-tools.js'
import { SessionError, unknownSession } from '../sessions/stores.js'
import { acknowledgement, droppedResult, failedBySession, fullMessage } from '../sessions/streaming-call.js'
import type { JsonValue, Mutable } from '../types/json.js'
import type { SessionCompletion, SessionEntry, StoredMessage } from '../types/session.js'
import type { DurableAgents } from './durable-agents.js'
import { type DurableCall, DurableError, type DurableInput } from './engine.js'
import {
  activeRun,
  callInvocation,
  ENDED,
  errorReply,
  type KeptReference,
  type KeptTuple,
  keptOf,
  MESSAGES,
  RECORD,
  readEntries,
  readRecord,
  requireRecord,
  type SessionReader,
  type SessionRecord,
  type SessionReply,
  segmentKey,
} from './session-record.js'
import { type SessionCommand, type SessionMessage, type SessionSettings, sessionSettings } from './session-types.js'

/**
 * Access to the state of one session in an engine. The engine executes the commands of a session one after another, on any machine. The changes that
 * a command makes and the invocations that it starts take effect together and exactly once, even after a crash.
 */
export interface SessionObject extends SessionReader {
  /** Sets the value of a key in the state of the session. `undefined` removes the key. */
  set(key: string, value: JsonValue | undefined): void
  /**
   * Starts an invocation. Has no effect if an invocation with this id was started before.
   *
   * @returns handle for `cancel`
   */
  start(id: string, input: DurableInput | DurableCall): Promise<string>
  /** Cancels an invocation and its nested runs. The handle is the result of `start`. Has no effect if the invocation has ended. */
  cancel(handle: string): void
  /** Notifies the clients that wait for new entries of the session. The clients then send a new read request. */
  changed(): void
}

const MAX_LOG_ENTRIES = 1_000

/** Maximum number of stored ids of ended calls and runs. A repeated request with a stored id does not start the call or run again. */
const MAX_ENDED = 1_000

const toolsOfAgents = new WeakMap<object, NamespaceTools>()

export function toolsOfSession(agents: DurableAgents, namespaces: readonly string[]): SessionTools {
  const all = namespaceTools(agents)
  return all.of(namespaces.filter((namespace) => all.has(namespace)))
}

function namespaceTools({ agents, toolsets = {} }: DurableAgents): NamespaceTools {
  let tools = toolsOfAgents.get(agents)
  if (tools === undefined) {
    tools = new NamespaceTools({ ...agents, ...toolsets })
    toolsOfAgents.set(agents, tools)
  }
  return tools
}

/**
 * Executes a command of a client, or a message of an invocation. Engines call this function for each command of a session, one after another.
 *
 * @returns the reply to the client; for messages, the reply has no content
 * @throws an error if the engine must execute the command again later, for example because a newer version of this package stored the session
 */
export async function sessionCommand(
  object: SessionObject,
  agents: DurableAgents,
  command: SessionCommand | SessionMessage,
): Promise<SessionReply> {
  if (!('userId' in command)) {
    // A message that fails must not be lost: the engine repeats it.
    const stored = await readRecord(object)
    if (stored !== undefined) await new OpenedSession(object, agents, stored).receive(command)
    return { value: null }
  }
  try {
    const stored = await readRecord(object)
    if (command.kind === 'open') return { value: opened(object, agents, stored, command) }
    const session = new OpenedSession(object, agents, requireRecord(object.id, stored, command.userId))
    return { value: (await session.execute(command)) as JsonValue }
  } catch (error) {
    return errorReply(error)
  }
}

function opened(
  object: SessionObject,
  agents: DurableAgents,
  stored: SessionRecord | undefined,
  { userId, namespaces }: Extract<SessionCommand, { kind: 'open' }>,
): JsonValue {
  const request = sessionRequest(object.id, userId, namespaces)
  if (stored !== undefined) requireMatch(stored, request)
  else if (request.namespaces === undefined) throw unknownSession(object.id, 'stored')
  if (request.namespaces !== undefined) namespaceTools(agents).of(request.namespaces)
  const record: SessionRecord = stored ?? {
    ...{ version: 1, userId, namespaces: request.namespaces ?? [], nextSequence: 1, lastEntry: 0, expired: 0 },
    ...{ nextSegment: 1, calls: [], runs: [], segments: [], kept: [], isClosed: false },
  }
  if (stored === undefined || stored.isClosed)
    object.set(RECORD, { ...record, isClosed: false } as unknown as JsonValue)
  return { namespaces: record.namespaces }
}

class OpenedSession {
  readonly #object: SessionObject
  readonly #agents: DurableAgents
  readonly #settings: SessionSettings
  readonly #record: SessionRecord
  readonly #kept: KeptEntries<KeptReference>

  constructor(object: SessionObject, agents: DurableAgents, record: SessionRecord) {
    this.#object = object
    this.#agents = agents
    this.#settings = sessionSettings(agents.sessions)
    this.#record = { ...record }
    this.#kept = new KeptEntries(this.#settings, keptOf(record), ({ size }) => size)
  }

  async execute(command: Exclude<SessionCommand, { kind: 'open' }>): Promise<unknown> {
    const record = this.#record
    switch (command.kind) {
      case 'execute':
        return this.#execute(command)
      case 'run':
        return this.#run(command)
      case 'consume':
        return this.#consume(command.isCompleted)
      case 'cancel': {
        const call = record.calls.find(({ callId }) => callId === command.callId)
        if (call === undefined) return null
        this.#object.cancel(call.handle)
        return { invocation: callInvocation(this.#object.id, command.callId) }
      }
      case 'release':
        return this.#release(command)
      case 'clear messages':
        if (this.#activeRun !== undefined) return { inProgress: this.#activeRun }
        this.#object.set(MESSAGES, undefined)
        return null
      case 'forget approvals':
        record.approvals = withoutApprovals(record.approvals ?? [], command.tool)
        this.#save()
        return null
      case 'close':
        if (command.cancel) this.#cancelAll()
        record.isClosed = true
        this.#save()
        this.#object.changed()
        return null
      case 'delete':
        this.#cancelAll()
        this.#object.set(RECORD, undefined)
        this.#object.set(MESSAGES, undefined)
        this.#object.set(ENDED, undefined)
        for (const { id } of record.segments) this.#object.set(segmentKey(id), undefined)
        this.#object.changed()
        return null
    }
  }

  async #release({ id, at }: Extract<SessionCommand, { kind: 'release' }>): Promise<null> {
    const record = this.#record
    const call = record.calls.find(({ callId }) => callInvocation(this.#object.id, callId) === id)
    if (call !== undefined) {
      const tool = toolsOfSession(this.#agents, record.namespaces).find(call.tool)?.served.tool
      const failure = {
        reason: 'interrupted',
        message: '',
        tool,
        durationMs: Math.max(0, at - call.startedAt),
      } as const
      await this.#endCall({ callId: call.callId, outcome: failedBySession(call, failure) })
    }
    if (record.runs.some((run) => run.id === id)) {
      record.runs = record.runs.filter((run) => run.id !== id)
      await this.#addEnded(id)
      this.#save()
    }
    return null
  }

  async receive(message: SessionMessage): Promise<void> {
    switch (message.kind) {
      case 'updates':
        return this.#receiveUpdates(message)
      case 'call ended':
        return this.#endCall(message)
      case 'run ended':
        return this.#endRun(message)
      case 'approvals':
        this.#record.approvals = message.approvals.reduce(withApproval, this.#record.approvals ?? [])
        this.#save()
        return
    }
  }

  async #execute({ callId, call, at, turnId, labels, data }: Extract<SessionCommand, { kind: 'execute' }>) {
    const { id: sessionId } = this.#object
    const { userId, namespaces } = this.#record
    const tools = toolsOfSession(this.#agents, namespaces)
    const { toolCallId } = call
    const found = tools.find(call.tool)
    const tool = found?.served.tool.id ?? call.tool
    const isStreaming = found?.served.tool.updates !== undefined
    const info = { callId, ...(toolCallId !== undefined && { toolCallId }), tool, isRun: false }
    const invocation = callInvocation(sessionId, callId)
    const reply = isStreaming
      ? { acknowledgement: acknowledgement(info, found.served.tool.spec.toolName) }
      : { invocation }
    // A client that uses an id again joins the call.
    const isRunning = this.#record.calls.some((each) => each.callId === callId)
    if (isRunning || (await this.#ended()).includes(callId)) return reply
    this.#requireOpen()
    const full = isStreaming ? fullMessage(this.#kept.bytes, this.#settings.maxBytes) : undefined
    if (full !== undefined && found !== undefined) {
      const { target } = found
      const failure = new ToolFailure(full, { reason: 'unavailable', action: 'wait' })
      const rejected = rejectCall(target, { ...call, toolCallId: toolCallId ?? callId }, failure)
      return { outcome: storedOutcome(target.table, rejected) }
    }
    const handle = await this.#object.start(invocation, {
      ...{ version: 1, sessionId, userId, namespaces, callId, call },
      ...this.#startState,
      ...(turnId !== undefined && { turnId }),
      ...(labels !== undefined && { labels }),
      ...(data !== undefined && { data }),
    })
    this.#record.calls = [...this.#record.calls, { ...info, startedAt: at, handle, isStreaming, updates: 0 }]
    this.#save()
    return reply
  }

  async #run(command: Extract<SessionCommand, { kind: 'run' }>) {
    const { runId, agent, input, isOutside, isUsed, turnId, labels, data } = command
    const { id: sessionId } = this.#object
    const { userId } = this.#record
    const isRunning = this.#record.runs.some(({ id }) => id === runId)
    if (isRunning || (await this.#ended()).includes(runId)) return { runId }
    if (isUsed) throw new DurableError('duplicate_run', `A run with the id '${runId}' was already started.`)
    this.#requireOpen()
    this.#requireTools(agent)
    const isContinuing = this.#settings.conversation !== undefined && !isOutside
    if (isContinuing && this.#activeRun !== undefined) return { inProgress: this.#activeRun }
    const handle = await this.#object.start(runId, {
      ...{ version: 1, agent, sessionId, userId, input: isContinuing ? await this.#continued(input) : input },
      ...this.#startState,
      ...(turnId !== undefined && { turnId }),
      ...(labels !== undefined && { labels }),
      ...(data !== undefined && { data }),
    })
    this.#record.runs = [...this.#record.runs, { id: runId, handle, isOutside: !isContinuing }]
    this.#save()
    return { runId }
  }

  async #continued(input: DurableInput['input'] & {}): Promise<DurableInput['input'] & {}> {
    const { messages, fields } = readInput(input)
    requireNewMessages(messages)
    return { ...fields, messages: continued((await this.#conversation()).messages, messages) }
  }

  async #conversation(): Promise<Conversation> {
    const stored = ((await this.#object.get(MESSAGES)) ?? []) as unknown as readonly StoredMessage[]
    return new Conversation(stored, this.#settings.conversation, {
      sessionId: this.#object.id,
      nextSequence: () => this.#record.nextSequence++,
    })
  }

  async #consume(isCompleted: boolean): Promise<readonly SessionEntry[]> {
    const consumed = this.#kept.consume(({ kind }) => !isCompleted || kind === 'completed')
    if (consumed.length === 0) return []
    const entries = await readEntries(this.#object, consumed)
    this.#save()
    return entries
  }

  async #receiveUpdates({ callId, updates }: Extract<SessionMessage, { kind: 'updates' }>): Promise<void> {
    const call = this.#record.calls.find((each) => each.callId === callId)
    if (call?.isStreaming !== true) return
    // After a crash, a tool that runs again also sends its first updates again.
    const added = updates.filter(({ index }) => index > call.updates)
    const last = added.at(-1)
    if (last === undefined) return
    const { tool, toolCallId, isRun } = call
    const info = { callId, ...(toolCallId !== undefined && { toolCallId }), tool, isRun }
    const entries = added.map(({ index, update }): SessionEntry => {
      return { kind: 'update', sequence: this.#record.nextSequence++, ...info, index, update }
    })
    const dropped = (call.droppedUpdates ?? 0) + this.#append(entries)
    const changed = { ...call, updates: last.index, ...(dropped > 0 && { droppedUpdates: dropped }) }
    this.#record.calls = this.#record.calls.map((each) => (each === call ? changed : each))
    this.#save()
  }

  async #endCall({ callId, outcome }: Omit<Extract<SessionMessage, { kind: 'call ended' }>, 'kind'>): Promise<void> {
    const record = this.#record
    const call = record.calls.find((each) => each.callId === callId)
    if (call === undefined) return
    record.calls = record.calls.filter((each) => each !== call)
    await this.#addEnded(callId)
    if (call.isStreaming) {
      const { tool, toolCallId, isRun } = call
      const { maxBytes } = this.#settings
      const info = { callId, ...(toolCallId !== undefined && { toolCallId }), tool, isRun }
      const size = outcomeSize(outcome)
      let droppedUpdates = call.droppedUpdates ?? 0
      if (size <= maxBytes) droppedUpdates += this.#kept.makeRoom(callId, size)
      const held = this.#kept.bytes
      const known = toolsOfSession(this.#agents, record.namespaces).find(tool)?.served.tool
      const fitting =
        held + size <= maxBytes ? { outcome } : droppedResult(info, { outcome, tool: known, held, maxBytes })
      const completion: Mutable<SessionCompletion> = {
        ...{ kind: 'completed', sequence: record.nextSequence++, ...info, ...fitting },
        ...(droppedUpdates > 0 && { droppedUpdates }),
      }
      this.#append([completion])
    }
    this.#save()
  }

  async #endRun({ runId, messages, sensitive }: Extract<SessionMessage, { kind: 'run ended' }>): Promise<void> {
    const record = this.#record
    const run = record.runs.find(({ id }) => id === runId)
    if (run === undefined) return
    record.runs = record.runs.filter((each) => each !== run)
    if (sensitive !== undefined) record.sensitive = sensitive
    await this.#addEnded(runId)
    if (!run.isOutside) {
      const conversation = await this.#conversation()
      conversation.replace(withoutInstructions(messages), true)
      this.#object.set(MESSAGES, conversation.stored as unknown as JsonValue)
    }
    this.#save()
  }

  #append(entries: readonly SessionEntry[]): number {
    const record = this.#record
    const id = record.nextSegment++
    let dropped = 0
    let bytes = 0
    for (const entry of entries) {
      const { callId, kind, sequence } = entry
      const size = entrySize(entry)
      bytes += size
      dropped += this.#kept.add({ callId, kind, sequence, segment: id, size })
      record.lastEntry = sequence
    }
    this.#object.set(segmentKey(id), entries as unknown as JsonValue)
    record.segments = [...record.segments, { id, last: record.lastEntry, count: entries.length, bytes }]
    this.#object.changed()
    return dropped
  }

  /** Keeps segments with unconsumed entries, even if the session then stores too many entries or bytes. */
  #trim(): void {
    const record = this.#record
    const needed = new Set(this.#kept.all().map(({ segment }) => segment))
    let surplus = record.segments.reduce((sum, { count }) => sum + count, 0) - MAX_LOG_ENTRIES
    let surplusBytes = record.segments.reduce((sum, { bytes }) => sum + bytes, 0) - this.#settings.maxBytes
    record.segments = record.segments.filter(({ id, count, bytes, last }) => {
      if ((surplus <= 0 && surplusBytes <= 0) || needed.has(id)) return true
      surplus -= count
      surplusBytes -= bytes
      record.expired = Math.max(record.expired, last)
      this.#object.set(segmentKey(id), undefined)
      return false
    })
  }

  #save(): void {
    this.#trim()
    const byCall = new Map<string, KeptTuple[]>()
    for (const { callId, kind, sequence, segment, size } of this.#kept.all()) {
      const tuple = [sequence, segment, size, kind === 'completed' ? 1 : 0] as const
      const ofCall = byCall.get(callId)
      if (ofCall === undefined) byCall.set(callId, [tuple])
      else ofCall.push(tuple)
    }
    this.#record.kept = [...byCall].map(([callId, entries]) => ({ callId, entries }))
    this.#object.set(RECORD, this.#record as unknown as JsonValue)
  }

  #cancelAll(): void {
    for (const { handle } of [...this.#record.calls, ...this.#record.runs]) this.#object.cancel(handle)
  }

  #requireOpen(): void {
    if (!this.#record.isClosed) return
    throw new SessionError('closed', `The session '${this.#object.id}' was closed. Open it again.`)
  }

  get #startState(): Pick<DurableInput, 'approvals' | 'sensitive'> {
    const { approvals = [], sensitive } = this.#record
    return { ...(approvals.length > 0 && { approvals }), ...(sensitive !== undefined && { sensitive }) }
  }

  get #activeRun(): string | undefined {
    return activeRun(this.#record)
  }

  async #ended(): Promise<readonly string[]> {
    return ((await this.#object.get(ENDED)) ?? []) as readonly string[]
  }

  async #addEnded(id: string): Promise<void> {
    this.#object.set(ENDED, [...(await this.#ended()), id].slice(-MAX_ENDED))
  }

  #requireTools(name: string): void {
    const { agents, names } = this.#agents
    const agent = Object.hasOwn(agents, name) ? agents[name] : undefined
    if (agent === undefined) {
      throw new DurableError('unknown_agent', `The workers have no agent '${name}'. They have: ${names.join(', ')}.`)
    }
    const tools = toolsOfSession(this.#agents, this.#record.namespaces)
    const { served } = agent.runnable.target.table
    const missing = served.find(({ tool }) => tools.find(tool.id)?.served.tool !== tool)?.tool
    if (missing === undefined) return
    throw new SessionError(
      'unknown_namespace',
      `The session '${this.#object.id}' does not have the tool '${missing.id}' of the agent '${name}'. Open a session with the name of the agent as a namespace.`,
    )
  }
}
