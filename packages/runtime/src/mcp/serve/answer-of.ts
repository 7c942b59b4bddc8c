import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { isFields } from '../../codec/json/kind.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import { renderForModel } from '../../execute/render/render-for-model.js'

/** What a client is answered: the text that a model reads, and the result as structured content where it is declared. */
export function answerOf(outcome: ToolOutcome, isStructured: boolean): CallToolResult {
  const content: CallToolResult['content'] = [{ type: 'text', text: renderForModel(outcome) }]
  if (outcome.status !== 'completed') return { content, isError: true }
  const result: unknown = isStructured ? JSON.parse(outcome.json) : undefined
  return isFields(result) ? { content, structuredContent: result } : { content }
}
