import type { ToolSpec } from '../../contract/spec.js'
import { type OpenAiTool, type OpenAiToolOptions, openAiTool } from './openai-tool.js'

/** A function tool of OpenAI's Responses API. */
export type OpenAiResponsesTool = { readonly type: 'function' } & OpenAiTool['function']

/**
 * Tools for a request to OpenAI's chat completions; see {@link openAiTool}, which also reports what it changed.
 *
 * @throws {SchemaError} when the schema of some arguments is faulty.
 * @example
 * await client.chat.completions.create({ model, messages, tools: toOpenAITools(support.specs) })
 */
export function toOpenAITools(specs: readonly ToolSpec[], options?: OpenAiToolOptions): OpenAiTool[] {
  return specs.map((spec) => openAiTool(spec, options).tool)
}

/**
 * The same tools for a request to OpenAI's Responses API.
 *
 * @throws {SchemaError} when the schema of some arguments is faulty.
 * @example
 * await client.responses.create({ model, input, tools: toOpenAIResponsesTools(support.specs) })
 */
export function toOpenAIResponsesTools(specs: readonly ToolSpec[], options?: OpenAiToolOptions): OpenAiResponsesTool[] {
  return toOpenAITools(specs, options).map(({ type, function: described }) => ({ type, ...described }))
}
