import type { ChatUsage } from '../contract/chat-chunk.js'
import type { ChatAssistantMessage } from '../contract/chat-message.js'

/**
 * What is wrong with a stream. Each says so in a sentence for people.
 * - `unfinished`: it ended without a finish reason;
 * - `no_choice`: it never said anything of choice 0;
 * - `incomplete_call`: a call has no id or no name; both are empty texts in the message then;
 * - `malformed_part`: a part had the wrong type and was left out; `chunk` is its number, the first is 0, and `path` a JSON
 *   Pointer into the chunk, or into the message where the parts are faulty only together;
 * - `server_error`: the server sent an error in the middle of the stream.
 */
export type StreamFault =
  | { readonly kind: 'unfinished' | 'no_choice'; readonly message: string }
  | { readonly kind: 'incomplete_call'; readonly path: string; readonly message: string }
  | { readonly kind: 'malformed_part'; readonly chunk: number; readonly path: string; readonly message: string }
  | { readonly kind: 'server_error'; readonly chunk: number; readonly message: string }

/** What a stream held, so far or in the end. */
export interface StreamedReply {
  /** The message of choice 0 as far as it was received; `content` and `refusal` are always there. */
  readonly message: ChatAssistantMessage & { readonly content: string | null; readonly refusal: string | null }
  /** Why the model stopped; absent where the stream did not say. */
  readonly finishReason?: string
  /** The latest account; absent where the stream had none. */
  readonly usage?: ChatUsage
  /** The model that answered, as it calls itself. */
  readonly model?: string
  /** How many other choices the stream held; they are not kept. */
  readonly otherChoices: number
  /** Empty for a whole and sound stream. Of chunks at most 100 faults are listed. */
  readonly faults: readonly StreamFault[]
}
