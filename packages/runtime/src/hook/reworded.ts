import { spokenText } from '../agent/message-text.js'
import type { HeardModel } from '../contract/hook.js'
import type { ModelAnswer } from '../contract/model-driver.js'
import type { Decision } from '../contract/planner.js'
import { frozenCopy } from './told.js'

/** Of a message with its calls: `tool_calls[0].function`. */
const MESSAGE_DEPTH = 4

/** What an answer says. */
type Said = Omit<HeardModel, 'meta' | 'turn' | 'messages'>

/** What a model said, as hooks are told: copies. */
export function modelSaid({ message, calls, answer, finishReason, usage }: ModelAnswer): Said {
  return {
    text: answer ?? spokenText(message),
    calls: frozenCopy(calls, 2),
    message: frozenCopy(message, MESSAGE_DEPTH),
    ...(finishReason !== undefined && { finishReason }),
    ...(usage !== undefined && { usage: frozenCopy(usage, 1) }),
  }
}

/** The answer of a model with other words; its calls stay. */
export function rewordedAnswer(given: ModelAnswer, text: string): ModelAnswer {
  const message = { ...given.message, content: text }
  return { ...given, message, ...(given.answer !== undefined && { answer: text }) }
}

export function decisionSaid(decision: Decision): Said {
  const { message, finishReason, usage } = decision
  return {
    text: (decision.kind === 'question' ? decision.question : decision.text) ?? '',
    calls: decision.kind === 'calls' ? frozenCopy(decision.calls, 2) : [],
    ...(message !== undefined && { message: frozenCopy(message, MESSAGE_DEPTH) }),
    ...(finishReason !== undefined && { finishReason }),
    ...(usage !== undefined && { usage: frozenCopy(usage, 1) }),
  }
}

/** The decision of a planner with other words; its calls and its value stay. */
export function rewordedDecision(decision: Decision, text: string): Decision {
  const { message } = decision
  const reworded = message === undefined ? {} : { message: { ...message, content: text } }
  return decision.kind === 'question'
    ? { ...decision, ...reworded, question: text }
    : { ...decision, ...reworded, text }
}
