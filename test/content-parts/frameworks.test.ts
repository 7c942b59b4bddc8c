import { Agent, Runner } from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
import { Runtime } from '@toolgen/runtime'
import { aiSdkTools } from '@toolgen/runtime/ai-sdk'
import { langChainTools } from '@toolgen/runtime/langchain'
import { openAiDriver } from '@toolgen/runtime/openai'
import { openAiAgentsTools } from '@toolgen/runtime/openai-agents'
import { convertToModelMessages, generateText, stepCountIs } from 'ai'
import { createAgent } from 'langchain'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { isVersion7, scripted } from '../integrations/ai-sdk.framework.js'
import { ScriptedChatModel, toolMessages } from '../integrations/langchain.framework.js'
import { charts, deciding, png, pngPart, pngText, wav } from './charts.fixture.js'

const tools = () => new Runtime().registerToolset(charts())
const context = deciding('approve')
const turn = (...kinds: string[]) => [{ id: 'c-1', tool: 'draw', arguments: JSON.stringify({ kinds }) }]
const json = (...texts: string[]) => JSON.stringify({ title: 'Sales', charts: texts })
const audioNote = 'The audio 2 is not shown: the model does not accept audio/wav.'
const wavText = '[audio 2: audio/wav, 56 bytes]'

describe('the AI SDK', () => {
  const outputs = async (kinds: string[], media?: { readonly types: readonly string[] }) => {
    const model = scripted([turn(...kinds)])
    const own = aiSdkTools(tools(), { context, ...(media && { media }) })
    const { steps } = await generateText({ model, tools: own, prompt: 'Draw.', stopWhen: stepCountIs(3) })
    const message = model.doGenerateCalls[1]?.prompt.at(-1)
    const [part] = message?.role === 'tool' ? message.content : []
    return { own, result: steps[0]?.toolResults[0]?.output, output: part?.type === 'tool-result' ? part.output : part }
  }

  it('sends images as content of the result, and names what it does not send', async () => {
    const { result, output } = await outputs(['png', 'wav'])
    expect(result).toMatchObject({ result: { charts: [pngText, wavText] }, content: [pngPart, { data: wav }] })
    expect(output).toEqual({
      type: 'content',
      value: [
        { type: 'text', text: `${json(pngText, wavText)}\n${audioNote}` },
        // Version 7 of the SDK converts parts for models of the specification of version 6.
        { type: isVersion7 ? 'file-data' : 'image-data', mediaType: 'image/png', data: png },
      ],
    })
  })

  it('sends the media types of the option', async () => {
    const { output } = await outputs(['wav'], { types: ['audio/wav'] })
    expect(output).toMatchObject({
      value: [{ type: 'text' }, { type: 'file-data', mediaType: 'audio/wav', data: wav }],
    })
    expect((await outputs(['png'], { types: [] })).output).toEqual({
      type: 'text',
      value: `${json(pngText)}\nThe image 1 is not shown: the model does not accept image/png.`,
    })
  })

  it('keeps images in the messages that a client sends back', async () => {
    const { own, result } = await outputs(['png'])
    const part = { type: 'tool-draw', toolCallId: 'c-1', state: 'output-available', input: {}, output: result } as const
    const sentBack = JSON.parse(JSON.stringify([{ id: 'm', role: 'assistant', parts: [part] }]))
    const [, message] = await convertToModelMessages(sentBack, { tools: own })
    const sent = isVersion7 ? { type: 'file', data: { type: 'data', data: png } } : { type: 'image-data', data: png }
    expect(message).toMatchObject({
      content: [{ output: { value: [{ type: 'text' }, sent] } }],
    })
  })
})

it('the OpenAI Agents SDK sends images as outputs of the tool', async () => {
  const model = new ScriptedModel([
    [functionCall('draw', '{"kinds":["png","wav"]}', { callId: 'c-1' })],
    [assistantMessage('Done.')],
  ])
  const media = { types: ['image/png', 'audio/wav'] }
  const agent = new Agent({ name: 'analyst', model, tools: openAiAgentsTools(tools(), { context, media }) })
  await new Runner({ tracingDisabled: true }).run(agent, 'Draw.')
  const input = model.calls[1]?.request.input
  const result = Array.isArray(input) ? input.find(({ type }) => type === 'function_call_result') : undefined
  expect(result).toMatchObject({
    output: [
      { type: 'input_text', text: `${json(pngText, wavText)}\n${audioNote}` },
      { type: 'input_image', image: expect.stringContaining(png) },
    ],
  })
})

it.each([
  [{ types: 'image/png' }, '`media.types` must be an array of media types'],
  [{ maxBytes: Number.NaN }, '`media.maxBytes` is NaN; use a number of bytes.'],
])('invalid options are rejected: %j', (media, message) => {
  const options = { context, media: media as never }
  expect(() => aiSdkTools(tools(), options)).toThrow(message)
  expect(() => langChainTools(tools(), options)).toThrow(message)
  expect(() => openAiAgentsTools(tools(), options)).toThrow(message)
  expect(() => openAiDriver({ client: new OpenAI({ apiKey: 'none' }), model: 'm', media: media as never })).toThrow(
    message,
  )
})

describe('LangChain', () => {
  const content = async (media?: { readonly types: readonly string[] }) => {
    const model = new ScriptedChatModel([turn('png', 'wav')])
    const agent = createAgent({ model, tools: langChainTools(tools(), { context, ...(media && { media }) }) })
    await agent.invoke({ messages: [{ role: 'user', content: 'Draw.' }] })
    return toolMessages(model.heard[1] ?? [])[0]
  }

  it('sends the media types of the option as content blocks', async () => {
    const message = await content({ types: ['image/png', 'audio/wav'] })
    expect(message?.content).toEqual([
      { type: 'text', text: json(pngText, wavText) },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
      { type: 'audio', mimeType: 'audio/wav', data: wav },
    ])
    expect(message?.contentBlocks.map(({ type }) => type)).toEqual(['text', 'image', 'audio'])
    expect(message?.artifact).toMatchObject({ content: [pngPart, { data: wav }] })
  })

  it('sends only text by default', async () => {
    const note = 'The image 1 is not shown: the model does not accept image/png.'
    expect((await content())?.content).toBe([json(pngText, wavText), note, audioNote].join('\n'))
  })
})
