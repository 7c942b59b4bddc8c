import { describe, expect, it } from 'vitest'
import { validateHistory } from '../../packages/runtime/src/chat/history.js'
import type { JsonSchema } from '../../packages/runtime/src/index.js'
import { agentOf } from './model-agent.fixture.js'
import { asks, call, modelServer, says } from './model-server.fixture.js'

const schema: JsonSchema = {
  type: 'object',
  properties: { orderId: { type: 'string' }, total: { type: 'number', minimum: 0 }, note: { type: 'string' } },
  required: ['orderId', 'total'],
}
const responseFormat = { name: 'finding', schema }
const usage = { prompt_tokens: 100, completion_tokens: 10 }

describe.each([false, true])('a structured answer, streamed: %s', (stream) => {
  const driver = { stream }

  it('is asked for by its schema in strict form, and read back from it', async () => {
    const text = '{"orderId":"A-1","total":5,"note":null}'
    const server = await modelServer(asks(call('a', 'orders_getOrder', '{"orderId":"A-1"}')), says(text))
    const run = await agentOf(server, { driver, responseFormat }).run('Where?')
    expect(server.bodies.map(({ response_format }) => response_format)).toEqual(
      [1, 2].map(() => ({
        type: 'json_schema',
        json_schema: {
          name: 'finding',
          strict: true,
          schema: {
            type: 'object',
            properties: {
              orderId: { type: 'string' },
              total: { type: 'number', minimum: 0 },
              note: { type: ['string', 'null'] },
            },
            required: ['orderId', 'total', 'note'],
            additionalProperties: false,
          },
        },
      })),
    )
    expect(run).toMatchObject({ status: 'completed', result: { value: { orderId: 'A-1', total: 5 }, text } })
    expect(run.result?.value).not.toHaveProperty('note')
    expect(run.messages.at(-1)).toEqual({ role: 'assistant', content: text, refusal: null })
  })

  it('defect 18: that does not fit is asked for once more; the exchange is recorded and is a turn', async () => {
    const server = await modelServer(
      says('{"orderId":"A-1","total":-5}', { usage }),
      says('{"orderId":"A-1","total":5}', { usage: { prompt_tokens: 120, completion_tokens: 12 } }),
    )
    const run = await agentOf(server, { driver, responseFormat }).run('Where?')
    expect(run).toMatchObject({ status: 'completed', result: { value: { orderId: 'A-1', total: 5 } } })
    expect(run.usage).toMatchObject({ turns: 2, promptTokens: 220, completionTokens: 22 })
    expect(server.bodies[1]).not.toHaveProperty('tools')
    expect(server.bodies[1]).toHaveProperty('response_format')
    expect(server.bodies[1]?.messages.slice(2)).toEqual([
      { role: 'assistant', content: '{"orderId":"A-1","total":-5}', refusal: null },
      { role: 'user', content: expect.stringMatching(/does not match its JSON Schema:\n- \/total: .*0/) },
    ])
    // What was sent is what is recorded, with the second answer at the end.
    expect(run.messages.slice(0, -1)).toEqual(server.bodies[1]?.messages)
    expect(run.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user', 'assistant'])
    expect(validateHistory(run.messages)).toEqual([])
    expect(
      run.events.flatMap((event) => (event.type === 'step_ended' ? [[event.turn, event.usage]] : [])),
    ).toMatchObject([
      [1, { promptTokens: 100, completionTokens: 10, toolCalls: 0 }],
      [2, { promptTokens: 120, completionTokens: 12, toolCalls: 0 }],
    ])
  })

  it('that is no JSON twice fails the run, with what was said for logs alone', async () => {
    const server = await modelServer(says('It is here.'), says('I said: here!'), says('Too late.'))
    const run = await agentOf(server, { driver, responseFormat }).run('Where?')
    expect(run).toMatchObject({
      status: 'failed',
      error: {
        reason: 'malformed_result',
        message: "The model's answer does not match the schema, even after a correction.",
        cause: { code: 'invalid_output', text: 'I said: here!', issues: [{ constraint: 'invalid_json' }] },
      },
    })
    expect(JSON.stringify([run, run.error?.cause])).not.toContain('I said')
    expect(server.bodies).toHaveLength(2)
  })

  it('may be refused', async () => {
    const server = await modelServer(says({ refusal: 'I will not.' }))
    const run = await agentOf(server, { driver, responseFormat }).run('Where?')
    expect(run).toMatchObject({ status: 'completed', result: { text: 'I will not.' } })
    expect(run.result).not.toHaveProperty('value')
    const later = await modelServer(says('{'), says({ refusal: 'I will not.' }))
    expect(await agentOf(later, { driver, responseFormat }).run('Where?')).toMatchObject({
      result: { text: 'I will not.' },
    })
    expect(later.bodies[1]?.messages).toHaveLength(4)
  })

  it('that is empty is asked for again without an empty message', async () => {
    const server = await modelServer(says({ content: null }), says('{"orderId":"A-1","total":5}'))
    const run = await agentOf(server, { driver, responseFormat }).run('Where?')
    expect(run.status).toBe('completed')
    expect(server.bodies[1]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'user'])
  })

  it.each<[string, JsonSchema, object, string, unknown]>([
    [
      'a list',
      { type: 'array', items: { $ref: '#/$defs/Id' }, $defs: { Id: { type: 'string' } } },
      { properties: { answer: { type: 'array', items: { $ref: '#/$defs/Id' } } }, $defs: { Id: { type: 'string' } } },
      '{"answer":["A-1"]}',
      ['A-1'],
    ],
    [
      'a union of objects',
      {
        anyOf: [
          { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a'] },
          { type: 'object', properties: { c: { type: 'number' } }, required: ['c'] },
        ],
      },
      { properties: { answer: { anyOf: [{ required: ['a', 'b'] }, { required: ['c'] }] } } },
      '{"answer":{"a":1,"b":null}}',
      { a: 1 },
    ],
    ['null', { type: ['string', 'null'] }, { required: ['answer'] }, '{"answer":null}', null],
  ])('may be %s: chat completions take objects alone', async (_, wanted, sent, text, value) => {
    const server = await modelServer(says(text))
    const run = await agentOf(server, { driver, responseFormat: { schema: wanted } }).run('Where?')
    expect(server.bodies[0]?.response_format).toMatchObject({
      json_schema: { name: 'answer', strict: true, schema: sent },
    })
    expect(run).toMatchObject({ status: 'completed', result: { value } })
  })
})

describe('a structured answer that strict mode cannot say', () => {
  const record: JsonSchema = { type: 'object', additionalProperties: { type: 'number' } }

  it.each<[string, JsonSchema, boolean, object, string, unknown]>([
    ['an object with any fields', record, true, record, '{"a":1}', { a: 1 }],
    ['a list of them', { type: 'array', items: record }, true, { type: 'object' }, '{"answer":[{"a":1}]}', [{ a: 1 }]],
    ['what is not wanted strict', schema, false, schema, '{"orderId":"A","total":1}', { orderId: 'A', total: 1 }],
    ['a list without its field', { type: 'array', items: record }, true, {}, '[{"a":1}]', [{ a: 1 }]],
  ])('is asked for without it: %s', async (_, wanted, strict, sent, text, value) => {
    const server = await modelServer(says(text))
    const run = await agentOf(server, { driver: { strict }, responseFormat: { schema: wanted } }).run('Where?')
    expect(server.bodies[0]?.response_format).toMatchObject({ json_schema: { strict: false, schema: sent } })
    expect(run).toMatchObject({ status: 'completed', result: { value } })
  })

  it('gives way to nothing else', async () => {
    const server = await modelServer(says('{"a":1}'))
    const driver = { response_format: { type: 'json_object' } } as const
    await agentOf(server, { driver, responseFormat: { schema: record } }).run('Where?')
    expect(server.bodies[0]?.response_format).toMatchObject({ type: 'json_schema' })
    const free = await modelServer(says('{"a":1}'))
    await agentOf(free, { driver }).run('Where?')
    expect(free.bodies[0]?.response_format).toEqual({ type: 'json_object' })
  })
})
