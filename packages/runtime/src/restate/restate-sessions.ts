import {
  createObjectHandler,
  createObjectSharedHandler,
  InvocationIdParser,
  type ObjectContext,
  type ObjectSharedContext,
  object,
  type RetryPolicy,
  type Serde,
  serde,
  TimeoutError,
  type VirtualObjectDefinition,
} from '@restatedev/restate-sdk'
import type { DurableAgents } from '../durable/durable-agents.js'
import type { DurableCall, DurableInput } from '../durable/engine.js'
import { type SessionObject, sessionCommand } from '../durable/session-object.js'
import { type SessionReader, type SessionReadReply, sessionRead } from '../durable/session-record.js'
import type { SessionCommand, SessionEntriesPage, SessionMessage, SessionRead } from '../durable/session-types.js'
import type { JsonValue } from '../types/json.js'
import { SESSION_WAIT_MS, sessionsName } from './protocol.js'
import type { StoredValue, StoredValues } from './stored-values.js'

interface RestateSessionsOptions {
  readonly name: string
  readonly agents: DurableAgents
  readonly values: StoredValues
  readonly readRetries: RetryPolicy
  readonly maxRetryDelayMs: number
  readonly retentionMs: number
}

/** The state of a session contains ids of awakeables: Restate promises with which clients wait for new entries. */
const LISTENERS = 'listeners'

/** Above this number, the session ends the wait of the client that has waited longest. This client then sends a new read request. */
const MAX_LISTENERS = 100

const DAY_MS = 24 * 60 * 60 * 1_000

interface ListenRequest {
  readonly request: SessionRead
  /** Id of an awakeable, a Restate promise. When the session resolves this promise, the client must send a new read request. */
  readonly awakeable: string
}

export function restateSessions(options: RestateSessionsOptions): VirtualObjectDefinition<string, unknown> {
  const { name, agents, values, readRetries, maxRetryDelayMs, retentionMs } = options
  const command = async (context: ObjectContext, stored: StoredValue): Promise<StoredValue> => {
    const session = new RestateSession(context, name, values)
    const request = await values.read<SessionCommand | SessionMessage>(stored)
    const reply = await sessionCommand(session, agents, request)
    await session.end()
    return values.write(reply)
  }
  const read = async (context: ObjectSharedContext, request: SessionRead): Promise<StoredValue> => {
    const reply = await sessionRead(readerOf(context, values), request)
    if (!isWaiting(reply, request)) return values.write(reply)
    const { id: awakeable, promise } = context.awakeable<null>()
    const parameter: ListenRequest = { request, awakeable }
    const { service } = context.request().target
    const inputSerde = serde.json as Serde<ListenRequest>
    context.genericSend({ service, method: 'listen', key: context.key, parameter, inputSerde })
    try {
      await promise.orTimeout(SESSION_WAIT_MS)
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error
    }
    // The client reads again: this invocation may see only the state at its start.
    return values.write(reply)
  }
  const listen = async (context: ObjectContext, { request, awakeable }: ListenRequest): Promise<void> => {
    if (!isWaiting(await sessionRead(readerOf(context, values), request), request)) {
      context.resolveAwakeable(awakeable)
      return
    }
    const listeners = [...((await context.get<readonly string[]>(LISTENERS)) ?? []), awakeable]
    if (listeners.length > MAX_LISTENERS) context.resolveAwakeable(listeners.shift() ?? '')
    context.set(LISTENERS, listeners)
  }
  // A command is never given up, because the next commands of the session wait for it.
  const retryPolicy: RetryPolicy = {
    ...{ initialInterval: Math.min(100, maxRetryDelayMs), exponentiationFactor: 2, maxInterval: maxRetryDelayMs },
    maxAttempts: 1_000_000_000,
  }
  const idempotencyRetention = Math.min(retentionMs, DAY_MS)
  return object({
    name: sessionsName(name),
    description: 'Sessions of toolgen agents',
    handlers: {
      command: createObjectHandler({ retryPolicy, idempotencyRetention, journalRetention: 0 }, command),
      read: createObjectSharedHandler({ retryPolicy: readRetries, journalRetention: 0 }, read),
      listen: createObjectHandler({ retryPolicy: readRetries, journalRetention: 0 }, listen),
    },
    options: { enableLazyState: true },
  })
}

function isWaiting(reply: SessionReadReply, request: SessionRead): boolean {
  if (!('value' in reply) || request.kind !== 'entries' || request.after === undefined) return false
  const { entries, isClosed } = reply.value as unknown as SessionEntriesPage
  return entries.length === 0 && !isClosed
}

function readerOf(context: ObjectSharedContext, values: StoredValues): SessionReader {
  return {
    id: context.key,
    get: async (key) => {
      const stored = await context.get<StoredValue>(key)
      return stored === null ? undefined : values.read<JsonValue>(stored)
    },
  }
}

class RestateSession implements SessionObject {
  readonly id: string
  readonly get: SessionObject['get']
  readonly #context: ObjectContext
  readonly #name: string
  readonly #values: StoredValues
  readonly #writes: Promise<void>[] = []
  #isChanged = false

  constructor(context: ObjectContext, name: string, values: StoredValues) {
    this.id = context.key
    this.get = readerOf(context, values).get
    this.#context = context
    this.#name = name
    this.#values = values
  }

  set(key: string, value: JsonValue | undefined): void {
    if (value === undefined) this.#context.clear(key)
    else this.#context.set<StoredValue>(key, this.#write(value))
  }

  async start(id: string, input: DurableInput | DurableCall): Promise<string> {
    const { invocationId } = this.#context.genericSend({
      ...{ service: this.#name, method: 'run', key: id, parameter: this.#write(input) },
      inputSerde: serde.json as Serde<StoredValue>,
    })
    return invocationId
  }

  cancel(handle: string): void {
    this.#context.cancel(InvocationIdParser.fromString(handle))
  }

  changed(): void {
    this.#isChanged = true
  }

  async end(): Promise<void> {
    if (this.#isChanged) {
      const listeners = (await this.#context.get<readonly string[]>(LISTENERS)) ?? []
      for (const awakeable of listeners) this.#context.resolveAwakeable(awakeable)
      if (listeners.length > 0) this.#context.clear(LISTENERS)
    }
    await Promise.all(this.#writes)
  }

  /** Does not wait until a large value is written. The method `end` waits for all writes. */
  #write(value: unknown): StoredValue {
    const { stored, isWritten } = this.#values.writeLater(value)
    this.#writes.push(isWritten)
    isWritten.catch(() => undefined)
    return stored
  }
}
