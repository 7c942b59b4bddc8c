import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream'
import { describe, expect, it } from 'vitest'
import { accumulateChunks } from '../../packages/runtime/src/chat/replies.js'
import { runItems } from '../../packages/runtime/src/chat/run-items.js'
import type { ChatChunk } from '../../packages/runtime/src/types/chat-reply.js'

import { hasData } from '../data.js'
import { streams } from './recorded.fixture.js'

/** What OpenAI's own client makes of the same chunks; `undefined` where it refuses them. */
async function byOpenAi(chunks: readonly ChatChunk[]) {
  const encoder = new TextEncoder()
  const lines = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(encoder.encode(`${JSON.stringify(chunk)}\n`))
      controller.close()
    },
  })
  try {
    const { choices, usage } = await ChatCompletionStream.fromReadableStream(lines).finalChatCompletion()
    return { choice: choices[0], usage }
  } catch {
    return undefined
  }
}

/** Calls as their ids, names and texts. */
const callsOf = (message: { readonly tool_calls?: readonly unknown[] } | undefined) =>
  JSON.parse(JSON.stringify(message?.tool_calls ?? []))

describe.skipIf(!hasData)('12 recorded streams (needs the data folder)', () => {
  it('are whole and sound, and their messages become items', () => {
    expect(streams.length).toBe(12)
    expect(streams.flatMap(({ chunks }) => chunks).length).toBe(1894)
    for (const { source, chunks } of streams) {
      const { issues, message, usage, otherChoices } = accumulateChunks(chunks)
      expect(issues, source).toEqual([])
      expect(otherChoices, source).toBe(0)
      expect(usage?.total_tokens, source).toBeGreaterThan(0)
      expect(runItems([message]).length, source).toBe(1)
    }
  })

  it("give what OpenAI's own client gives of the 11 that it accepts", async () => {
    const refused: string[] = []
    for (const { source, chunks } of streams) {
      const theirs = await byOpenAi(chunks)
      if (theirs === undefined) {
        refused.push(source)
        continue
      }
      const { message, finishReason, usage } = accumulateChunks(chunks)
      // It makes an empty content null.
      expect(message.content || null, source).toBe(theirs.choice?.message.content)
      expect(message.refusal ?? null, source).toBe(theirs.choice?.message.refusal ?? null)
      expect(callsOf(message), source).toEqual(callsOf(theirs.choice?.message))
      expect(finishReason, source).toBe(theirs.choice?.finish_reason)
      expect(usage, source).toEqual(theirs.usage)
    }
    expect(refused).toEqual(['vercel/packages/mistral/src/__fixtures__/mistral-incremental-tool-call.chunks.txt'])
  })

  it('keep reasoning, which no type knows', () => {
    const thinking = streams.filter(({ chunks }) => JSON.stringify(chunks).includes('"reasoning_content":"'))
    expect(thinking.length).toBe(6)
    for (const { source, chunks } of thinking) {
      const parts = chunks.flatMap(({ choices }) => choices ?? []).map(({ delta }) => Object(delta).reasoning_content)
      const message: object = accumulateChunks(chunks).message
      expect(message, source).toMatchObject({ reasoning_content: parts.join('') })
    }
  })

  it('put a call together whose name is sent again as an empty text', () => {
    const stream = streams.find(({ source }) => source.includes('mistral-incremental'))
    expect(accumulateChunks(stream?.chunks ?? []).message).toEqual({
      role: 'assistant',
      content: '',
      refusal: null,
      tool_calls: [
        {
          id: 'chatcmpl-tool-9f149c74c42f265b',
          type: 'function',
          function: { name: 'webSearchTool', arguments: '{"query": "current Berlin weather"}' },
        },
      ],
    })
  })

  it('keep what was received when they break after any chunk', () => {
    for (const { source, chunks } of streams) {
      for (let length = 1; length < chunks.length; length += 7) {
        const { message, finishReason, issues } = accumulateChunks(chunks.slice(0, length))
        const text = chunks.slice(0, length).map(({ choices }) => choices?.[0]?.delta?.content ?? '')
        expect(message.content ?? '', source).toBe(text.join(''))
        const kinds = issues.map(({ code }) => code)
        expect(kinds, source).toEqual(finishReason === undefined ? ['unfinished'] : [])
      }
    }
  })
})
