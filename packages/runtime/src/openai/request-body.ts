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

/** The body of a request: the run's messages as they are, the tools, and the fields of the driver unchanged. */
export function requestBody(
  { model, fields, extraBody }: RequestParts,
  { messages }: ModelRequest,
  { tools }: SentTools,
  format: AnswerFormat | undefined,
): CompletionRequest {
  const { tool_choice, parallel_tool_calls, ...others } = fields
  // Servers refuse these two where there are no tools.
  const ofTools = {
    ...(tool_choice !== undefined && { tool_choice }),
    ...(parallel_tool_calls !== undefined && { parallel_tool_calls }),
  }
  return {
    ...extraBody,
    ...others,
    model,
    messages: [...messages],
    ...(tools.length > 0 && { ...ofTools, tools: [...tools] }),
    ...(format !== undefined && { response_format: format.format }),
  }
}
