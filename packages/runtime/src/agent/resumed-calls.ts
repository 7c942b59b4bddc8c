import type { ChatMessage } from '../contract/chat-message.js'
import type { ToolOutcome } from '../contract/outcome.js'
import { answerMessages, type NamedCall } from './call-messages.js'
import { namedCall } from './suspended-call.js'
import type { ResumedStep } from './suspension/resumed-run.js'

/** The calls of a step that waited, on their way on. */
export interface ResumedCalls {
  /** All calls of the step, in call order. */
  readonly calls: readonly NamedCall[]
  /** Those that somebody has answered. */
  readonly answered: readonly NamedCall[]
  /** The conversation before the answers of the step. */
  readonly before: readonly ChatMessage[]
  /** The outcomes of all calls, and their messages, where the answered ones came to these. */
  readonly merge: (outcomes: readonly ToolOutcome[]) => {
    readonly outcomes: readonly ToolOutcome[]
    /** Takes the outcomes with which the step ends. */
    readonly answers: (outcomes: readonly ToolOutcome[]) => readonly ChatMessage[]
  }
}

/** Takes a step up again: what its calls were told before stays as it was, in call order. */
export function resumedCalls(step: ResumedStep, messages: readonly ChatMessage[]): ResumedCalls {
  const calls = step.calls.map(namedCall)
  const goesOn = step.calls.map(({ toolCallId }) => step.resumptions.has(toolCallId))
  const start = trailingAnswers(messages)
  const told = messages.slice(start)
  return {
    calls,
    answered: calls.filter((_, index) => goesOn[index]),
    before: messages.slice(0, start),
    merge: (run) => {
      let next = 0
      const outcomes = step.outcomes.map((outcome, index) => {
        if (goesOn[index] !== true) return outcome
        next += 1
        return run[next - 1] ?? outcome
      })
      return {
        outcomes,
        answers: (ended) => {
          const before = [...told]
          const answers = calls.flatMap((call, index) => {
            const isTold = step.outcomes[index]?.status !== 'suspended'
            const message = isTold ? before.shift() : undefined
            if (message !== undefined) return [message]
            const outcome = ended[index]
            return outcome === undefined ? [] : answerMessages([call], [outcome])
          })
          // What a layer may have put there is not lost.
          return [...answers, ...before]
        },
      }
    },
  }
}

/** Where the answers at the end of a conversation begin. */
function trailingAnswers(messages: readonly ChatMessage[]): number {
  let start = messages.length
  while (messages[start - 1]?.role === 'tool') start -= 1
  return start
}
