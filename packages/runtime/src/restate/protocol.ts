import { shown } from '../durable/arguments.js'
import type { Answers } from '../types/outcome.js'
import type { StoredValue } from './stored-values.js'

export const DEFAULT_NAME = 'toolgen'

export const sessionsName = (name: string): string => `${name}-sessions`

export const SESSION_WAIT_MS = 20_000

export function requireServiceName(caller: string, name: unknown): void {
  if (typeof name === 'string' && /^(?:[a-zA-Z]|_[a-zA-Z0-9])[\w.-]*$/.test(name)) return
  throw new TypeError(
    `${caller}: name is ${shown(name)}. Expected a string of letters, digits, '_', '.' and '-' that begins with a letter.`,
  )
}

/** Workers write this state. Clients can read the state even if no worker is running. */
export const RUN_STATE = 'run'

export interface RunRecord {
  readonly version: 1
  readonly invocation: string
  readonly suspension?: StoredValue
  readonly nested?: readonly string[]
  readonly ended?: true
}

export const answerPromise = (suspensionId: string): string => `answer/${suspensionId}`

/**
 * The name contains the number of the entry in the event log, not of its first event, because changed code can publish a different number of events
 * between two steps.
 */
export const logPromise = (index: number): string => `events/${index}`

/** `position` is the position of the first event in the entry. */
export type LogEntry = { readonly position: number; readonly events: StoredValue } | { readonly ended: true }

export interface EventsRequest {
  readonly index: number
  readonly waitMs: number
}

export interface EventsResponse {
  /** Empty if the event log received no such entry within `waitMs`. */
  readonly entries: readonly LogEntry[]
}

export interface AnswerRequest {
  readonly suspensionId: string
  readonly answers: Answers
}

export type AnswerResponse =
  | { readonly status: 'accepted' | 'already_answered' | 'run_ended' | 'unknown_suspension' }
  | { readonly status: 'wrong_answers'; readonly message: string }
