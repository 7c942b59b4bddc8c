import type { ToolCall } from '../../contract/call.js'
import type { ChatMessage } from '../../contract/chat-message.js'
import type { MetaField } from '../../contract/meta.js'
import type { CallTarget, RunFrame } from './call-target.js'
import type { CallListener } from './execute-call.js'
import type { GivenOptions } from './given-call.js'

/** What a run needs of the session that it is in. */
export interface RunSession {
  /**
   * Begins a call of a streaming tool. Never throws. The listener is told of what the call came to before its tool began, or
   * that it was acknowledged: then the call goes on without its run.
   */
  begin(
    target: CallTarget,
    call: ToolCall<unknown, MetaField>,
    options: GivenOptions,
    frame: RunFrame,
    listener: CallListener,
  ): void
  /**
   * Gives out what acknowledged calls of runs have come to, as messages, each once.
   *
   * @param accept given the messages at the moment that nobody else can have them any more; where it does not take them, they stay
   * @returns `undefined` where there is nothing; else resolves, also where nothing could be given out, when that is over
   */
  late(accept: (messages: readonly ChatMessage[]) => boolean): Promise<void> | undefined
}
