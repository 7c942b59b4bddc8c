import type { ChatFields } from '../contract/chat-request.js'
import type { ModelRequest } from '../contract/model-driver.js'
import type { AnswerFormat } from './answer-format.js'
import type { CompletionFields, CompletionRequest } from './openai-options.js'
import type { SentTools } from './sent-tools.js'

/** What each request of a driver has in common. */
export interface RequestParts {
  readonly model: string
  readonly fields: CompletionFields
  readonly extraBody: Readonly<Record<string, unknown>> | undefined
}

/**
 * The body of a request: the run's messages as they are, the tools, and all other fields unchanged: those of the run before
 * those of the driver before `extraBody`.
 *
 * @throws {TypeError} when the `tools` of the run are no list.
 */
export function requestBody(
  { model, fields, extraBody }: RequestParts,
  { messages, fields: ofRun = {} }: ModelRequest,
  { tools }: SentTools,
  format: AnswerFormat | undefined,
): CompletionRequest {
  const { tool_choice, parallel_tool_calls, ...others } = { ...fields, ...withoutOwn(ofRun) }
  // Servers refuse these two where there are no tools.
  const ofTools = {
    ...(tool_choice !== undefined && { tool_choice }),
    ...(parallel_tool_calls !== undefined && { parallel_tool_calls }),
  }
  return {
    ...extraBody,
    model,
    ...others,
    messages: [...messages],
    ...(tools.length > 0 && { ...ofTools, tools: [...toolsOf(ofRun), ...tools] }),
    ...(format !== undefined && { response_format: format.format }),
  }
}

/** The fields of a run but those that belong to the driver: how many answers it reads, and whether in parts. */
function withoutOwn({ messages, tools, stream, stream_options, n, ...others }: ChatFields): ChatFields {
  return others
}

function toolsOf({ tools = [] }: ChatFields): CompletionRequest['tools'] & object {
  if (Array.isArray(tools)) return tools
  throw new TypeError('the `tools` of the chat request are no list')
}
