import type { RunnableAgent } from '../agent/run-parts.js'
import { type GivenOptions, givenOptions } from '../execute/call/given-call.js'
import { peek } from '../execute/failure/peek.js'
import type { SessionJournal } from './journal.js'
import { RunInSession } from './run-in-session.js'
import type { SessionCalls } from './session-calls.js'
import { SessionError } from './session-error.js'
import type { SessionTools } from './session-tools.js'

/** What the runs of a session need. */
export interface RunsParts {
  readonly sessionId: string
  readonly tools: SessionTools
  readonly calls: SessionCalls
  readonly journal: SessionJournal
}

/** The runs of one session. */
export class SessionRuns {
  readonly #parts: RunsParts

  constructor(parts: RunsParts) {
    this.#parts = parts
  }

  /**
   * The options of a run here, with what is wrong where the session does not take it.
   *
   * @param suspension what the run goes on with; absent for one that begins
   */
  options({ target: { table } }: RunnableAgent, asked: object, suspension?: { readonly of: unknown }): GivenOptions {
    const { sessionId, tools, calls, journal } = this.#parts
    const options = givenOptions(asked)
    const missing = table.served.find(({ tool }) => tools.find(tool.id)?.served.tool !== tool)
    const isElsewhere = suspension !== undefined && peek(suspension.of, 'sessionId') !== sessionId
    const fault =
      calls.refusal ??
      options.fault ??
      (missing && notHere(sessionId, missing.tool.id)) ??
      (isElsewhere ? ofOther(sessionId) : undefined)
    if (fault !== undefined) return { ...options, sessionId, fault }
    const session = new RunInSession({ calls, journal, tools, table })
    return { ...options, sessionId, calls: calls.runs, session }
  }
}

function ofOther(sessionId: string): SessionError {
  return new SessionError(
    'other_session',
    `The run was not suspended in the session '${sessionId}': resume it in the session that its suspension names.`,
  )
}

function notHere(sessionId: string, tool: string): SessionError {
  return new SessionError(
    'unknown_namespace',
    `The session '${sessionId}' does not have the agent's tool '${tool}': run an agent of the registry, and open the session with its name as a namespace.`,
  )
}
