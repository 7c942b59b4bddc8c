import type { Mutable } from '../contract/mutable.js'
import type { SessionCall, StoredCall } from '../contract/session.js'
import type { BoundTool } from '../execute/tool/bound-tool.js'
import type { RunningCall } from '../execute/tool/running-call.js'

/** What is known of a streaming call before it begins. */
export interface StreamingCallParts {
  readonly tool: BoundTool
  readonly callId: string
  readonly toolCallId: string | undefined
  readonly isRun: boolean
  /** In milliseconds since the epoch. */
  readonly startedAt: number
}

/** A call of a streaming tool, from its start to the moment that its end may be seen. */
export class StreamingCall {
  readonly tool: BoundTool
  readonly facts: SessionCall
  readonly startedAt: number
  /** Whether it has its end, which the store may have to take yet. */
  hasEnded = false
  /** Whether nobody was told that it began: nothing of it counts. */
  isDiscarded = false
  droppedUpdates = 0
  /** Size of its completion while that waits for the store, in bytes. */
  endBytes = 0
  /** How many of its updates wait for the store. */
  waitingUpdates = 0
  /** The call as it runs; present from the moment that its tool begins. */
  running: RunningCall | undefined = undefined

  constructor({ tool, callId, toolCallId, isRun, startedAt }: StreamingCallParts) {
    this.tool = tool
    this.facts = Object.freeze({ callId, ...(toolCallId !== undefined && { toolCallId }), tool: tool.id, isRun })
    this.startedAt = startedAt
  }

  abort(reason: unknown): void {
    this.running?.abort(reason)
  }

  /** The call as it is stored while it runs. */
  stored(): StoredCall {
    const stored: Mutable<StoredCall> = { ...this.facts, startedAt: this.startedAt }
    if (this.droppedUpdates > 0) stored.droppedUpdates = this.droppedUpdates
    return Object.freeze(stored)
  }
}
