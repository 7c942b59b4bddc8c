/** What an answer of a model cost, as chat completions count it. Other fields travel with it. */
export interface ChatUsage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens?: number
}

/** A part of a call in a stream. */
export interface ChatToolCallPart {
  /** Which call of the message it belongs to. */
  readonly index?: number
  readonly id?: string | null
  readonly type?: string
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null }
  readonly custom?: { readonly name?: string | null; readonly input?: string | null }
}

/** A part of a message in a stream. */
export interface ChatDelta {
  readonly role?: string
  readonly content?: string | null
  readonly refusal?: string | null
  readonly tool_calls?: readonly ChatToolCallPart[] | null
  readonly function_call?: { readonly name?: string; readonly arguments?: string } | null
}

/** What a chunk says of one of the answers that were asked for. */
export interface ChatChunkChoice {
  readonly index?: number
  readonly delta?: ChatDelta | null
  readonly finish_reason?: string | null
}

/**
 * One chunk of a streamed chat completion. A `ChatCompletionChunk` of the package `openai` is one; fields are optional
 * here since compatible servers leave some out.
 */
export interface ChatChunk {
  readonly model?: string
  readonly choices?: readonly ChatChunkChoice[] | null
  readonly usage?: ChatUsage | null
}
