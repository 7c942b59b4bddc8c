// Makes a scripted model the default provider of the AI SDK: it calls one tool, then gives the answer that the page shows.
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }

const model = {
  specificationVersion: 'v3',
  provider: 'scripted',
  modelId: 'scripted',
  supportedUrls: {},
  doGenerate: async ({ prompt }) => {
    const result = prompt.at(-1).role === 'tool' ? JSON.stringify(prompt.at(-1).content) : undefined
    if (result !== undefined) {
      const text = result.includes('41.5') ? 'Invoice I-1 has a total of 41.50 euros.' : result
      return { content: [{ type: 'text', text }], finishReason: { unified: 'stop' }, usage, warnings: [] }
    }
    const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'getInvoice', input: '{"invoiceId":"I-1"}' }
    return { content: [call], finishReason: { unified: 'tool-calls' }, usage, warnings: [] }
  },
}

globalThis.AI_SDK_DEFAULT_PROVIDER = { languageModel: () => model }
