import { shown } from '../durable/arguments.js'
import type { Answers } from '../types/outcome.js'
import type { StoredValue } from './stored-values.js'

/** Default name of the Restate service. */
export const DEFAULT_NAME = 'toolgen'

/** Returns the name of the Restate virtual object for sessions. */
export const sessionsName = (name: string): string => `${name}-sessions`

/** Maximum time that a worker waits for entries of a session, in milliseconds. */
export const SESSION_WAIT_MS = 20_000

/** @throws {TypeError} if `name` is not a valid service name in Restate. */
export function requireServiceName(caller: string, name: unknown): void {
  if (typeof name === 'string' && /^(?:[a-zA-Z]|_[a-zA-Z0-9])[\w.-]*$/.test(name)) return
  throw new TypeError(
    `${caller}: name is ${shown(name)}. Expected a string of letters, digits, '_', '.' and '-' that begins with a letter.`,
  )
}

/** Key under which Restate stores the state of a run. Workers write this state. Clients can read the state even if no worker is running. */
export const RUN_STATE = 'run'

/** State of a run that Restate stores under the key {@link RUN_STATE}. */
export interface RunRecord {
  /** Version of the record format. */
  readonly version: 1
  /** Id of the Restate invocation. */
  readonly invocation: string
  /** Suspension of the run. Present while the run waits for an answer. */
  readonly suspension?: StoredValue
  /** Ids of the nested runs in progress. */
  readonly nested?: readonly string[]
  /** Present if the run has ended. */
  readonly ended?: true
}

/** Returns the name of the durable promise for the answer to a suspension. */
export const answerPromise = (suspensionId: string): string => `answer/${suspensionId}`

/**
 * Returns the name of the durable promise for an entry of the event log. The name contains the number of the entry, starting at 1. The name does
 * not contain the position of an event, because changed code can publish a different number of events between two steps.
 */
export const logPromise = (index: number): string => `events/${index}`

/** Entry of a run's event log: several events, or the end of the log. `position` is the position of the first event in the entry. */
export type LogEntry = { readonly position: number; readonly events: StoredValue } | { readonly ended: true }

/** Input of the Restate handler `events`, which returns entries of a run's event log. */
export interface EventsRequest {
  /** Number of the first requested entry. */
  readonly index: number
  /** Maximum time to wait for the first entry, in milliseconds. */
  readonly waitMs: number
}

/** Result of the Restate handler `events`, which returns entries of a run's event log. */
export interface EventsResponse {
  /** Log entries, starting with the requested entry. Empty if no entry arrived within `waitMs`. */
  readonly entries: readonly LogEntry[]
}

/** Input of the Restate handler `answer`, which answers a suspension of a run. */
export interface AnswerRequest {
  readonly suspensionId: string
  readonly answers: Answers
}

/** Result of the Restate handler `answer`, which answers a suspension of a run. */
export type AnswerResponse =
  | { readonly status: 'accepted' | 'already_answered' | 'run_ended' | 'unknown_suspension' }
  | { readonly status: 'wrong_answers'; readonly message: string }
