import { isFields } from '../codec/json/kind.js'
import type { JsonObject } from '../contract/json.js'
import type { McpToolInfo } from '../contract/mcp.js'
import { McpCallError } from '../execute/mcp/mcp-call-error.js'

/** No server has so many pages of tools; one that says so is broken. */
const MAX_PAGES = 1_000

/**
 * Returns all tools over all pages.
 *
 * @param onSkippedTool receives an error for each tool without a name, which is left out
 * @throws {McpCallError} `malformed` for an answer that is no list of tools, and for pages without end.
 */
export async function listedTools(
  page: (cursor: string | undefined) => Promise<object>,
  onSkippedTool: (error: McpCallError) => void,
): Promise<readonly McpToolInfo[]> {
  const tools: McpToolInfo[] = []
  let position = 0
  let cursor: string | undefined
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const answer: object = await page(cursor)
    if (!('tools' in answer) || !Array.isArray(answer.tools)) throw malformed('the answer lists no tools')
    for (const listed of answer.tools) {
      const tool = toolInfo(listed)
      position += 1
      if (tool === undefined) onSkippedTool(malformed(`the tool ${position} of the list has no name and is left out`))
      else tools.push(tool)
    }
    const next: unknown = 'nextCursor' in answer ? answer.nextCursor : undefined
    if (typeof next !== 'string' || next === '') return tools
    if (next === cursor) throw malformed('a page of the tool list names itself as the next one')
    cursor = next
  }
  throw malformed(`the tool list has more than ${MAX_PAGES} pages`)
}

function toolInfo(tool: unknown): McpToolInfo | undefined {
  if (!isFields(tool) || typeof tool.name !== 'string' || tool.name.trim() === '') return undefined
  const { name, title, description, inputSchema, outputSchema, annotations } = tool
  return {
    name,
    inputSchema: isFields(inputSchema) ? inputSchema : true,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    ...(isFields(outputSchema) && { outputSchema }),
    // Parsed from JSON.
    ...(isFields(annotations) && { annotations: annotations as JsonObject }),
  }
}

function malformed(message: string): McpCallError {
  return new McpCallError('malformed', message)
}
