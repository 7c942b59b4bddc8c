import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { type Answer, isAnswer } from './answer.js'

/** A request whose stream ended early. */
export interface Resumable {
  readonly id: RequestId
  /** How often it could not be taken up. */
  failures: number
}

/**
 * The requests of a connection over HTTP that wait for an answer. Answers are read here, ahead of the SDK: it is handed a short
 * stand-in for each, as text, and what it takes the stand-in for is replaced by the answer on its way to the client. So nothing
 * is parsed twice, and what this side says of an answer cannot be said by a server.
 */
export class OpenRequests {
  readonly #open = new Map<string, AbortController>()
  readonly #answers = new Map<string, Answer>()
  readonly #resumable = new Map<string, Resumable>()

  /** @returns ends what is still under way of the request once nobody waits for its answer any more */
  begin(id: RequestId): AbortController {
    const controller = new AbortController()
    this.#open.set(String(id), controller)
    return controller
  }

  has(id: RequestId): boolean {
    return this.#open.has(String(id))
  }

  /** Nobody waits for the answer any more: what is under way for it is ended. */
  cancel(id: RequestId): void {
    const controller = this.#open.get(String(id))
    this.forget(id)
    controller?.abort()
  }

  /** The request has failed by itself. */
  forget(id: RequestId): void {
    this.#open.delete(String(id))
    this.#answers.delete(String(id))
  }

  /** Takes an answer; returns its stand-in as JSON. */
  answer(answer: Answer): string {
    this.#open.delete(String(answer.id))
    this.#answers.set(String(answer.id), answer)
    return JSON.stringify({ jsonrpc: '2.0', id: answer.id, result: {} })
  }

  /** The answer that a message stands for; any other message as it is. */
  replaced(message: JSONRPCMessage): JSONRPCMessage {
    if (!isAnswer(message)) return message
    const answer = this.#answers.get(String(message.id))
    this.#answers.delete(String(message.id))
    return answer ?? message
  }

  /** The stream of a request has ended early; it may be taken up after an event. */
  mayResume(eventId: string, id: RequestId): void {
    this.#resumable.set(eventId, { id, failures: 0 })
  }

  /** What is to be taken up after an event. */
  resumable(eventId: string): Resumable | undefined {
    return this.#resumable.get(eventId)
  }

  /** Nothing is to be taken up after that event any more. */
  forgetEvent(eventId: string): void {
    this.#resumable.delete(eventId)
  }
}
