import { spokenText } from '../agent/message-text.js'
import type { HeardModel } from '../contract/hook.js'
import type { ModelAnswer } from '../contract/model-driver.js'
import type { Decision } from '../contract/planner.js'

/** What an answer says. */
type Said = Omit<HeardModel, 'meta' | 'turn' | 'messages'>

export function modelSaid({ message, calls, answer, finishReason, usage }: ModelAnswer): Said {
  return {
    text: answer ?? spokenText(message),
    calls,
    message,
    ...(finishReason !== undefined && { finishReason }),
    ...(usage !== undefined && { usage }),
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
    calls: decision.kind === 'calls' ? decision.calls : [],
    ...(message !== undefined && { message }),
    ...(finishReason !== undefined && { finishReason }),
    ...(usage !== undefined && { usage }),
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
