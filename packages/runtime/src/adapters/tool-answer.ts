import { classify } from '../call/classify.js'
import { failedOutcome } from '../call/failed-outcome.js'
import { renderForModel } from '../call/render.js'
import { isFields } from '../schema/json-values.js'
import type { ToolCall } from '../types/call.js'
import type { FailureReason } from '../types/errors.js'
import type { JsonText, JsonValue } from '../types/json.js'
import type { Acknowledgement, CallSuspensionKind, ToolOutcome } from '../types/outcome.js'
import type { CallResponse } from './framework-options.js'

/** How a call ended, as plain data for whoever shows it: it can be written as JSON and read again. */
export type ToolOutput =
  | {
      readonly status: 'completed'
      readonly result: JsonValue
      /** What the model reads, where that is other than the JSON of the result. */
      readonly text?: string
    }
  | {
      readonly status: 'failed'
      readonly reason: FailureReason
      /** What the model reads: what was wrong, and what to do next. */
      readonly text: string
    }
  | {
      readonly status: 'suspended'
      readonly kind: CallSuspensionKind
      /** What somebody is asked. */
      readonly prompt?: string
      /** What the model reads. */
      readonly text: string
    }
  | Acknowledgement

/** What a model reads of a call, whatever the framework. */
export function textForModel(answered: CallResponse): string {
  return answered.status === 'streaming' ? JSON.stringify(answered) : renderForModel(answered)
}

/** A call's end as plain data. */
export function toolAnswer(answered: CallResponse): ToolOutput {
  switch (answered.status) {
    case 'completed':
      return completed(answered.json)
    case 'failed':
      return { status: 'failed', reason: answered.hint.reason, text: renderForModel(answered) }
    case 'suspended': {
      const { kind, prompt } = answered.suspension
      return { status: 'suspended', kind, ...(prompt !== undefined && { prompt }), text: renderForModel(answered) }
    }
    case 'streaming':
      return answered
  }
}

/** The text of a {@link ToolOutput} that a model reads, also after it was sent somewhere and back. */
export function textOfAnswer(answer: unknown): string {
  if (!isFields(answer)) return JSON.stringify(answer) ?? ''
  const { status, text, result } = answer
  if (typeof text === 'string') return text
  return JSON.stringify(status === 'completed' ? result : answer) ?? ''
}

function completed(json: JsonText): ToolOutput {
  try {
    const result: JsonValue = JSON.parse(json)
    return { status: 'completed', result, ...(JSON.stringify(result) !== json && { text: json }) }
  } catch {
    // A layer has put prose in the place of the JSON.
    return { status: 'completed', result: json, text: json }
  }
}

/**
 * The updates of a call as they come, then what it returns. The call goes on whether or not somebody reads on: its signal
 * ends it.
 *
 * @param begin begins the call; never rejects
 */
export async function* toldUpdates<Answer extends object>(
  begin: (onUpdate: (update: JsonText) => void) => Promise<Answer>,
): AsyncGenerator<JsonValue, Answer, undefined> {
  const waiting: JsonValue[] = []
  const ended: Answer[] = []
  let wake = (): void => undefined
  const tell = (): void => wake()
  let isRead = true
  void begin((update) => {
    // Behind the answer of a session, or when the reader has gone, nobody reads on.
    if (!isRead || ended.length > 0) return
    waiting.push(JSON.parse(update))
    tell()
  }).then((answer) => {
    ended.push(answer)
    tell()
  })
  try {
    for (;;) {
      yield* waiting.splice(0)
      if (waiting.length > 0) continue
      const [answer] = ended
      if (answer !== undefined) return answer
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  } finally {
    isRead = false
  }
}

/**
 * The outcome of a call that could not be begun, since the application could not say what it runs with or its session takes
 * no calls: told as if the tool had thrown the error.
 */
export function failedBefore({ tool, toolCallId = '', arguments: rejected }: ToolCall, cause: unknown): ToolOutcome {
  const failed = { call: { tool, toolCallId }, rejected, durationMs: 0, attempts: 0, cause }
  return failedOutcome(classify(cause, Date.now()), failed)
}
