import { shown } from '../durable/arguments.js'
import type { Answers } from '../types/outcome.js'
import type { StoredValue } from './stored-values.js'

/** Default name of the Restate service. */
export const DEFAULT_NAME = 'toolgen'

/** Returns the name of the virtual object of sessions. */
export const sessionsName = (name: string): string => `${name}-sessions`

/** Maximum time in milliseconds for which a worker waits for entries of a session. */
export const SESSION_WAIT_MS = 20_000

/** @throws {TypeError} unless Restate accepts `name` as the name of a service. */
export function requireServiceName(caller: string, name: unknown): void {
  if (typeof name === 'string' && /^(?:[a-zA-Z]|_[a-zA-Z0-9])[\w.-]*$/.test(name)) return
  throw new TypeError(
    `${caller}: name is ${shown(name)}. Expected a string of letters, digits, '_', '.' and '-' that begins with a letter.`,
  )
}

/** Key of the state of a run in Restate. Workers write it; clients read it without a worker. */
export const RUN_STATE = 'run'

/** State of a run in Restate, under {@link RUN_STATE}. */
export interface RunRecord {
  /** Version of the format. */
  readonly version: 1
  /** Id of the Restate invocation. */
  readonly invocation: string
  /** Suspension of the run while it waits for an answer. */
  readonly suspension?: StoredValue
  /** Ids of the nested runs in progress. */
  readonly nested?: readonly string[]
  /** Present if the run has ended. */
  readonly ended?: true
}

/** Returns the name of the durable promise for the answer to a suspension. */
export const answerPromise = (suspensionId: string): string => `answer/${suspensionId}`

/**
 * Returns the name of the durable promise for an entry of the log. The name contains the number of the entry, from 1,
 * and not the position of an event, because changed code can publish another number of events between two steps.
 */
export const logPromise = (index: number): string => `events/${index}`

/** Entry of the log of a run. `position` is the position of the first event. */
export type LogEntry = { readonly position: number; readonly events: StoredValue } | { readonly ended: true }

/** Input of the handler `events`. */
export interface EventsRequest {
  /** Index of the first entry. */
  readonly index: number
  /** Maximum time in milliseconds to wait for this entry. */
  readonly waitMs: number
}

/** Result of the handler `events`. */
export interface EventsResponse {
  /** Entries from the requested index. Empty if the wait ended without an entry. */
  readonly entries: readonly LogEntry[]
}

/** Input of the handler `answer`. */
export interface AnswerRequest {
  readonly suspensionId: string
  readonly answers: Answers
}

/** Result of the handler `answer`. */
export type AnswerResponse =
  | { readonly status: 'accepted' | 'already_answered' | 'run_ended' | 'unknown_suspension' }
  | { readonly status: 'wrong_answers'; readonly message: string }
