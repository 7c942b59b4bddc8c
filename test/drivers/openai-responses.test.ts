import { afterEach, describe, expect, it, vi } from 'vitest'
import { modelPlanner } from '../../packages/runtime/src/agents/model-planner.js'
import { registrationOf, toolOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { type BoundAgent, Runtime } from '../../packages/runtime/src/index.js'
import { openAiResponsesDriver } from '../../packages/runtime/src/openai.js'
import type { ChatMessage } from '../../packages/runtime/src/types/chat.js'
import type { ModelDriver } from '../../packages/runtime/src/types/planner.js'
import { apis } from './apis.js'
import { type Answer, apiServer, event, SIGNATURE, says } from './scripted-api.js'

const [, api] = apis
if (api?.name !== 'openAiResponsesDriver') throw new Error('The second API is not that of openAiResponsesDriver.')

const call = { id: 'c-1', name: 'orders_getOrder', arguments: '{"orderId":"A-1"}' }
const image = 'iVBORw0KGgo='

function agentOf(driver: ModelDriver): BoundAgent {
  return new Runtime().registerAgent(
    { name: 'support', description: 'Answers.', instructions: 'Be brief.' },
    [registrationOf(toolOf('orders.getOrder'), () => ({ id: 'A-1', total: 1 }))],
    { planner: modelPlanner(driver) },
  )
}

async function run(messages: readonly ChatMessage[], answers: readonly Answer[], stream = false) {
  const server = await apiServer(api as never, ...answers)
  const driver = api?.driver(server.baseURL, { stream, retry: { initialMs: 1 } }) as ModelDriver
  return { run: await agentOf(driver).run({ messages }), bodies: server.bodies }
}

const where: ChatMessage = { role: 'user', content: 'Where?' }

describe('requests', () => {
  it('contain the whole conversation, and ask the server to store nothing', async () => {
    const { bodies } = await run([where], [says({ reasoning: 'Hm.', text: 'I look.', calls: [call] }), says('Ok.')])
    expect(bodies[0]).toEqual({
      model: 'tiny-1',
      store: false,
      include: ['reasoning.encrypted_content'],
      instructions: 'Be brief.',
      input: [{ role: 'user', content: [{ type: 'input_text', text: 'Where?' }] }],
      tools: [expect.objectContaining({ type: 'function', name: 'orders_getOrder', strict: true })],
    })
    expect(bodies[1]?.input).toEqual([
      { role: 'user', content: [{ type: 'input_text', text: 'Where?' }] },
      expect.objectContaining({ type: 'reasoning', id: 'rs-1', encrypted_content: SIGNATURE }),
      expect.objectContaining({ type: 'message', id: 'msg-1', role: 'assistant' }),
      expect.objectContaining({ type: 'function_call', id: 'fc-0', call_id: 'c-1', arguments: call.arguments }),
      { type: 'function_call_output', call_id: 'c-1', output: '{"id":"A-1","total":1}' },
    ])
  })

  it('contain later instructions, images and files', async () => {
    const sheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
    const messages: ChatMessage[] = [
      where,
      { role: 'assistant', content: 'What is it?' },
      { role: 'system', content: 'It is urgent.' },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: `data:image/png;base64,${image}`, detail: 'low' } },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'invoice.pdf' } },
          ...['text/plain', 'text/html', sheet].map((type) => {
            return { type: 'file' as const, file: { file_data: `data:${type};base64,SGk=` } }
          }),
          { type: 'file', file: { file_data: 'data:text/plain,Hi' } },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
        ],
      },
    ]
    const { bodies } = await run(messages, [says('Ok.')])
    expect(bodies[0]?.input).toEqual([
      { role: 'user', content: [{ type: 'input_text', text: 'Where?' }] },
      { role: 'assistant', content: 'What is it?' },
      { role: 'developer', content: [{ type: 'input_text', text: 'It is urgent.' }] },
      {
        role: 'user',
        content: [
          { type: 'input_image', image_url: `data:image/png;base64,${image}`, detail: 'low' },
          { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'auto' },
          { type: 'input_file', filename: 'invoice.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
          { type: 'input_file', filename: 'file.txt', file_data: 'data:text/plain;base64,SGk=' },
          { type: 'input_file', filename: 'file.html', file_data: 'data:text/html;base64,SGk=' },
          { type: 'input_file', filename: 'file.xlsx', file_data: `data:${sheet};base64,SGk=` },
          { type: 'input_file', filename: 'file.txt', file_data: 'data:text/plain;base64,SGk=' },
          { type: 'input_text', text: expect.stringContaining('does not accept audio/mpeg') },
        ],
      },
    ])
  })

  it('contain the fields of a run, with a warning for each field that the API does not have', async () => {
    const server = await apiServer(api as never, says('Hi.'))
    const driver = api?.driver(server.baseURL, { stream: false, retry: {} }) as ModelDriver
    const { warnings } = await driver.ask({
      messages: [where],
      tools: [{ ...toolOf('orders.getOrder').spec, provider: 'service', qualifiedId: 'service.orders.getOrder' }],
      meta: { runId: 'r', agent: 'a', labels: {}, signal: new AbortController().signal },
      fields: {
        max_completion_tokens: 9,
        reasoning_effort: 'low',
        verbosity: 'low',
        tool_choice: { type: 'function', function: { name: 'orders_getOrder' } },
        parallel_tool_calls: false,
        stop: 'END',
      },
    })
    expect(server.bodies[0]).toMatchObject({
      max_output_tokens: 9,
      reasoning: { effort: 'low' },
      text: { verbosity: 'low' },
      tool_choice: { type: 'function', name: 'orders_getOrder' },
      parallel_tool_calls: false,
    })
    expect(warnings).toEqual(["The driver 'openai-responses' does not send the field `stop`."])
  })

  it.each([
    ['gpt-5.2', ['reasoning.encrypted_content']],
    ['gpt-4.1-mini', []],
  ])('of %s ask for %j', async (model, include) => {
    const server = await apiServer(api as never, says('Hi.'))
    const driver = api?.driver(server.baseURL, { stream: false, retry: {} }) as ModelDriver
    await agentOf(driver).run({ messages: [where], model })
    expect(server.bodies[0]).toMatchObject({ model, include })
  })
})

/** Answers with a response of the status `failed`. */
const failed =
  (code: string): Answer =>
  (response, { stream }) => {
    const body = { id: 'r-1', object: 'response', status: 'failed', output: [], error: { code, message: 'No.' } }
    const type = stream ? 'text/event-stream' : 'application/json'
    const text = stream ? event({ type: 'response.failed', response: body }) : JSON.stringify(body)
    response.writeHead(200, { 'content-type': type }).end(text)
  }

describe.each([false, true])('responses, streamed: %s', (stream) => {
  it('that failed are requested again if the failure is temporary', async () => {
    const repeated = await run([where], [failed('server_error'), failed('rate_limit_exceeded'), says('Ok.')], stream)
    expect(repeated.run).toMatchObject({ status: 'completed', result: { text: 'Ok.' } })
    expect(repeated.bodies).toHaveLength(3)
  })

  it.each([
    ['invalid_prompt', 'domain_rejection'],
    ['bio_policy', 'denied'],
  ])('that failed with %s end the run with the reason %s', async (code, reason) => {
    const { run: ended, bodies } = await run([where], [failed(code)], stream)
    expect(ended).toMatchObject({ status: 'failed', error: { reason, cause: { code: 'error_response' } } })
    expect(bodies).toHaveLength(1)
  })
})

describe('a stream whose last event has no output', () => {
  const item = { id: 'm-1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Ok.' }] }
  const delta = { type: 'response.output_text.delta', output_index: 0, delta: 'Ok.' }
  const streamed =
    (...events: readonly object[]): Answer =>
    (response) => {
      const end = { type: 'response.completed', response: { id: 'r-1', status: 'completed', output: [] } }
      const text = [...events, end].map((data) => event(data)).join('')
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)
    }

  it('has the items that the stream completed', async () => {
    const done = { type: 'response.output_item.done', output_index: 0, item }
    const { run: ended } = await run([where], [streamed(delta, done)], true)
    expect(ended).toMatchObject({ status: 'completed', result: { text: 'Ok.' } })
  })

  it('has these items in their order, also if the stream has no parts of them', async () => {
    const called = (id: string) => ({ type: 'function_call', call_id: id, name: call.name, arguments: call.arguments })
    const done = (output_index: number, id: string) => {
      return { type: 'response.output_item.done', output_index, item: called(id) }
    }
    const { run: ended } = await run([where], [streamed(done(1, 'c-2'), done(0, 'c-1')), says('Ok.')], true)
    expect(ended).toMatchObject({ status: 'completed', result: { text: 'Ok.' } })
    expect(ended.outcomes.map((outcome) => outcome.call.toolCallId)).toEqual(['c-1', 'c-2'])
  })

  it('is requested again if it completed no item', async () => {
    const { run: ended, bodies } = await run([where], [streamed(delta), says('Again.')], true)
    expect(ended).toMatchObject({ status: 'completed', result: { text: 'Again.' } })
    expect(bodies).toHaveLength(2)
  })
})

describe('a driver without a client', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('reports a missing API key before the first request', () => {
    vi.stubEnv('OPENAI_API_KEY', undefined)
    vi.stubEnv('OPENAI_ADMIN_KEY', undefined)
    expect(() => openAiResponsesDriver({ model: 'gpt-5.2' })).toThrow(/OPENAI_API_KEY/)
  })
})
