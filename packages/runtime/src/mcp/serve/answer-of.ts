import { type CallToolResult, type ContentBlock, ContentBlockSchema } from '@modelcontextprotocol/sdk/types.js'
import { isFields } from '../../codec/json/kind.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import { renderForModel } from '../../execute/render/render-for-model.js'

/**
 * What a client is answered: the text that a model reads, and the result as structured content where it is declared. Where it
 * is not, a result that has the shape of MCP content is sent as that content: an imported tool that is served again answers as
 * its own server did.
 */
export function answerOf(outcome: ToolOutcome, isStructured: boolean): CallToolResult {
  if (outcome.status !== 'completed') return { content: textOf(renderForModel(outcome)), isError: true }
  const result = parsed(outcome.json)
  if (isStructured) {
    const content = textOf(outcome.json)
    return isFields(result) ? { content, structuredContent: result } : { content }
  }
  return { content: blocksOf(result) ?? textOf(typeof result === 'string' ? result : outcome.json) }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    // A layer has put prose in the place of the JSON.
    return undefined
  }
}

/** The blocks of `{ content: [...] }`; a block of a kind that is not known makes it any other result. */
function blocksOf(result: unknown): ContentBlock[] | undefined {
  if (!isFields(result) || Object.keys(result).join() !== 'content') return undefined
  const blocks = ContentBlockSchema.array().min(1).safeParse(result.content)
  return blocks.success ? blocks.data : undefined
}

function textOf(text: string): ContentBlock[] {
  return [{ type: 'text', text }]
}
