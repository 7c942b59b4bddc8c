import { isFields } from '../codec/json/kind.js'
import type { ModelAnswer, ModelCall } from '../contract/model-driver.js'
import { ModelAnswerError } from './model-answer-error.js'
import { replyMessage } from './reply-message.js'

/**
 * What a driver answered, as it may go into a conversation: its message is an assistant's, and its calls are those of the
 * message, each under an id of its own. A driver may be anybody's, and models repeat ids: these are mended.
 *
 * @param place how many messages are before it
 * @throws {ModelAnswerError} `malformed_message` where there is no message, or other calls than it asks for.
 */
export function heardAnswer(said: unknown, place: number): ModelAnswer {
  if (!isAnswer(said)) {
    throw new ModelAnswerError('malformed_message', { detail: 'The driver answered without `message` and `calls`.' })
  }
  if (isSound(said)) return said
  const message = replyMessage(said.message, place)
  const asked = message.tool_calls ?? []
  if (asked.length !== said.calls.length) {
    throw new ModelAnswerError('malformed_message', { detail: 'Its calls are not those that the driver hands on.' })
  }
  const calls = asked.flatMap(({ id }, index): readonly ModelCall[] => {
    const call = said.calls[index]
    return call === undefined ? [] : [{ ...call, toolCallId: id }]
  })
  return { ...said, message, calls }
}

function isAnswer(said: unknown): said is ModelAnswer {
  return isFields(said) && isFields(said.message) && Array.isArray(said.calls)
}

/** Whether nothing is to be mended: the usual case. */
function isSound({ message, calls }: ModelAnswer): boolean {
  const asked = message.tool_calls
  if (message.role !== 'assistant' || message.content === undefined) return false
  if (asked === undefined) return calls.length === 0
  if (!Array.isArray(asked) || asked.length === 0 || asked.length !== calls.length) return false
  const used = new Set<string>()
  // By index: what an iterator over entries makes is a tenth of what a call takes.
  for (let index = 0; index < asked.length; index += 1) {
    const { id, type } = asked[index] ?? {}
    if (typeof id !== 'string' || id === '' || used.has(id) || calls[index]?.toolCallId !== id) return false
    if (type !== 'function' && type !== 'custom') return false
    used.add(id)
  }
  return true
}
