import type { OpenAI } from 'openai'
import type { RunMeta } from '../contract/planner.js'
import type { ModelRetry } from './model-retry.js'

/** A request of chat completions. */
export type CompletionRequest = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming

/** What a part of a streamed answer adds, as the server sent it. */
export type CompletionDelta = OpenAI.Chat.Completions.ChatCompletionChunk.Choice.Delta

/** What the driver itself fills in, and the fields of the time before tools. */
type OwnField = 'messages' | 'model' | 'tools' | 'stream' | 'functions' | 'function_call'

/**
 * The other fields of a request: `temperature`, `seed`, `tool_choice`, `parallel_tool_calls`, `max_completion_tokens` and so
 * on. They travel unchanged, with two exceptions: a request without tools has no `tool_choice` and no
 * `parallel_tool_calls`, which servers refuse then; a structured answer has its own `response_format`.
 */
export type CompletionFields = Omit<CompletionRequest, OwnField>

/** How a model is asked. */
export interface OpenAiDriverOptions extends CompletionFields {
  /** The application's own: address, key, headers, the time limit of one request and proxies are set there. */
  readonly client: OpenAI
  readonly model: string
  /** Take the answer in parts, so that {@link onDelta} hears of them. Default false. The messages are the same. */
  readonly stream?: boolean
  /** Hold the model to the schemas of tools and answer, where strict mode can say them. Default true. */
  readonly strict?: boolean
  /** When a request is sent again. The client's own `maxRetries` is not used. */
  readonly retry?: ModelRetry
  /**
   * Told of each part of a streamed answer as it comes. What it throws harms nobody. Once it was told something, a stream
   * that breaks off is not asked for again.
   */
  readonly onDelta?: (delta: CompletionDelta, meta: RunMeta) => void
  /** Fields that only this server knows; those of chat completions go before them. */
  readonly extraBody?: Readonly<Record<string, unknown>>
}
