import type { EventBody, EventOrigin, RunEvent } from '../contract/event.js'
import type { Mutable } from '../contract/mutable.js'

/** Something that happened, of which nobody has asked for the event yet. */
export interface EventNote extends Pick<RunEvent, 'at' | 'sequence'> {
  readonly origin: EventOrigin
  /** Taken over: it becomes the event. */
  readonly body: EventBody
}

/** The event of a note, to be made once. Field by field: joining objects costs more than all else here. */
export function notedEvent({ origin, body, at, sequence }: EventNote): RunEvent {
  const { runId, agent, sessionId, turnId, parentToolCallId } = origin
  const event: Mutable<EventOrigin> & EventBody & { at?: number; sequence?: number } = body
  event.at = at
  event.sequence = sequence
  if (runId !== undefined) event.runId = runId
  if (agent !== undefined) event.agent = agent
  if (sessionId !== undefined) event.sessionId = sessionId
  if (turnId !== undefined) event.turnId = turnId
  if (parentToolCallId !== undefined) event.parentToolCallId = parentToolCallId
  return Object.freeze(event as RunEvent)
}
