import type { OpenAI } from 'openai'
import { compiledRequest } from '../agent/builder/compiled-request.js'
import type { MessageCompiler } from '../contract/message-compiler.js'
import type { ModelDriver } from '../contract/model-driver.js'
import type { RunMeta } from '../contract/planner.js'
import { answerFormatter } from './answer-format.js'
import { requestError } from './error-answer.js'
import { modelAnswer } from './model-answer.js'
import { modelRetry } from './model-retry.js'
import type { CompletionDelta, CompletionRequest, OpenAiDriverOptions } from './openai-options.js'
import { requestBody } from './request-body.js'
import { toolSender } from './sent-tools.js'
import { streamedCompletion } from './streamed-completion.js'
import { withSignal } from './with-signal.js'

/**
 * Asks a model behind OpenAI's chat completions, or any server that speaks them, through the application's own client.
 *
 * The messages of the run are sent as they are, the tools in strict form where that can say them. Requests that fail for
 * the moment are sent again by the driver's own policy, whatever the client's. The signal of the run ends a request, a
 * stream and a wait at once.
 *
 * It rejects with the client's own errors, and with `ModelAnswerError` for answers that are of no use.
 *
 * @throws {RangeError} when a number of `retry` is none.
 *
 * @example
 * const client = new OpenAI({ baseURL: 'http://localhost:11434/v1', apiKey: 'none' })
 * const driver = openAiDriver({ client, model: 'qwen3', temperature: 0 })
 */
export function openAiDriver(options: OpenAiDriverOptions): ModelDriver {
  return compilingDriver(options, undefined)
}

function compilingDriver(options: OpenAiDriverOptions, compiler: MessageCompiler | undefined): ModelDriver {
  const { client, model, stream = false, strict = true, retry, onDelta, extraBody, ...fields } = options
  const askAgain = modelRetry(retry)
  const sender = toolSender(strict)
  const formatter = answerFormatter(strict)
  return {
    name: 'openai',
    withMessageCompiler: (given) => compilingDriver(options, given),
    ask: async (given) => {
      const request = compiler === undefined ? given : await compiledRequest(given, compiler)
      const { meta, tools, answer } = request
      let told = false
      const hear = (delta: CompletionDelta): void => {
        if (onDelta === undefined) return
        told = true
        tell(onDelta, delta, meta)
      }
      const ask = async () => {
        const sent = sender(tools)
        const format = answer === undefined ? undefined : formatter(answer)
        const body = requestBody({ model, fields, extraBody }, request, sent, format)
        const completion = await withSignal(meta.signal, (signal) =>
          stream ? streamedCompletion(body, { client, signal, onDelta: hear }) : wholeCompletion(client, body, signal),
        ).catch((error: unknown) => {
          throw requestError(error)
        })
        return modelAnswer(completion, { place: given.messages.length, sent, format })
      }
      return askAgain({ signal: meta.signal, ask, mayRepeat: () => !told })
    },
  }
}

/** What the server answered; the client says what it should be, not what it is. */
function wholeCompletion(client: OpenAI, body: CompletionRequest, signal: AbortSignal): Promise<unknown> {
  return client.chat.completions.create(body, { signal, maxRetries: 0 })
}

function tell(onDelta: NonNullable<OpenAiDriverOptions['onDelta']>, delta: CompletionDelta, meta: RunMeta): void {
  try {
    onDelta(delta, meta)
  } catch {
    // Documented: whoever listens harms nobody.
  }
}
