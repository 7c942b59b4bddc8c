import type { ToolSpec } from '../../contract/spec.js'
import { type AnthropicTool, anthropicTool } from './anthropic-tool.js'

/**
 * Tools for a request to Anthropic's Messages API; see {@link anthropicTool}, which also reports what it changed.
 *
 * @throws {SchemaError} when the schema of some arguments is faulty.
 * @example
 * await client.messages.create({ model, max_tokens, messages, tools: toAnthropicTools(support.specs) })
 */
export function toAnthropicTools(specs: readonly ToolSpec[]): AnthropicTool[] {
  return specs.map((spec) => anthropicTool(spec).tool)
}
