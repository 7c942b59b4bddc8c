import * as sdk from 'ai'
import { generateText, stepCountIs } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { aiSdkTools, keepMalformed } from '../../packages/runtime/src/ai-sdk.js'
import type { Framework, ToldCall, WrittenCall } from './framework.js'

type Generate = MockLanguageModelV3['doGenerate']
export type Generated = Awaited<ReturnType<Generate>>
export type Prompt = Parameters<Generate>[0]['prompt']

const usage: Generated['usage'] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** The tests also run with version 7 of the SDK; see the Vitest configuration. */
export const isVersion7 = 'isStepCount' in sdk

/** Returns a response of a model with these calls. Without calls, the response is the text `Done.` */
export function generated(calls: readonly WrittenCall[]): Generated {
  if (calls.length === 0) {
    return {
      content: [{ type: 'text', text: 'Done.' }],
      finishReason: { unified: 'stop', raw: 'stop' },
      usage,
      warnings: [],
    }
  }
  return {
    content: calls.map(({ id, tool, arguments: input }) => ({
      type: 'tool-call',
      toolCallId: id,
      toolName: tool,
      input,
    })),
    finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
    usage,
    warnings: [],
  }
}

/** Returns a model that makes these calls in each turn. */
export function scripted(turns: readonly (readonly WrittenCall[])[]): MockLanguageModelV3 {
  let turn = -1
  return new MockLanguageModelV3({
    doGenerate: async () => {
      turn += 1
      return generated(turns[turn] ?? [])
    },
  })
}

/** Returns the tool results at the end of a prompt. */
export function toldIn(prompt: Prompt): readonly (ToldCall & { readonly type: string })[] {
  const last = prompt.at(-1)
  if (last?.role !== 'tool') return []
  return last.content.flatMap((part) => {
    if (part.type !== 'tool-result') return []
    const { output, toolCallId: id } = part
    return [{ id, type: output.type, text: 'value' in output ? String(output.value) : '' }]
  })
}

export const aiSdk: Framework = {
  name: 'the Vercel AI SDK',
  play: async (bound, turns, { signal, ...options } = {}) => {
    const tools = aiSdkTools(bound, options)
    const model = scripted(turns)
    const { text } = await generateText({
      model,
      tools,
      prompt: 'Help me.',
      stopWhen: stepCountIs(100),
      experimental_repairToolCall: keepMalformed(tools),
      ...(signal && { abortSignal: signal }),
    })
    const [first, ...later] = model.doGenerateCalls
    return {
      text,
      offered: (first?.tools ?? []).flatMap((tool) =>
        tool.type === 'function' ? [{ name: tool.name, description: tool.description, schema: tool.inputSchema }] : [],
      ),
      told: later.map(({ prompt }) => toldIn(prompt).map(({ id, text }) => ({ id, text }))),
    }
  },
}
