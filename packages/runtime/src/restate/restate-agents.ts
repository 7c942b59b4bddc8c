import {
  createWorkflowHandler,
  createWorkflowSharedHandler,
  type JournalValueCodec,
  type RestatePromise,
  type RetryPolicy,
  TerminalError,
  TimeoutError,
  type VirtualObjectDefinition,
  type WorkflowContext,
  type WorkflowDefinition,
  type WorkflowSharedContext,
  workflow,
} from '@restatedev/restate-sdk'
import { SuspensionError } from '../agents/suspension-error.js'
import { requireCount, requireObject } from '../durable/arguments.js'
import { type DurableAgents, requireDurableAgents } from '../durable/durable-agents.js'
import { requireAnswers } from '../durable/durable-run.js'
import { type DurableCall, DurableError, type DurableInput } from '../durable/engine.js'
import { runInvocation } from '../durable/session-call.js'
import type { RunSuspension } from '../types/outcome.js'
import {
  type AnswerRequest,
  type AnswerResponse,
  answerPromise,
  DEFAULT_NAME,
  type EventsRequest,
  type EventsResponse,
  type LogEntry,
  logPromise,
  RUN_STATE,
  type RunRecord,
  requireServiceName,
} from './protocol.js'
import { RestateInvocation } from './restate-invocation.js'
import { restateSessions } from './restate-sessions.js'
import { type LargeValues, type StoredValue, StoredValues } from './stored-values.js'

/** Options of {@link restateAgents}: service name, limits of attempts, and stored data. */
export interface RestateAgentsOptions {
  /** Name of the Restate service. Default: `toolgen`. */
  readonly name?: string
  /**
   * Maximum number of consecutive attempts of a run without a new journal entry. If Restate reaches no worker, this counts as an attempt. A crash of
   * a worker counts as one attempt of each run that this worker executes. After the last attempt, the run is parked: Restate pauses its invocation.
   * If a nested run is parked, its outer runs are also parked. Default: 50 attempts, which take about 15 minutes.
   */
  readonly maxAttempts?: number
  /** Maximum time between two attempts, in milliseconds. The times between the first attempts are shorter. Default: 20,000. */
  readonly maxRetryDelayMs?: number
  /**
   * Maximum duration of a request to a model or of a tool call, in milliseconds. After this time, Restate starts another attempt of the run. Default:
   * 1 hour.
   */
  readonly maxStepMs?: number
  /**
   * Time in milliseconds for which Restate stores the data of ended runs: results, events and ids. Default: 7 days. Independent of this option,
   * Restate stores the responses to requests with a `requestId` for one day.
   */
  readonly retentionMs?: number
  /**
   * Store for values that are too large for Restate. Default: Restate stores all values, with a limit of 32 MB per
   * value.
   */
  readonly largeValues?: LargeValues
}

/** Options for `serve` and `createEndpointHandler` of `@restatedev/restate-sdk`. Pass the whole object. */
export interface RestateAgents {
  /** Restate services that execute the runs and store the sessions. */
  readonly services: (WorkflowDefinition<string, unknown> | VirtualObjectDefinition<string, unknown>)[]
  /**
   * Returns a codec that does not change values. Without a codec, Restate would compare recorded values with the values of a later attempt, and would
   * end a run after a harmless change such as a new title of a tool. Instead of Restate, `runInvocation` compares the tools and the arguments.
   */
  readonly journalValueCodecProvider: () => Promise<JournalValueCodec>
}

const MAX_ENTRIES = 100

/**
 * A waiting run that Restate has not suspended yet still occupies its worker: a crash of this worker counts as an attempt of the run, even if another
 * run caused the crash.
 */
const SUSPEND_AFTER_MS = 5_000

const HOUR_MS = 60 * 60 * 1_000

/** If no worker responds, Restate stops these retries after about 25 seconds. */
const REQUEST_RETRIES: RetryPolicy = {
  ...{ initialInterval: 100, maxInterval: 1_000, maxAttempts: 30, onMaxAttempts: 'kill' },
}

/**
 * Creates Restate services that run agents. Each run, each nested run and each call of a session is an invocation of a Restate workflow. The key of
 * the workflow is the id of the run or call. Each session is a Restate virtual object. Serve the services in each worker, and register the address of
 * the workers in Restate.
 *
 * On Node 20, `restateAgents` adds `Promise.withResolvers` to the process, because the Restate SDK calls `Promise.withResolvers`.
 *
 * @throws {TypeError} if `agents` is not the result of `durableAgents`, or if an option has the wrong type.
 * @throws {RangeError} if a limit is not an integer of at least 1.
 *
 * @example
 * import { serve } from '@restatedev/restate-sdk'
 *
 * const agents = durableAgents({ agents: { support, research } })
 * await serve({ port: 9080, ...restateAgents(agents) })
 */
export function restateAgents(agents: DurableAgents, options: RestateAgentsOptions = {}): RestateAgents {
  requireDurableAgents('restateAgents', agents)
  requireObject('restateAgents: options', options, "an object, for example { name: 'agents' }")
  const {
    name = DEFAULT_NAME,
    maxAttempts = 50,
    maxRetryDelayMs = 20_000,
    maxStepMs = HOUR_MS,
    retentionMs = 7 * 24 * HOUR_MS,
    largeValues,
  } = options
  requireServiceName('restateAgents', name)
  for (const [key, value] of Object.entries({ maxAttempts, maxRetryDelayMs, maxStepMs, retentionMs })) {
    requireCount(`restateAgents: ${key}`, value)
  }
  addWithResolvers()
  const values = new StoredValues('restateAgents', largeValues)
  const retryPolicy: RetryPolicy = {
    ...{ initialInterval: Math.min(100, maxRetryDelayMs), exponentiationFactor: 2, maxInterval: maxRetryDelayMs },
    ...{ maxAttempts, onMaxAttempts: 'pause' },
  }
  const service = workflow({
    name,
    description: 'Durable runs of toolgen agents',
    // Clients read the names, so that they can reject unknown agents.
    metadata: { agents: JSON.stringify(agents.names) },
    handlers: {
      run: createWorkflowHandler(
        { retryPolicy, inactivityTimeout: SUSPEND_AFTER_MS, abortTimeout: maxStepMs },
        (context: WorkflowContext, input: StoredValue) => run(context, input, agents, values),
      ),
      answer: createWorkflowSharedHandler(
        { retryPolicy: REQUEST_RETRIES },
        (context: WorkflowSharedContext, request: AnswerRequest) => answer(context, request, values),
      ),
      events: createWorkflowSharedHandler({ retryPolicy: REQUEST_RETRIES, journalRetention: 0 }, events),
    },
    options: { workflowRetention: retentionMs, enableLazyState: true },
  })
  const sessions = restateSessions({
    ...{ name, agents, values, readRetries: REQUEST_RETRIES, maxRetryDelayMs, retentionMs },
  })
  return {
    services: [service, sessions],
    journalValueCodecProvider: async () => ({ encode: (bytes) => bytes, decode: async (bytes) => bytes }),
  }
}

async function run(
  context: WorkflowContext,
  stored: StoredValue,
  agents: DurableAgents,
  values: StoredValues,
): Promise<StoredValue> {
  const input = await values.read<DurableInput | DurableCall>(stored)
  const invocation = new RestateInvocation(context, values)
  try {
    return await invocation.execute(() => runInvocation(invocation, agents, input))
  } catch (error) {
    // Restate only stores the message. The client reads the code from it.
    if (error instanceof DurableError) throw new Error(`${error.code}: ${error.message}`, { cause: error })
    throw error
  }
}

async function answer(
  context: WorkflowSharedContext,
  { suspensionId, answers }: AnswerRequest,
  values: StoredValues,
): Promise<AnswerResponse> {
  const record = await context.get<RunRecord>(RUN_STATE)
  if (record?.ended === true) return { status: 'run_ended' }
  const promise = context.promise<StoredValue>(answerPromise(suspensionId))
  if ((await promise.peek()) !== undefined) return { status: 'already_answered' }
  const suspension = record?.suspension && (await values.read<RunSuspension>(record.suspension))
  if (suspension?.id !== suspensionId) return { status: 'unknown_suspension' }
  try {
    requireAnswers(suspension, answers)
  } catch (error) {
    if (error instanceof SuspensionError) return { status: 'wrong_answers', message: error.message }
    throw error
  }
  try {
    await promise.resolve(await values.write(answers))
  } catch (error) {
    if (error instanceof TerminalError) return { status: 'already_answered' }
    throw error
  }
  return { status: 'accepted' }
}

async function events(context: WorkflowSharedContext, { index, waitMs }: EventsRequest): Promise<EventsResponse> {
  const entries: LogEntry[] = []
  while (entries.length < MAX_ENTRIES) {
    const promise = context.promise<LogEntry>(logPromise(index + entries.length))
    const entry = (await promise.peek()) ?? (entries.length === 0 ? await within(waitMs, promise) : undefined)
    if (entry === undefined) break
    entries.push(entry)
    if ('ended' in entry) break
  }
  return { entries }
}

async function within<T>(milliseconds: number, promise: { get(): RestatePromise<T> }): Promise<T | undefined> {
  try {
    return await promise.get().orTimeout(milliseconds)
  } catch (error) {
    if (error instanceof TimeoutError) return undefined
    throw error
  }
}

function addWithResolvers(): void {
  if ('withResolvers' in Promise) return
  const value = function withResolvers<T>(this: PromiseConstructor) {
    let resolve: ((value: T | PromiseLike<T>) => void) | undefined
    let reject: ((reason?: unknown) => void) | undefined
    const promise = new this<T>((...functions) => {
      ;[resolve, reject] = functions
    })
    return { promise, resolve, reject }
  }
  Object.defineProperty(Promise, 'withResolvers', { value, configurable: true, writable: true })
}
