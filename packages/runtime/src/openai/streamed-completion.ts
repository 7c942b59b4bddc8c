import type { OpenAI } from 'openai'
import { ModelAnswerError } from '../agent/model-answer-error.js'
import { ReplyAccumulator } from '../chat/reply-accumulator.js'
import type { CompletionDelta, CompletionRequest } from './openai-options.js'

/** How a stream is asked for. */
export interface StreamContext {
  readonly client: OpenAI
  readonly signal: AbortSignal
  /** Told of each part. */
  readonly onDelta: (delta: CompletionDelta) => void
}

/**
 * A streamed answer, put together to what the server would have sent whole.
 *
 * @throws {ModelAnswerError} when the stream ends before the message does, or holds parts that are none.
 */
export async function streamedCompletion(
  body: CompletionRequest,
  { client, signal, onDelta }: StreamContext,
): Promise<unknown> {
  const request = { stream_options: { include_usage: true }, ...body, stream: true as const }
  const stream = await client.chat.completions.create(request, { signal, maxRetries: 0 })
  const accumulator = new ReplyAccumulator()
  for await (const chunk of stream) {
    accumulator.add(chunk)
    // Servers may send anything: the accumulator says what is wrong with it.
    const choices = Array.isArray(chunk?.choices) ? chunk.choices : []
    for (const choice of choices) if (choice?.delta && !choice.index) onDelta(choice.delta)
  }
  // The client ends an aborted stream as if it were whole.
  signal.throwIfAborted()
  const { message, finishReason, usage, model, faults } = accumulator.reply()
  for (const { kind, message: detail } of faults) {
    if (kind === 'no_choice') throw new ModelAnswerError('no_choices')
    if (kind === 'unfinished') throw new ModelAnswerError('cut_off')
    if (kind === 'malformed_part') throw new ModelAnswerError('malformed_message', { detail })
  }
  return { choices: [{ message, finish_reason: finishReason }], usage, model }
}
