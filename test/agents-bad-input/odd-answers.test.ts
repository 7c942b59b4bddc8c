import { describe, expect, it } from 'vitest'
import { useContext } from '../../packages/runtime/src/agents.js'
import { calls, type ScriptedResponse, says } from '../../packages/runtime/src/testing.js'
import { driverOf } from '../openai/model-agent.fixture.js'
import { completion, events, json, modelServer, type Reply, says as serves } from '../openai/model-server.fixture.js'
import {
  agentOver,
  driverSaying,
  ended,
  GOOD,
  lookUp,
  type ModelAgentParts,
  reasonsOf,
  WAYS,
} from './model-agent.fixture.js'

describe.each(WAYS)('what a model says oddly, %s', (way) => {
  const ran: string[] = []
  async function runOf(said: readonly ScriptedResponse[], parts: ModelAgentParts = {}) {
    ran.length = 0
    const execute: ModelAgentParts['execute'] = async (request) => {
      ran.push(await request.json())
      return { id: 'A-1', total: 1 }
    }
    return ended(agentOver(await driverSaying(way, said), { execute, ...parts }).run('Where?'))
  }

  it('calls that a content filter cut are not run, and the run is denied with what it had reached', async () => {
    const filtered = { ...calls(lookUp('{"orderId":"B-2"}')), finishReason: 'content_filter' }
    const run = await runOf([calls(lookUp(GOOD)), filtered, says('Too late.')])
    expect(run).toMatchObject({
      status: 'failed',
      error: { reason: 'denied', cause: { code: 'content_filter' } },
      usage: { turns: 1, toolCalls: 1 },
    })
    expect(ran).toEqual([GOOD])
  })

  it('calls beside a refusal are run', async () => {
    const run = await runOf([{ ...calls(lookUp(GOOD)), refusal: 'No.' }, says('I see.')])
    expect(run).toMatchObject({ status: 'completed', result: { text: 'I see.' } })
    expect(reasonsOf(run)).toEqual(['completed'])
    expect(run.messages[1]).toMatchObject({ refusal: 'No.', tool_calls: [{}] })
  })

  it('calls beside a refusal are run, also where a structured answer is due', async () => {
    const feature = useContext({ responseFormat: { schema: { type: 'object' } } })
    const run = await runOf([{ ...calls(lookUp(GOOD)), refusal: 'No.' }, says('{}')], { feature })
    expect(run).toMatchObject({ status: 'completed', result: { value: {} }, outcomes: [{ status: 'completed' }] })
  })

  it('calls beside text are run, whatever the reason to stop says', async () => {
    for (const finishReason of ['stop', 'tool_calls', 'function_call', 'eos']) {
      const run = await runOf([{ ...calls(lookUp(GOOD)), text: 'I look.', finishReason }, says('I see.')])
      expect([reasonsOf(run), run.result]).toEqual([['completed'], { text: 'I see.' }])
    }
  })

  it('a reason of calls without a call is an answer', async () => {
    const run = await runOf([{ text: 'Here.', finishReason: 'tool_calls' }])
    expect(run).toMatchObject({ status: 'completed', result: { text: 'Here.' } })
  })

  it.each(['', ' \n', '\u0000', '\u200b'])('an empty answer is the answer: %j', async (text) => {
    expect(await runOf([says(text)])).toMatchObject({ status: 'completed', result: { text }, usage: { turns: 1 } })
  })

  it('tokens that end in the middle of a call fail that call; the others are run, and the model goes on', async () => {
    const cut = { ...calls(lookUp(GOOD), lookUp('{"orderId":"B'), lookUp(GOOD)), finishReason: 'length' }
    const run = await runOf([cut, says('I see.')])
    expect(reasonsOf(run)).toEqual(['completed', 'invalid_arguments', 'completed'])
    expect(run.result).toEqual({ text: 'I see.' })
  })

  it('tokens that end in the name of a tool call an unknown tool', async () => {
    const run = await runOf([
      { ...calls({ tool: 'orders_get', arguments: '' }), finishReason: 'length' },
      says('I see.'),
    ])
    expect(reasonsOf(run)).toEqual(['unknown_tool'])
  })

  it('tokens that end in the middle of a call end the run behind its calls, where a guard says so', async () => {
    const cut = { ...calls(lookUp(GOOD), lookUp('{"orderId":"B')), finishReason: 'length' }
    const run = await runOf([cut, says('Too late.')], { guards: { finishReasons: ['length'] } })
    expect(run).toMatchObject({ status: 'stopped', stop: { reason: 'finish_reason', finishReason: 'length' } })
    expect(reasonsOf(run)).toEqual(['completed', 'invalid_arguments'])
  })

  it('calls in the last words are not run, though no tool was offered', async () => {
    const run = await runOf([calls(lookUp('{}')), calls(lookUp(GOOD), lookUp(GOOD))], {
      policy: { onMissingFields: 'finalize' },
    })
    expect(run).toMatchObject({ status: 'stopped', stop: { reason: 'missing_fields' } })
    expect(reasonsOf(run)).toEqual(['missing_fields', 'cancelled', 'cancelled'])
    expect(ran).toEqual([])
  })

  it('calls in the second try at a structured answer are not run, and the run fails', async () => {
    const feature = useContext({ responseFormat: { schema: { type: 'object' } } })
    const run = await runOf([says('Prose.'), { ...calls(lookUp(GOOD)), text: '{}' }], { feature })
    expect(run).toMatchObject({ status: 'failed', error: { reason: 'malformed_result' }, outcomes: [] })
    expect(ran).toEqual([])
  })
})

describe.each([false, true])('a server that fails behind the first calls, streamed: %s', (stream) => {
  const sends = (chunk: object): Reply => (stream ? events(chunk, '[DONE]') : json(chunk))

  it.each<[string, Reply, string]>([
    ['an empty list of choices', sends({ choices: [] }), 'malformed_result'],
    ['a filtered answer', serves('Half', { finish: 'content_filter' }), 'denied'],
    ['tokens that end before a word', serves({ content: null }, { finish: 'length' }), 'malformed_result'],
    ['a message of a user', json(completion({ role: 'user', content: 'Hi' })), 'malformed_result'],
  ])('ends the run; what was reached is kept: %s', async (_, reply, reason) => {
    const calling = serves({
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'orders_getOrder', arguments: GOOD } }],
    })
    const server = await modelServer(calling, reply, serves('Too late.'))
    const run = await ended(agentOver(driverOf(server, { driver: { stream } })).run('Where?'))
    expect(run).toMatchObject({ status: 'failed', error: { reason }, usage: { turns: 1, toolCalls: 1 } })
    expect(reasonsOf(run)).toEqual(['completed'])
    expect(server.bodies).toHaveLength(2)
  })
})
