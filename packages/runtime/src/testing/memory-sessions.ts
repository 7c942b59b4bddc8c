import type { DurableAgents } from '../durable/durable-agents.js'
import type { SessionTransport } from '../durable/durable-session.js'
import { type DurableCall, type DurableCallResult, DurableError, type DurableInput } from '../durable/engine.js'
import { type SessionObject, sessionCommand } from '../durable/session-object.js'
import { type SessionReadReply, type SessionReply, sessionRead } from '../durable/session-record.js'
import type { SessionCommand, SessionEntriesPage, SessionMessage, SessionRead } from '../durable/session-types.js'
import type { JsonValue } from '../types/json.js'

interface MemorySessionsHost {
  readonly agents: DurableAgents
  readonly maxAttempts: number
  crashes(sessionId: string, attempt: number, step: string, when: 'before' | 'during' | 'after'): boolean
  /** Has no effect for the id of an earlier invocation. */
  start(id: string, input: DurableInput | DurableCall): void
  /** Has no effect after the end of the invocation. */
  cancel(id: string): void
  callResult(id: string): Promise<DurableCallResult>
  invocationState(id: string): ReturnType<SessionTransport['invocationState']>
}

export class MemorySessions implements SessionTransport {
  readonly #host: MemorySessionsHost
  readonly #sessions = new Map<string, StoredObject>()

  constructor(host: MemorySessionsHost) {
    this.#host = host
  }

  async command(sessionId: string, requestId: string, command: SessionCommand): Promise<SessionReply> {
    return copied(await this.#of(sessionId).request(requestId, copied(command)))
  }

  tell(sessionId: string, message: SessionMessage): void {
    // A failed session ignores further messages.
    this.#of(sessionId)
      .execute(message.kind, copied(message))
      .catch(() => undefined)
  }

  async read(sessionId: string, request: SessionRead): Promise<SessionReadReply> {
    const object = this.#of(sessionId)
    for (;;) {
      // Starts to wait before the read, so that a change during the read also ends the wait.
      const change = 'after' in request ? object.change() : undefined
      const reply = copied(await sessionRead(object, request))
      const page = 'value' in reply && request.kind === 'entries' ? (reply.value as unknown) : undefined
      const { entries = [], isClosed = true } = (page ?? {}) as Partial<SessionEntriesPage>
      if (entries.length > 0 || isClosed || change === undefined) return reply
      await change
    }
  }

  callResult(invocation: string): Promise<DurableCallResult> {
    return this.#host.callResult(invocation)
  }

  invocationState(id: string): ReturnType<SessionTransport['invocationState']> {
    return this.#host.invocationState(id)
  }

  #of(sessionId: string): StoredObject {
    const existing = this.#sessions.get(sessionId)
    if (existing !== undefined) return existing
    const created = new StoredObject(sessionId, this.#host)
    this.#sessions.set(sessionId, created)
    return created
  }
}

/** Simulated crashes do not change this state. */
class StoredObject {
  readonly id: string
  readonly #host: MemorySessionsHost
  readonly #state = new Map<string, JsonValue>()
  readonly #replies = new Map<string, Promise<SessionReply>>()
  #last: Promise<unknown> = Promise.resolve()
  #failure: DurableError | undefined
  #waiting: (() => void)[] = []

  constructor(id: string, host: MemorySessionsHost) {
    this.id = id
    this.#host = host
  }

  async get(key: string): Promise<JsonValue | undefined> {
    return copied(this.#state.get(key))
  }

  change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  request(requestId: string, command: SessionCommand): Promise<SessionReply> {
    const existing = this.#replies.get(requestId)
    if (existing !== undefined) return existing
    const reply = this.execute(command.kind, command)
    this.#replies.set(requestId, reply)
    return reply
  }

  execute(step: string, command: SessionCommand | SessionMessage): Promise<SessionReply> {
    const reply = this.#last.then(() => this.#execute(step, command))
    this.#last = reply.catch(() => undefined)
    return reply
  }

  async #execute(step: string, command: SessionCommand | SessionMessage): Promise<SessionReply> {
    const { maxAttempts, agents } = this.#host
    for (let attempt = 1; attempt <= maxAttempts && this.#failure === undefined; attempt += 1) {
      const crashes = (when: 'before' | 'during' | 'after') => this.#host.crashes(this.id, attempt, step, when)
      if (crashes('before')) continue
      const changes = new ObjectChanges(this.id, this)
      const reply = await sessionCommand(changes, agents, command)
      if (crashes('during')) continue
      this.#apply(changes)
      // The state contains the changes and the reply, so another attempt only sends the reply.
      crashes('after')
      return reply
    }
    const message = `The session '${this.id}' does not respond: its process crashed ${maxAttempts} times in the command '${step}'.`
    this.#failure ??= new DurableError('engine_unreachable', message)
    throw this.#failure
  }

  #apply({ values, started, cancelled, isChanged }: ObjectChanges): void {
    for (const [key, value] of values) {
      if (value === undefined) this.#state.delete(key)
      else this.#state.set(key, value)
    }
    for (const [id, input] of started) this.#host.start(id, input)
    for (const id of cancelled) this.#host.cancel(id)
    if (isChanged) for (const wake of this.#waiting.splice(0)) wake()
  }
}

/** `StoredObject` applies all changes of one attempt together after the attempt, so that a simulated crash loses none or all of the changes. */
class ObjectChanges implements SessionObject {
  readonly id: string
  readonly values = new Map<string, JsonValue | undefined>()
  readonly started = new Map<string, DurableInput | DurableCall>()
  readonly cancelled: string[] = []
  isChanged = false
  readonly #stored: Pick<StoredObject, 'get'>

  constructor(id: string, stored: Pick<StoredObject, 'get'>) {
    this.id = id
    this.#stored = stored
  }

  async get(key: string): Promise<JsonValue | undefined> {
    return this.values.has(key) ? copied(this.values.get(key)) : this.#stored.get(key)
  }

  set(key: string, value: JsonValue | undefined): void {
    this.values.set(key, copied(value))
  }

  async start(id: string, input: DurableInput | DurableCall): Promise<string> {
    this.started.set(id, copied(input))
    return id
  }

  cancel(handle: string): void {
    this.cancelled.push(handle)
  }

  changed(): void {
    this.isChanged = true
  }
}

export function copied<Value>(value: Value): Value {
  return value === undefined ? value : JSON.parse(JSON.stringify(value))
}
