import { describe, expect, it } from 'vitest'
import { accumulateChunks } from '../../packages/runtime/src/chat/replies.js'
import { streams } from '../chat/recorded.fixture.js'
import { hasData } from '../data.js'
import { apis } from './apis.js'
import { type Answer, apiServer, event } from './scripted-api.js'

const sends =
  (chunks: readonly object[]): Answer =>
  (response) => {
    const events = [...chunks, '[DONE]'].map((chunk) => event(chunk))
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events.join(''))
  }

const meta = { runId: 'r', agent: 'a', labels: {}, signal: new AbortController().signal }

describe.skipIf(!hasData)('recorded streams of providers (need the data folder)', () => {
  // All recorded streams are in the format of chat completions.
  it.each(['openAiDriver', 'aiSdkDriver'])('are read by %s', async (name) => {
    const api = apis.find((each) => each.name === name)
    if (api === undefined) throw new Error(`no driver ${name}`)
    for (const { source, chunks } of streams) {
      const server = await apiServer(api, sends(chunks))
      const deltas: object[] = []
      const onDelta = (delta: object): void => void deltas.push(delta)
      const driver = api.driver(server.baseURL, { stream: true, retry: { attempts: 1 }, onDelta })
      const response = await driver.ask({ messages: [{ role: 'user', content: 'Hi' }], tools: [], meta })
      const { message, usage, finishReason } = accumulateChunks(chunks)
      expect(response.message.content || '', source).toBe(message.content || '')
      const calls = (message.tool_calls ?? []).map((call) => (call.type === 'function' ? call.function : {}))
      expect(
        response.calls.map(({ tool, arguments: json }) => ({ name: tool, arguments: json })),
        source,
      ).toEqual(calls)
      expect(response.usage, source).toMatchObject({ promptTokens: usage?.prompt_tokens })
      expect(response.finishReason, source).toBe(finishReason)
      expect(deltas.length, source).toBeGreaterThan(0)
    }
  })
})
