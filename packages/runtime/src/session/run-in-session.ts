import type { ToolCall } from '../contract/call.js'
import type { ChatMessage } from '../contract/chat-message.js'
import type { MetaField } from '../contract/meta.js'
import type { ToolOutcome } from '../contract/outcome.js'
import type { SessionEntry } from '../contract/session.js'
import type { CallTarget, RunFrame } from '../execute/call/call-target.js'
import { beginCall, type CallListener, callRef, refuseCall } from '../execute/call/execute-call.js'
import type { GivenOptions } from '../execute/call/given-call.js'
import type { RunSession } from '../execute/call/run-session.js'
import type { ServedTool, ToolTable } from '../execute/call/tool-table.js'
import { ToolFailure } from '../execute/failure/tool-failure.js'
import { acknowledgedOutcome } from '../execute/result/acknowledged-outcome.js'
import type { SessionJournal } from './journal.js'
import { lateMessage } from './late-message.js'
import type { SessionCalls } from './session-calls.js'
import type { SessionTools } from './session-tools.js'
import { StreamingPlace } from './streaming-place.js'

/** What a run in a session is made of. */
export interface RunInSessionParts {
  readonly calls: SessionCalls
  readonly journal: SessionJournal
  /** Those of the session. */
  readonly tools: SessionTools
  /** The tools of the agent. */
  readonly table: ToolTable
}

type AnyCall = ToolCall<unknown, MetaField>

/** The session as one run has it: its streaming calls are the session's, and what those come to is told to whichever run is next. */
export class RunInSession implements RunSession {
  readonly #parts: RunInSessionParts

  constructor(parts: RunInSessionParts) {
    this.#parts = parts
  }

  begin(target: CallTarget, call: AnyCall, options: GivenOptions, frame: RunFrame, listener: CallListener): void {
    const served = target.table.find(call.tool)
    if (served === undefined) beginCall(target, call, options, frame, listener)
    else this.#begun(served, target, call, options, frame).then(listener)
  }

  late(accept: (messages: readonly ChatMessage[]) => boolean): Promise<void> | undefined {
    const { journal, table } = this.#parts
    const isOurs = (last: SessionEntry): boolean => this.#isOurs(last)
    if (!journal.has(isOurs)) return undefined
    const taken = journal.take(isOurs, (entries) =>
      accept(
        entries
          .filter((entry) => entry.kind === 'completed')
          .map((entry) => lateMessage(entry, (tool) => table.find(tool)?.tool.spec.wireName)),
      ),
    )
    // Where the store does not let go of them, they come later.
    return taken.then(ignored, ignored)
  }

  /** Never rejects. */
  async #begun(
    served: ServedTool,
    target: CallTarget,
    asked: AnyCall,
    options: GivenOptions,
    frame: RunFrame,
  ): Promise<ToolOutcome> {
    const { effects } = target.context
    const place = new StreamingPlace(frame, target.context)
    const events = frame.events.lasting()
    const lasting = { ...frame, calls: place, open: undefined, events, above: { ...frame.above, events } }
    try {
      const startedAt = effects.now()
      const answer = await this.#parts.calls.begin(
        { served, target, call: asked, isRun: true },
        (call, more, listener) => beginCall(target, call, { ...options, ...more }, lasting, listener),
      )
      if (answer.status !== 'streaming') return answer
      const provenance = { tool: served.tool.id, durationMs: Math.max(0, effects.now() - startedAt), attempts: 1 }
      const ref = callRef(asked, options, served.tool.id, answer.toolCallId ?? answer.callId)
      return acknowledgedOutcome(ref, Object.freeze(provenance), answer)
    } catch (error) {
      const failure = new ToolFailure('The call could not be begun: it could not be stored.', {
        reason: 'unavailable',
        cause: error,
      })
      return refuseCall(target, asked, failure)
    } finally {
      place.letGo()
    }
  }

  /** Results of tools that this agent does not have are left to runs of agents that have them. */
  #isOurs({ kind, isRun, tool }: SessionEntry): boolean {
    const { table, tools } = this.#parts
    return kind === 'completed' && isRun && (table.find(tool) !== undefined || tools.find(tool) === undefined)
  }
}

function ignored(): void {}
