/** A call that an assistant's message asks for, as chat completions write it. */
export interface ChatToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: {
    /** The tool's wire name. */
    readonly name: string
    /** The arguments as they were sent, byte for byte. */
    readonly arguments: string
  }
}

/** A message in the shape of OpenAI chat completions. */
export type ChatMessage =
  | { readonly role: 'system' | 'developer' | 'user'; readonly content: string }
  | {
      readonly role: 'assistant'
      readonly content: string | null
      readonly tool_calls?: readonly ChatToolCall[]
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string }
