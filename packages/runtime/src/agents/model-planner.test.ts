import { describe, expect, it } from 'vitest'
import { classify } from '../call/classify.js'
import { ToolFailure } from '../call/tool-failure.js'
import { isToolgenError } from '../is-toolgen-error.js'
import type { ChatAssistantMessage } from '../types/chat.js'
import type { ModelDriver, ModelRequest, ModelResponse, PlanRequest } from '../types/planner.js'
import { modelPlanner } from './model-planner.js'
import { ModelResponseError } from './model-response-error.js'
import { getOrder } from './orders.fixture.js'

const usage = { promptTokens: 3, completionTokens: 1 }
const asked: PlanRequest = {
  messages: [{ role: 'user', content: 'Hi' }],
  tools: [],
  outcomes: [],
  turn: 1,
  meta: { runId: 'r', agent: 'a', labels: {}, signal: new AbortController().signal },
}

const calls = [{ tool: 'f', arguments: '{}', toolCallId: 'a' }]

/** A message that asks for the call. */
const asking = (content: string): ChatAssistantMessage => ({
  role: 'assistant',
  content,
  tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
})

/** A driver that answers these, one after the other, and remembers what it was asked. */
function driverOf(...answers: readonly Partial<ModelResponse>[]): ModelDriver & { readonly asked: ModelRequest[] } {
  const requests: ModelRequest[] = []
  return {
    name: 'script',
    asked: requests,
    ask: async (request) => {
      const given = answers[requests.length]
      requests.push(request)
      if (given === undefined) throw new Error('asked too often')
      return { message: { role: 'assistant', content: '' }, calls: [], ...given }
    },
  }
}

const says = (content: string): Partial<ModelResponse> => ({ message: { role: 'assistant', content }, usage })

describe('a planner over a model', () => {
  it('asks with the messages and tools of the run and nothing else', async () => {
    const driver = driverOf(says('Hello'))
    const decision = await modelPlanner(driver)(asked)
    expect(driver.asked).toEqual([{ messages: asked.messages, tools: [], meta: asked.meta }])
    expect(decision).toEqual({ kind: 'answer', text: 'Hello', message: { role: 'assistant', content: 'Hello' }, usage })
  })

  it('hands calls on with the message as it was sent', async () => {
    const driver = driverOf(
      { message: asking('One moment.'), calls, usage, finishReason: 'length' },
      { message: asking(''), calls },
    )
    const planner = modelPlanner(driver)
    const message = asking('One moment.')
    expect(await planner(asked)).toEqual({
      kind: 'calls',
      calls,
      message,
      text: 'One moment.',
      usage,
      finishReason: 'length',
    })
    expect(await planner(asked)).toEqual({ kind: 'calls', calls, message: asking('') })
  })

  it('mends ids that a model repeats, and takes no other calls than the message asks for', async () => {
    const [call] = asking('').tool_calls ?? []
    const twice = { role: 'assistant', content: '', tool_calls: [call, call] } as ChatAssistantMessage
    const decision = await modelPlanner(driverOf({ message: twice, calls: [...calls, ...calls] }))(asked)
    expect(decision).toMatchObject({
      calls: [{ toolCallId: 'a' }, { toolCallId: 'a_1' }],
      message: { tool_calls: [{ id: 'a' }, { id: 'a_1' }] },
    })
    for (const other of [{ message: twice, calls }, { message: asking(''), calls: [] }, { calls }]) {
      const planned = modelPlanner(driverOf(other))(asked)
      await expect(planned).rejects.toMatchObject({ code: 'malformed_message' })
    }
  })

  it('passes on the fields and the start of the run, and reports why the model stopped', async () => {
    const more = { fields: { temperature: 0 }, runStart: 1 }
    const schema = { type: 'object' } as const
    const driver = driverOf({ ...says('Hi'), finishReason: 'stop' }, { ...says('{}'), finishReason: 'stop' })
    expect(await modelPlanner(driver)({ ...asked, ...more })).toMatchObject({ finishReason: 'stop' })
    expect(await modelPlanner(driver, { responseFormat: { schema } })({ ...asked, ...more })).toMatchObject({
      finishReason: 'stop',
    })
    const question = { messages: asked.messages, tools: [], meta: asked.meta, ...more }
    expect(driver.asked).toEqual([question, { ...question, responseFormat: { name: 'answer', schema } }])
  })

  it('keeps text that was cut off by its length', async () => {
    expect(await modelPlanner(driverOf({ ...says('It is h'), finishReason: 'length' }))(asked)).toMatchObject({
      text: 'It is h',
    })
  })

  it('prefers the text that the driver restored', async () => {
    const schema = { type: 'object', properties: { a: { type: 'number' } } } as const
    const driver = driverOf({ ...says('{"a":null}'), output: '{}' })
    expect(await modelPlanner(driver, { responseFormat: { schema } })(asked)).toMatchObject({
      value: {},
      text: '{"a":null}',
    })
    expect(driver.asked[0]?.responseFormat).toEqual({ name: 'answer', schema })
  })

  it('sends at most 20 issues to a model, and counts the others', async () => {
    const schema = { type: 'array', items: { type: 'number' } } as const
    const texts = JSON.stringify(Array.from({ length: 30 }, () => 'x'))
    const decision = await modelPlanner(driverOf(says(texts)), { responseFormat: { schema } })(asked)
    expect(decision).toMatchObject({ kind: 'correction', text: texts, message: { content: texts }, usage })
    const told = (decision.kind === 'correction' ? decision.correction : '').split('\n')
    expect(told).toHaveLength(23)
    expect(told[21]).toBe('- and 10 more')
  })

  it('does not take calls for an answer when it asked for one again', async () => {
    const schema = { type: 'object', properties: {}, required: ['a'] } as const
    for (const message of [asking(''), asking('{"a":1}')]) {
      const planned = modelPlanner(driverOf({ message, calls, usage }), { responseFormat: { schema } })({
        ...asked,
        isCorrection: true,
      })
      await expect(planned).rejects.toMatchObject({ code: 'invalid_output', usage })
    }
  })

  describe('that is asked for an answer in a form', () => {
    const form = { name: 'total', schema: { type: 'number' } } as const
    const tools = [{ ...getOrder.spec, provider: 'service', qualifiedId: 'service.orders.getOrder' }] as const
    const answered = (driver: ModelDriver) => modelPlanner(driver)({ ...asked, tools, responseFormat: form })

    it('asks once, without tools, and reads the value', async () => {
      const driver = driverOf({ ...says('7'), finishReason: 'stop' })
      expect(await answered(driver)).toEqual({
        kind: 'answer',
        value: 7,
        text: '7',
        message: { role: 'assistant', content: '7' },
        usage,
        finishReason: 'stop',
      })
      expect(driver.asked).toEqual([{ messages: asked.messages, tools: [], meta: asked.meta, responseFormat: form }])
    })

    it('does so before any form of its own', async () => {
      const driver = driverOf(says('7'))
      const planner = modelPlanner(driver, { responseFormat: { schema: { type: 'object' } } })
      expect(await planner({ ...asked, responseFormat: form })).toMatchObject({ value: 7 })
    })

    it('takes what does not fit for text', async () => {
      const refused = { message: { role: 'assistant', refusal: 'No.' } } as const
      expect(await answered(driverOf(says('"many"')))).toMatchObject({ kind: 'answer', text: '"many"' })
      expect(await answered(driverOf(says('"many"')))).not.toHaveProperty('value')
      expect(await answered(driverOf(refused))).toMatchObject({ kind: 'answer', text: 'No.' })
    })

    it('lets no call into the conversation that nobody answers', async () => {
      const calls = [{ tool: 'f', arguments: '{}', toolCallId: 'a' }]
      const tool_calls = [{ id: 'a', type: 'function' as const, function: { name: 'f', arguments: '{}' } }]
      const message = { role: 'assistant', content: 'I look.', tool_calls } as const
      expect(await answered(driverOf({ message, calls }))).toEqual({ kind: 'answer', text: 'I look.' })
    })
  })

  it.each([
    ['content_filter', { ...says('Half'), finishReason: 'content_filter' }],
    ['empty', { finishReason: 'length' }],
  ])('throws %s', async (fault, given) => {
    const error: unknown = await Promise.resolve(modelPlanner(driverOf(given))(asked)).catch(
      (thrown: unknown) => thrown,
    )
    expect(isToolgenError(error, 'ModelResponseError') && error.code).toBe(fault)
  })
})

describe('an error of a model', () => {
  it('is classified by its reason, with its own sentence', () => {
    const cause = new Error('secret')
    const error = new ModelResponseError('truncated', { cause, text: 'secret' })
    const message = 'The response of the model ended too early. See the cause of this error.'
    expect(classify(error, 0)).toEqual({ reason: 'unavailable', message })
    expect(error.cause).toBe(cause)
    expect(error.text).toBe('secret')
    expect(JSON.stringify(error)).not.toContain('secret')
  })

  it('is known across copies of the package, and nothing else is', () => {
    const copy = Object.assign(new Error('x'), { name: 'ModelResponseError', code: 'empty', text: undefined })
    expect(isToolgenError(copy, 'ModelResponseError')).toBe(true)
    const others = [null, { name: 'ModelResponseError', text: 'x' }, new Error('x'), new ToolFailure('x')]
    for (const other of others) expect(isToolgenError(other, 'ModelResponseError')).toBe(false)
  })
})
