import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import { type Answer, brokenAnswer, isAnswer, ownAnswer, tooLarge } from './answer.js'
import type { ScreenedStream } from './event-screen.js'
import { readValue } from './read-message.js'

/** The messages of a body of JSON, again as JSON, with a stand-in for each answer and surely one for the request. */
export async function jsonAnswers(
  body: ReadableStream<Uint8Array> | null,
  { request, requests, maxMessageBytes }: ScreenedStream & { readonly request: RequestId },
): Promise<string> {
  const answered = (answer: Answer): string => requests.answer(answer)
  const text = body === null ? '' : await textWithin(body, maxMessageBytes)
  if (text === undefined) return answered(ownAnswer(request, tooLarge(maxMessageBytes)))
  const { values, cause } = parsed(text)
  const written = values.flatMap((value) => {
    const read = readValue(value)
    const message = read.kind === 'message' ? read.message : read.answer
    if (message === undefined) return []
    return isAnswer(message) ? answered(message) : JSON.stringify(message)
  })
  // Unless nobody waits for it any more.
  if (requests.has(request)) written.push(answered(ownAnswer(request, brokenAnswer(cause))))
  return `[${written.join(',')}]`
}

function parsed(text: string): { readonly values: readonly unknown[]; readonly cause?: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    return { values: Array.isArray(value) ? value : [value] }
  } catch (cause) {
    return { values: [], cause }
  }
}

/** A body as text; `undefined` where it is longer than a message may be. */
async function textWithin(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<string | undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let [text, length] = ['', 0]
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    length += value.length
    if (length > maxBytes) {
      reader.cancel().catch(() => undefined)
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}
