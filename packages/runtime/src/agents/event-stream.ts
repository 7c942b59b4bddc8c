import { ignoreErrors } from '../call/telemetry.js'
import { after, requireTimeLimit } from '../call/timers.js'
import type { StoredOutcome, ToolOutcome } from '../types/outcome.js'
import type { RunEvent, ToolTelemetry } from '../types/run.js'
import { RunHandle } from './run-handle.js'

/** Options for {@link eventStreamResponse}, for example the position at which the stream starts. */
export interface EventStreamOptions {
  /**
   * Value of the request header `Last-Event-ID`: the id of the last event that the browser received. The stream starts after this event.
   * With `null`, `undefined` or an invalid id, the stream starts at the first event. A run and the run that continues it after a suspension number
   * their events separately. If the id is greater than the number of events of a `RunHandle`, the stream contains all events after the end of the run.
   */
  readonly lastEventId?: string | null | undefined
  /**
   * Effect on the run when the browser closes the stream of a `RunHandle`. With `detach`, the run continues, and the browser can connect
   * again. With `cancel`, the run is cancelled. Default: `detach`.
   */
  readonly onDisconnect?: 'cancel' | 'detach'
  /** Interval in milliseconds at which the stream sends a comment, so that the connection stays open. Default: 15,000. */
  readonly keepAliveMs?: number
  /** Additional headers of the response. Default: none. */
  readonly headers?: ConstructorParameters<typeof Headers>[0]
}

/**
 * Returns a response that streams the events of a run to a browser, as server-sent events. Each server-sent event has three fields. `event` contains
 * the type of the run's event, `id` its position (starting with 1), and `data` the event as JSON. {@link publishedEvent} removes data that a browser
 * must not read. The run does not wait for slow browsers. After a lost connection, the browser's `EventSource` connects again and continues with the
 * next event. The stream ends when the run ends. The stream of a durable run continues after a suspension of the run.
 *
 * @param source the run, or a function that returns the events from a position, for example the events of a durable run
 *
 * @throws {RangeError} if `keepAliveMs` is invalid
 *
 * @example
 * const lastEventId = request.headers.get('last-event-id')
 * return eventStreamResponse(runs.get(runId), { lastEventId })
 * return eventStreamResponse((from) => client.subscribe(runId, { from }), { lastEventId })
 */
export function eventStreamResponse(
  source: RunHandle | ((from: number) => AsyncIterable<RunEvent>),
  { lastEventId, onDisconnect = 'detach', keepAliveMs = 15_000, headers }: EventStreamOptions = {},
): Response {
  requireTimeLimit('keepAliveMs', keepAliveMs)
  let last = /^[1-9]\d{0,14}$/.test(lastEventId ?? '') ? Number(lastEventId) : 0
  const encoder = new TextEncoder()
  let position = source instanceof RunHandle ? 0 : last
  // A run that is awaited does not wait for slow browsers.
  if (source instanceof RunHandle) source.then(() => undefined)
  let events = (source instanceof RunHandle ? source : source(last + 1))[Symbol.asyncIterator]()
  let isOpen = true
  let stopTimer = (): void => undefined
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const keepAlive = (): void => {
        controller.enqueue(encoder.encode(': keep-alive\n\n'))
        stopTimer = after(keepAliveMs, keepAlive)
      }
      stopTimer = after(keepAliveMs, keepAlive)
      try {
        for (;;) {
          const { done, value } = await events.next()
          if (!isOpen) return
          if (done !== true) {
            position += 1
            if (position > last) return controller.enqueue(encoder.encode(messageOf(position, value)))
            continue
          }
          if (!(source instanceof RunHandle) || position >= last) return controller.close()
          // The browser received this id from another run.
          events = source[Symbol.asyncIterator]()
          position = 0
          last = 0
        }
      } finally {
        stopTimer()
      }
    },
    async cancel(reason) {
      isOpen = false
      stopTimer()
      // The `return` of an async generator waits for its pending `next`, possibly for days.
      ignoreErrors(() => Promise.resolve(events.return?.()))
      if (onDisconnect === 'cancel' && source instanceof RunHandle) source.cancel(reason)
    },
  })
  const all = new Headers(headers)
  all.set('content-type', 'text/event-stream; charset=utf-8')
  all.set('cache-control', 'no-cache, no-transform')
  // Without this header, nginx collects the events.
  all.set('x-accel-buffering', 'no')
  return new Response(body, { headers: all })
}

function messageOf(id: number, event: RunEvent): string {
  return `id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(publishedEvent(event))}\n\n`
}

type CallEnd = Extract<RunEvent, { readonly type: 'call_ended' }>

/**
 * Event with only the data that a browser may read. In `call_ended` events, `outcome` is a `StoredOutcome`, and the telemetry contains no
 * attributes of the application.
 */
export type PublishedEvent =
  | Exclude<RunEvent, CallEnd>
  | (Omit<CallEnd, 'outcome' | 'telemetry'> & {
      readonly outcome: StoredOutcome
      readonly telemetry: Omit<ToolTelemetry, 'attributes'>
    })

/**
 * Returns a copy of an event with only the data that a browser may read. {@link eventStreamResponse} sends these copies. Use this function for
 * other connections, for example WebSockets. The copy contains neither the causes of errors nor the state of suspended calls.
 *
 * @example
 * for await (const event of run) socket.send(JSON.stringify(publishedEvent(event)))
 */
export function publishedEvent(event: RunEvent): PublishedEvent {
  if (event.type !== 'call_ended') return event
  const { attributes: _, ...telemetry } = event.telemetry
  return { ...event, telemetry, outcome: publishedOutcome(event.outcome) }
}

/**
 * A browser may read the copy. The copy therefore omits causes of errors, arguments that `payloadAdapter` changed, the state of MCP servers, and the
 * conversations of nested runs.
 */
function publishedOutcome(outcome: ToolOutcome): StoredOutcome {
  const { call, provenance } = outcome
  if (outcome.status === 'completed') {
    const { json, content, acknowledgement } = outcome
    return {
      ...{ call, provenance, status: 'completed', json },
      ...(content !== undefined && { content }),
      ...(acknowledgement !== undefined && { acknowledgement }),
    }
  }
  if (outcome.status === 'suspended') {
    const { version, kind, call: suspended, arguments: json, prompt } = outcome.suspension
    const suspension = { version, kind, call: suspended, arguments: json, ...(prompt !== undefined && { prompt }) }
    return { call, provenance, status: 'suspended', suspension }
  }
  const { error, hint } = outcome
  return { call, provenance, status: 'failed', error: { reason: error.reason, message: error.message }, hint }
}
