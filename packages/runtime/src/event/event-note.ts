import type { EventBody, EventOrigin, RunEvent } from '../contract/event.js'
import type { Mutable } from '../contract/mutable.js'
import { toolTelemetry } from './tool-telemetry.js'

/** The end of a call whose telemetry follows from its outcome: it is made with the event. */
type PlainEnd = Omit<Extract<EventBody, { readonly type: 'call_ended' }>, 'telemetry'> & {
  readonly telemetry?: undefined
}

/** What happened, as far as it has been made. */
export type NotedBody = EventBody | PlainEnd

/** Something that happened, of which nobody has asked for the event yet. */
export interface EventNote extends Pick<RunEvent, 'at' | 'sequence'> {
  readonly origin: EventOrigin
  /** Taken over: it becomes the event. */
  readonly body: NotedBody
}

function wholeBody(body: NotedBody): EventBody {
  if (body.type !== 'call_ended' || body.telemetry !== undefined) return body
  return Object.assign(body, { telemetry: toolTelemetry(body.outcome) })
}

/** The event of a note, to be made once. Field by field: joining objects costs more than all else here. */
export function notedEvent({ origin, body, at, sequence }: EventNote): RunEvent {
  const { runId, agent, sessionId, turnId, parentToolCallId } = origin
  const event: Mutable<EventOrigin> & EventBody & { at?: number; sequence?: number } = wholeBody(body)
  event.at = at
  event.sequence = sequence
  if (runId !== undefined) event.runId = runId
  if (agent !== undefined) event.agent = agent
  if (sessionId !== undefined) event.sessionId = sessionId
  if (turnId !== undefined) event.turnId = turnId
  if (parentToolCallId !== undefined) event.parentToolCallId = parentToolCallId
  return Object.freeze(event as RunEvent)
}
