import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { SuspensionError } from '../agents/suspension-error.js'
import { requireAnswerArguments, requireObject, requirePosition, requireRunId } from '../durable/arguments.js'
import { durableInput } from '../durable/durable-run.js'
import { openDurableSession, type SessionTransport } from '../durable/durable-session.js'
import {
  type DurableCallResult,
  type DurableClient,
  DurableError,
  type DurableErrorCode,
  type DurableResult,
  type DurableRunOptions,
  type DurableStatus,
  type ParkedReport,
} from '../durable/engine.js'
import type { SessionReadReply, SessionReply } from '../durable/session-record.js'
import type { DurableSession, DurableSessionOptions, SessionCommand, SessionRead } from '../durable/session-types.js'
import { subscription } from '../durable/subscription.js'
import type { Answers, RunSuspension } from '../types/outcome.js'
import type { RunEvent, RunInput } from '../types/run.js'
import {
  type AnswerRequest,
  type AnswerResponse,
  answerPromise,
  DEFAULT_NAME,
  type EventsRequest,
  type EventsResponse,
  type LogEntry,
  RUN_STATE,
  type RunRecord,
  requireServiceName,
  SESSION_WAIT_MS,
  sessionsName,
} from './protocol.js'
import {
  type RestateRequest,
  type RestateResponse,
  RestateServer,
  type RestateServerOptions,
  unexpected,
  useLargeValues,
} from './restate-server.js'
import { type LargeValues, StoredValues } from './stored-values.js'

/** Options of {@link restateClient}: addresses of the server, service name, and the store for large values. */
export interface RestateClientOptions extends RestateServerOptions {
  /** Name of the Restate service. Default: `toolgen`. */
  readonly name?: string
  /** Store for values that are too large for Restate. Must be the same store as in the workers. Default: no store. */
  readonly largeValues?: LargeValues
}

interface InvocationRow {
  readonly id: string
  readonly status: string
}

interface ServiceDescription {
  readonly metadata?: { readonly agents?: string }
  readonly handlers: readonly {
    readonly name: string
    readonly retry_policy?: { readonly max_attempts?: number | null }
  }[]
}

/** HTTP status of Restate's response if the result of a run is requested before the run has ended. */
const NOT_READY = 470

const WAIT_MS = 5_000

/** Must be longer than all retries of a request together, in which Restate searches for a worker. */
const WORKER_WAIT_MS = 40_000

/** The tables of Restate may not list a new run at once, so `cancel` repeats the search. */
const MAX_READS = 50
const READ_DELAY_MS = 200

/** A worker writes one of these codes at the beginning of the error message of an attempt, where the client reads the code. */
const PARKING_CODES: readonly DurableErrorCode[] = ['journal_mismatch', 'newer_version', 'unknown_agent']

/** Error codes of Restate that report that a journal does not match the code of the workers. */
const RESTATE_MISMATCH = ['RT0016', 'RT0017']

/**
 * Creates a client for the runs of {@link restateAgents}. The client sends requests to the ingress and the admin API of Restate.
 *
 * If the server does not respond within `timeoutMs`, methods reject with `engine_unreachable`. If a request of `start` with a `runId` fails after the
 * server may have received it, `start` does not retry. Call `start` again with this `runId`: `duplicate_run` then means that the run has started.
 *
 * `answer`, `subscribe`, `openSession` and the methods of sessions need a running worker. If no worker is running, `subscribe` waits for a
 * worker. `answer` rejects with `engine_unreachable` after 25 seconds. The methods of sessions reject with `engine_unreachable` after about 50
 * seconds.
 *
 * @throws {TypeError} if an option has the wrong type, or if an address is not an HTTP URL.
 * @throws {RangeError} if `timeoutMs` or `minLength` is out of range.
 *
 * @example
 * const runs = restateClient({ url: 'http://127.0.0.1:8080', adminUrl: 'http://127.0.0.1:9070' })
 * const { runId } = await runs.start('support', 'Where is my order?')
 * const { result } = await runs.result(runId)
 */
export function restateClient(options: RestateClientOptions): DurableClient {
  const expected = "an object, for example { url: 'http://127.0.0.1:8080', adminUrl: 'http://127.0.0.1:9070' }"
  requireObject('restateClient: options', options, expected)
  const { name = DEFAULT_NAME, largeValues, ...server } = options
  requireServiceName('restateClient', name)
  return new RestateClient(name, new RestateServer(server), new StoredValues('restateClient', largeValues))
}

class RestateClient implements DurableClient, SessionTransport {
  readonly #name: string
  readonly #server: RestateServer
  readonly #values: StoredValues
  readonly #agents = new Set<string>()

  constructor(name: string, server: RestateServer, values: StoredValues) {
    this.#name = name
    this.#server = server
    this.#values = values
  }

  async start(agent: string, input: RunInput, options: DurableRunOptions = {}): Promise<{ readonly runId: string }> {
    const durable = durableInput(agent, input, options)
    const { runId = randomUUID() } = options
    const body = await this.#values.write(durable)
    await this.#requireAgent(agent)
    // Nobody else uses a random id, so a request for it can be repeated.
    const isRepeatable = options.runId === undefined
    const response = await this.#call(runId, 'run/send', { method: 'POST', body, isRepeatable })
    if (response.status >= 300) throw unexpected(`the start of the run '${runId}'`, response.status, response.body)
    if (response.body.status === 'PreviouslyAccepted' && !isRepeatable) {
      throw new DurableError('duplicate_run', `A run with the id '${runId}' was already started.`, { runId })
    }
    return { runId }
  }

  async status(runId: string): Promise<DurableStatus> {
    requireRunId('status', runId)
    return (await this.#ended(runId)) ?? (await this.#notEnded(runId))
  }

  async result(runId: string): Promise<DurableResult> {
    requireRunId('result', runId)
    for (;;) {
      // The end of the run ends the request, but not the parking of the run.
      const status = (await this.#ended(runId, WAIT_MS)) ?? (await this.#notEnded(runId))
      if (status.status === 'ended') return status.result
      if (status.status === 'parked') throw runParked(runId, status.report)
    }
  }

  async answer(runId: string, suspensionId: string, answers: Answers): Promise<void> {
    requireAnswerArguments(runId, suspensionId, answers)
    const body: AnswerRequest = { suspensionId, answers }
    const { status, body: response } = await this.#call(runId, 'answer', {
      method: 'POST',
      body,
      waitMs: WORKER_WAIT_MS,
      // A repeated request gets the response of the first one.
      headers: { 'idempotency-key': randomUUID() },
    })
    if (status !== 200) throw noWorker(runId, response)
    const answered: AnswerResponse = response
    if (answered.status === 'accepted') return
    if (answered.status === 'wrong_answers') throw new SuspensionError('wrong_answers', answered.message)
    if (answered.status === 'run_ended') throw runEnded(runId)
    if (answered.status === 'unknown_suspension') await this.#ended(runId)
    const message =
      answered.status === 'already_answered'
        ? `The suspension '${suspensionId}' of the run '${runId}' was already answered.`
        : `The run '${runId}' does not wait for an answer to the suspension '${suspensionId}'.`
    throw new DurableError(answered.status, message, { runId })
  }

  async cancel(runId: string): Promise<void> {
    requireRunId('cancel', runId)
    const invocation = await this.#runningInvocation(runId)
    const { id } = invocation
    // Workers whose code does not fit the journal cannot process a cancellation.
    const isUnfit = invocation.status === 'paused' && (await this.#report(id)).code === 'journal_mismatch'
    const { status, body } = await this.#server.admin(`/invocations/${id}/${isUnfit ? 'kill' : 'cancel'}`, {
      method: 'PATCH',
    })
    if (status === 409) throw runEnded(runId)
    if (status >= 300) throw unexpected(`the cancellation of the run '${runId}'`, status, body)
  }

  async #runningInvocation(runId: string): Promise<InvocationRow> {
    for (let reads = 1; ; reads += 1) {
      if ((await this.#ended(runId)) !== undefined) throw runEnded(runId)
      const invocation = await this.#invocation(runId, await this.#record(runId))
      if (invocation !== undefined) return invocation
      if (reads === MAX_READS) {
        throw new DurableError('engine_unreachable', `Restate does not list the run '${runId}'.`, { runId })
      }
      await setTimeout(READ_DELAY_MS)
    }
  }

  subscribe(runId: string, { from = 1 }: { readonly from?: number } = {}): AsyncIterable<RunEvent> {
    requireRunId('subscribe', runId)
    requirePosition(from)
    return subscription((signal) => this.#events(runId, from, signal))
  }

  openSession(sessionId: string, options: DurableSessionOptions): Promise<DurableSession> {
    return openDurableSession(this, sessionId, options)
  }

  async command(sessionId: string, requestId: string, command: SessionCommand): Promise<SessionReply> {
    const body = await this.#values.write(command)
    // A repeated request gets the response of the first one.
    const headers = { 'idempotency-key': encodeURIComponent(requestId) }
    return this.#session<SessionReply>(sessionId, 'command', { body, waitMs: WORKER_WAIT_MS, headers })
  }

  read(sessionId: string, request: SessionRead): Promise<SessionReadReply> {
    return this.#session(sessionId, 'read', { body: request, waitMs: SESSION_WAIT_MS + WORKER_WAIT_MS })
  }

  async callResult(invocation: string): Promise<DurableCallResult> {
    const result: unknown = await this.result(invocation)
    return result as DurableCallResult
  }

  async invocationState(id: string): ReturnType<SessionTransport['invocationState']> {
    try {
      const status = await this.#ended(id)
      if (status === undefined) return 'running'
      return status.status === 'ended' ? 'ended' : 'killed'
    } catch (error) {
      if (error instanceof DurableError && error.code === 'unknown_run') return 'unknown'
      throw error
    }
  }

  async #session<Reply extends SessionReadReply>(
    sessionId: string,
    handler: 'command' | 'read',
    request: Pick<RestateRequest, 'body' | 'waitMs' | 'headers'>,
  ): Promise<Reply> {
    const path = `/${encodeURIComponent(sessionId)}/${handler}`
    const { status, body } = await this.#server.call(sessionsName(this.#name), path, { method: 'POST', ...request })
    if (status === 200) return this.#values.read(body)
    const message =
      status === 404
        ? `Restate has no service '${sessionsName(this.#name)}'. Register the address of the workers.`
        : `No worker processed the request for the session '${sessionId}'.`
    throw new DurableError('engine_unreachable', message, { cause: body })
  }

  async *#events(runId: string, from: number, signal: AbortSignal): AsyncGenerator<RunEvent, undefined> {
    await this.status(runId)
    let next = from
    for (let index = 1; ; ) {
      const entries = await this.#entries(runId, index)
      if (signal.aborted) return undefined
      index += entries.length
      if (entries.length === 0) {
        const status = await this.status(runId)
        if (status.status === 'parked') throw runParked(runId, status.report)
      }
      for (const entry of entries) {
        if ('ended' in entry) return undefined
        const events = await this.#values.read<readonly RunEvent[]>(entry.events)
        for (const event of events.slice(Math.max(0, next - entry.position))) yield event
        next = Math.max(next, entry.position + events.length)
      }
    }
  }

  async #entries(runId: string, index: number): Promise<readonly LogEntry[]> {
    const request: EventsRequest = { index, waitMs: WAIT_MS }
    const { status, body } = await this.#call(runId, 'events', {
      ...{ method: 'POST', body: request, waitMs: WAIT_MS + WORKER_WAIT_MS },
    })
    if (status !== 200) {
      // No worker processed the request: the run continues when there is one. Some errors arrive without any delay.
      await setTimeout(READ_DELAY_MS)
      return []
    }
    const { entries }: EventsResponse = body
    return entries
  }

  async #requireAgent(agent: string): Promise<void> {
    if (this.#agents.has(agent)) return
    const service = await this.#service()
    const names: readonly string[] = JSON.parse(service?.metadata?.agents ?? '[]')
    for (const name of names) this.#agents.add(name)
    if (names.includes(agent)) return
    const message =
      service === undefined
        ? `Restate has no service '${this.#name}'. Register the address of the workers.`
        : `The workers have no agent '${agent}'. They have: ${names.join(', ')}.`
    throw new DurableError('unknown_agent', message)
  }

  async #service(): Promise<ServiceDescription | undefined> {
    const { status, body } = await this.#server.admin(`/services/${encodeURIComponent(this.#name)}`)
    if (status === 404) return undefined
    if (status !== 200) throw unexpected(`the request for the service '${this.#name}'`, status, body)
    return body
  }

  async #ended(runId: string, waitMs?: number): Promise<DurableStatus | undefined> {
    const path = `/restate/workflow/${encodeURIComponent(this.#name)}/${encodeURIComponent(runId)}`
    const response =
      waitMs === undefined
        ? await this.#server.ingress(`${path}/output`)
        : await this.#server.ingressWithin(waitMs, `${path}/attach`)
    if (response === undefined) return undefined
    const { status, body, isFromInvocation } = response
    if (status === 200) {
      const result = await this.#values.read<DurableResult>(body)
      return { status: 'ended', result: readable('result', runId, result) }
    }
    if (status === NOT_READY) return undefined
    if (status === 404) throw new DurableError('unknown_run', `There is no run with the id '${runId}'.`, { runId })
    if (!isFromInvocation) throw unexpected(`the request for the run '${runId}'`, status, body)
    // An operator killed the invocation.
    return { status: 'parked', report: { attempts: 1, message: body.message } }
  }

  async #notEnded(runId: string): Promise<DurableStatus> {
    const record = await this.#record(runId)
    const invocation = await this.#invocation(runId, record)
    if (invocation === undefined) return { status: 'running' }
    const { id, status } = invocation
    if (status === 'completed') return (await this.#ended(runId)) ?? { status: 'running' }
    if (status === 'paused') return { status: 'parked', report: await this.#report(id) }
    for (const nested of record?.nested ?? []) {
      const ofNested = await this.#notEnded(nested)
      if (ofNested.status !== 'parked') continue
      const { report } = ofNested
      return { status: 'parked', report: { ...report, message: `Nested run '${nested}': ${report.message}` } }
    }
    if (record?.suspension === undefined) return { status: 'running' }
    const suspension = await this.#values.read<RunSuspension>(record.suspension)
    // The worker may not have received the answer yet.
    const isAnswered = await this.#isAnswered(runId, suspension.id)
    return isAnswered ? { status: 'running' } : { status: 'suspended', suspension }
  }

  async #isAnswered(runId: string, suspensionId: string): Promise<boolean> {
    const rows = await this.#server.query`
      select key from sys_promise
      where service_name = ${this.#name} and service_key = ${runId} and key = ${answerPromise(suspensionId)}
        and completed`
    return rows.length > 0
  }

  async #record(runId: string): Promise<RunRecord | undefined> {
    const [row] = await this.#server.query<{ readonly value_utf8: string }>`
      select value_utf8 from state
      where service_name = ${this.#name} and service_key = ${runId} and key = ${RUN_STATE}`
    return row && readable('state', runId, JSON.parse(row.value_utf8) as RunRecord)
  }

  /** If `record` is `undefined`, the search is slow, because Restate reads all invocations. */
  async #invocation(runId: string, record: RunRecord | undefined): Promise<InvocationRow | undefined> {
    const rows =
      record === undefined
        ? await this.#server.query<InvocationRow>`
            select id, status from sys_invocation
            where target_service_name = ${this.#name} and target_service_key = ${runId} and target_handler_name = 'run'`
        : await this.#server.query<InvocationRow>`
            select id, status from sys_invocation where id = ${record.invocation}`
    return rows[0]
  }

  async #report(invocation: string): Promise<ParkedReport> {
    const [row] = await this.#server.query<{ readonly event_json: string }>`
      select event_json from sys_journal_events
      where id = ${invocation} and event_type = 'Paused' order by appended_at desc limit 1`
    const failure = row && JSON.parse(row.event_json).last_failure
    if (failure === undefined) return { attempts: 0, message: 'The invocation was paused in Restate.' }
    const { error_message: received, restate_doc_error_code: restateCode } = failure
    const text: string = /message size limit/.test(received) ? `${received}. ${useLargeValues}` : received
    const [, prefix, rest] = /^(\w+): (.*)$/s.exec(text) ?? []
    const ofWorker = PARKING_CODES.find((each) => each === prefix)
    const code = ofWorker ?? (RESTATE_MISMATCH.includes(restateCode) ? 'journal_mismatch' : undefined)
    const { handlers = [] } = (await this.#service()) ?? {}
    const attempts = handlers.find((handler) => handler.name === 'run')?.retry_policy?.max_attempts ?? 1
    return { attempts, ...(code !== undefined && { code }), message: ofWorker === undefined ? text : (rest ?? '') }
  }

  #call(runId: string, handler: string, request: RestateRequest): Promise<RestateResponse> {
    return this.#server.call(this.#name, `/${encodeURIComponent(runId)}/${handler}`, request)
  }
}

function readable<Value extends { readonly version: number }>(part: string, runId: string, value: Value): Value {
  const { version } = value
  if (version === 1) return value
  const message = `The ${part} of the run '${runId}' has version ${version}, but this process supports version 1. Update the package in this process.`
  throw new DurableError('newer_version', message, { runId })
}

function runEnded(runId: string): DurableError {
  return new DurableError('run_ended', `The run '${runId}' has ended.`, { runId })
}

function runParked(runId: string, report: ParkedReport): DurableError {
  return new DurableError('run_parked', `The run '${runId}' is parked: ${report.message}`, { runId, report })
}

function noWorker(runId: string, cause: unknown): DurableError {
  return new DurableError('engine_unreachable', `No worker processed the request for the run '${runId}'.`, {
    ...{ runId, cause },
  })
}
