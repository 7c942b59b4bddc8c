import { generateText, jsonSchema, tool, toolSearch } from 'ai-7'

/** Searches with `toolSearch` of the AI SDK. The scripted model calls it with all queries in the first step. */
export function searchOver(tools) {
  const deferred = Object.fromEntries(
    tools.map(({ id, description, parameters }) => [
      id,
      tool({ deferLoading: true, description, inputSchema: jsonSchema(parameters), execute: async () => null }),
    ]),
  )
  return async (queries, limit) => {
    const calls = queries.map((query, index) => ({
      type: 'tool-call',
      toolCallId: String(index),
      toolName: 'search',
      input: JSON.stringify({ query }),
    }))
    const { toolResults } = await generateText({
      model: modelThatCalls(calls),
      tools: { search: toolSearch({ maxResults: limit }), ...deferred },
      prompt: 'Search.',
    })
    const found = new Map(toolResults.map(({ toolCallId, output }) => [toolCallId, output.tools]))
    return calls.map(({ toolCallId }) => found.get(toolCallId).map(({ name }) => name))
  }
}

const modelThatCalls = (content) => ({
  specificationVersion: 'v4',
  provider: 'bench',
  modelId: 'bench',
  supportedUrls: {},
  doGenerate: async () => ({
    content,
    finishReason: { unified: 'tool-calls', raw: 'tool-calls' },
    usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
    warnings: [],
  }),
})
