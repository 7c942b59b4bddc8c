import { GoogleGenAI } from '@google/genai'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ModelPlannerOptions, modelPlanner } from '../../packages/runtime/src/agents/model-planner.js'
import { registrationOf, toolOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { type GeminiDriverOptions, geminiDriver } from '../../packages/runtime/src/gemini.js'
import { Runtime } from '../../packages/runtime/src/index.js'
import type { ChatMessage, ChatRequest } from '../../packages/runtime/src/types/chat.js'
import { apis } from './apis.js'
import { type Answer, apiServer, event, SIGNATURE, says } from './scripted-api.js'

const api = apis.find(({ name }) => name === 'geminiDriver')

interface Setup extends Partial<Omit<GeminiDriverOptions, 'client'>> {
  readonly planner?: ModelPlannerOptions
}

async function run(request: ChatRequest, answers: readonly Answer[], { planner, ...options }: Setup = {}) {
  if (api === undefined) throw new Error('no API')
  const server = await apiServer(api, ...answers)
  const client = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: server.baseURL } })
  const driver = geminiDriver({ client, model: 'gemini-3.8-flash', retry: { initialMs: 1 }, ...options })
  const agent = new Runtime().registerAgent(
    { name: 'support', description: 'Answers.', instructions: 'Be brief.' },
    [registrationOf(toolOf('orders.getOrder'), () => ({ id: 'A-1', total: 1 }))],
    { planner: modelPlanner(driver, planner) },
  )
  return { run: await agent.run(request), bodies: server.bodies }
}

const where: ChatMessage = { role: 'user', content: 'Where?' }
const call = { id: 'c-1', name: 'orders_getOrder', arguments: '{"orderId":"A-1"}' }

/** Sends chunks as a stream, or the last of them as a response that is not streamed. */
const sends =
  (...chunks: readonly object[]): Answer =>
  (response, { stream }) => {
    const type = stream ? 'text/event-stream' : 'application/json'
    const text = stream ? chunks.map((chunk) => event(chunk)).join('') : JSON.stringify(chunks.at(-1))
    response.writeHead(200, { 'content-type': type }).end(text)
  }

describe('requests', () => {
  it('contain each part of a response with its own signature', async () => {
    const reply = says({ reasoning: 'Hm.', text: 'I look.', calls: [call, { ...call, id: 'c-2' }] })
    for (const stream of [false, true]) {
      const { bodies } = await run({ messages: [where] }, [reply, says('Ok.')], { stream })
      const args = { orderId: 'A-1' }
      const output = { id: 'A-1', total: 1 }
      expect(bodies[1]?.contents).toEqual([
        { role: 'user', parts: [{ text: 'Where?' }] },
        {
          role: 'model',
          parts: [
            { text: 'Hm.', thought: true },
            { text: 'I look.' },
            { functionCall: { id: 'c-1', name: 'orders_getOrder', args }, thoughtSignature: SIGNATURE },
            { functionCall: { id: 'c-2', name: 'orders_getOrder', args } },
          ],
        },
        {
          role: 'user',
          parts: ['c-1', 'c-2'].map((id) => ({
            functionResponse: { id, name: 'orders_getOrder', response: { output } },
          })),
        },
      ])
    }
  })

  it('keep the signature at the end of a streamed text', async () => {
    const reply = says({ reasoning: 'Hm.', text: 'It has shipped.' })
    const { run: first } = await run({ messages: [where] }, [reply], { stream: true })
    const next: ChatMessage[] = [...first.messages.slice(1), { role: 'user', content: 'And?' }]
    const { bodies } = await run({ messages: next }, [says('Ok.')])
    expect(bodies[0]?.contents).toContainEqual({
      role: 'model',
      parts: [{ text: 'Hm.', thought: true }, { text: 'It has shipped.' }, { text: '', thoughtSignature: SIGNATURE }],
    })
  })

  it('mark the first call of each message that Gemini did not write', async () => {
    const calls = ['a', 'b'].map((id) => {
      return { id, type: 'function' as const, function: { name: 'orders_getOrder', arguments: '{}' } }
    })
    const messages: ChatMessage[] = [
      where,
      { role: 'assistant', content: null, tool_calls: calls },
      ...calls.map(({ id }): ChatMessage => ({ role: 'tool', tool_call_id: id, content: 'Shipped.' })),
    ]
    const { bodies } = await run({ messages }, [says('Ok.')])
    expect(bodies[0]).toMatchObject({ systemInstruction: { parts: [{ text: 'Be brief.' }] } })
    expect(bodies[0]?.contents).toMatchObject([
      {},
      {
        role: 'model',
        parts: [
          { functionCall: { id: 'a' }, thoughtSignature: 'skip_thought_signature_validator' },
          { functionCall: { id: 'b' } },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { response: { output: 'Shipped.' } } }, {}] },
    ])
    expect(JSON.stringify(bodies[0]).match(/skip_thought/g)).toHaveLength(1)
  })

  it('contain images, files and audio', async () => {
    const content = [
      { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
      { type: 'image_url' as const, image_url: { url: 'https://example.com/a.webp?size=1' } },
      { type: 'file' as const, file: { file_data: 'data:application/pdf;base64,JVBERi0=' } },
      { type: 'input_audio' as const, input_audio: { data: 'AAAA', format: 'mp3' as const } },
    ]
    const { bodies } = await run({ messages: [{ role: 'user', content }] }, [says('Ok.')])
    expect(bodies[0]?.contents).toEqual([
      {
        role: 'user',
        parts: [
          { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
          { fileData: { mimeType: 'image/webp', fileUri: 'https://example.com/a.webp?size=1' } },
          { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } },
          { inlineData: { mimeType: 'audio/mpeg', data: 'AAAA' } },
        ],
      },
    ])
  })

  it('contain the options of the driver and the fields of a run', async () => {
    const request: ChatRequest = {
      messages: [where],
      max_tokens: 9,
      stop: 'END',
      tool_choice: { type: 'function', function: { name: 'orders_getOrder' } },
    }
    const { bodies } = await run(request, [says('Ok.')], { temperature: 0, thinkingConfig: { thinkingBudget: 0 } })
    expect(bodies[0]).toMatchObject({
      generationConfig: {
        temperature: 0,
        maxOutputTokens: 9,
        stopSequences: ['END'],
        thinkingConfig: { thinkingBudget: 0 },
      },
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['orders_getOrder'] } },
      tools: [{ functionDeclarations: [{ name: 'orders_getOrder' }] }],
    })
  })

  it('describe a structured answer in the instructions if the model does not support a schema with tools', async () => {
    const schema = { type: 'object', properties: { late: { type: 'boolean' } }, required: ['late'] } as const
    const planner = { responseFormat: { schema } }
    const answers = [says('{"late":true}')]
    const old = await run({ messages: [where] }, answers, { planner, model: 'gemini-2.5-flash' })
    expect(old.run).toMatchObject({ status: 'completed', result: { value: { late: true } } })
    expect(JSON.stringify(old.bodies[0]?.systemInstruction)).toContain('JSON Schema')
    expect(old.bodies[0]).not.toHaveProperty('generationConfig.responseJsonSchema')
    const recent = await run({ messages: [where] }, answers, { planner, model: 'gemini-3.8-flash' })
    expect(JSON.stringify(recent.bodies[0]?.systemInstruction)).not.toContain('JSON Schema')
    expect(recent.bodies[0]).toMatchObject({
      generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema },
    })
  })
})

describe.each([false, true])('responses, streamed: %s', (stream) => {
  const invalid = (finishReason: string) => sends({ candidates: [{ content: {}, finishReason }] })

  it('with an invalid function call are requested again', async () => {
    const answers = [invalid('MALFORMED_FUNCTION_CALL'), invalid('UNEXPECTED_TOOL_CALL'), says('Ok.')]
    const { run: ended, bodies } = await run({ messages: [where] }, answers, { stream })
    expect(ended).toMatchObject({ status: 'completed', result: { text: 'Ok.' } })
    expect(bodies).toHaveLength(3)
  })

  it('with an invalid function call in all attempts end the run, whose usage has the tokens of the last attempt', async () => {
    const usageMetadata = { promptTokenCount: 9, thoughtsTokenCount: 4 }
    const answer = sends({ candidates: [{ content: {}, finishReason: 'MALFORMED_FUNCTION_CALL' }], usageMetadata })
    const { run: ended } = await run({ messages: [where] }, [answer, answer, answer], { stream })
    expect(ended).toMatchObject({
      status: 'failed',
      error: { reason: 'unavailable', cause: { code: 'malformed_message' } },
      usage: { promptTokens: 9, completionTokens: 4, reasoningTokens: 4 },
    })
  })

  it('to a blocked prompt end the run', async () => {
    const blocked = sends({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } })
    const { run: ended, bodies } = await run({ messages: [where] }, [blocked, says('Ok.')], { stream })
    expect(ended).toMatchObject({ status: 'failed', error: { reason: 'denied', cause: { code: 'content_filter' } } })
    expect(bodies).toHaveLength(1)
  })

  it.each([{}, { id: '' }, { id: 7 }])(
    'with calls that have no id but %j get ids, which the next request contains',
    async (id) => {
      // Some models send an empty text in the part of a call.
      const functionCall = { name: 'orders_getOrder', args: { orderId: 'A-1' }, ...id }
      const parts = [{ functionCall }, { functionCall, text: '' }]
      const deltas: object[] = []
      const answers = [sends({ candidates: [{ content: { parts }, finishReason: 'STOP' }] }), says('Ok.')]
      const onDelta = (delta: object) => void deltas.push(delta)
      const { run: ended, bodies } = await run({ messages: [where] }, answers, { stream, onDelta })
      const ids = ended.outcomes.map((outcome) => outcome.call.toolCallId)
      expect(new Set(ids).size).toBe(2)
      const sent = JSON.stringify(bodies[1])
      for (const id of ids) expect(sent.split(`"${id}"`)).toHaveLength(3)
      const ofDeltas = deltas.flatMap((delta) => ('toolCallId' in delta ? [delta.toolCallId] : []))
      expect(ofDeltas).toEqual(stream ? ids : [])
    },
  )

  it.runIf(stream)('with parts of arguments end the run with the option to change', async () => {
    const functionCall = { name: 'orders_getOrder', partialArgs: [{ jsonPath: '$.orderId', stringValue: 'A' }] }
    const { run: ended } = await run(
      { messages: [where] },
      [sends({ candidates: [{ content: { parts: [{ functionCall }] } }] })],
      { stream },
    )
    expect(ended).toMatchObject({ status: 'failed', error: { reason: 'malformed_result' } })
    expect(ended.error?.message).toContain('streamFunctionCallArguments')
  })

  it('with an invalid API key are not requested again', async () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }]
    const body = { error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT', details } }
    const answer: Answer = (response) => {
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    const { run: ended, bodies } = await run({ messages: [where] }, [answer], { stream })
    expect(ended).toMatchObject({ status: 'failed', error: { reason: 'denied' } })
    expect(bodies).toHaveLength(1)
  })
})

describe('a driver without a client', () => {
  afterEach(() => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })

  it('reports a missing API key before the first request', () => {
    for (const name of ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI']) vi.stubEnv(name, undefined)
    vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    expect(() => geminiDriver({ model: 'gemini-3.8-flash' })).toThrow(/Set `GEMINI_API_KEY`/)
  })

  it('reads the API key from the environment', () => {
    vi.stubEnv('GEMINI_API_KEY', 'key')
    expect(geminiDriver({ model: 'gemini-3.8-flash' }).name).toBe('gemini')
  })
})
