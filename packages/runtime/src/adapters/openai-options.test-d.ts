import type { OpenAI } from 'openai'
import { openAiDriver } from './openai-driver.js'
import type { OpenAiDriverOptions } from './openai-request.js'
import type { OpenAiResponsesDriverOptions } from './openai-responses-driver.js'

declare const client: OpenAI

export const forms: readonly OpenAiDriverOptions[] = [
  { client, model: 'gpt-5.2' },
  { client, model: 'anything', temperature: 0, seed: 1, tool_choice: 'required', parallel_tool_calls: false },
  { client, model: 'm', stream: true, onDelta: ({ content }, { runId }) => void [content?.length, runId.length] },
  { client, model: 'm', extraBody: { top_k: 1 }, retry: { attempts: 1 } },
  // @ts-expect-error a model has a name
  { client },
  // @ts-expect-error the messages are those of the run
  { client, model: 'm', messages: [] },
  // @ts-expect-error the tools are those of the agent
  { client, model: 'm', tools: [] },
  // @ts-expect-error no number
  { client, model: 'm', temperature: 'hot' },
  // @ts-expect-error nobody knows this field: it belongs to extraBody
  { client, model: 'm', top_k: 1 },
]

export const responses: readonly OpenAiResponsesDriverOptions[] = [
  { model: 'gpt-5.2' },
  { client, model: 'gpt-5.2', reasoning: { effort: 'low', summary: 'auto' }, text: { verbosity: 'low' }, store: true },
  { model: 'gpt-5.2', stream: true, onDelta: (delta) => void (delta.type === 'arguments' ? delta.tool : delta.text) },
  // @ts-expect-error the input contains the messages of the run
  { model: 'gpt-5.2', input: 'Hi' },
  // @ts-expect-error the driver sends the whole conversation
  { model: 'gpt-5.2', previous_response_id: 'r-1' },
  // @ts-expect-error a field of chat completions
  { model: 'gpt-5.2', max_completion_tokens: 9 },
]

// @ts-expect-error the client is the application's own
openAiDriver({ model: 'm' })
