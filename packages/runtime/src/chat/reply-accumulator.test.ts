import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChatChunk } from '../types/chat-reply.js'

import { accumulateChunks, ReplyAccumulator } from './replies.js'

/** A chunk of choice 0. */
const delta = (part: object, finishReason: string | null = null): ChatChunk => ({
  choices: [{ index: 0, delta: part, finish_reason: finishReason }],
})
const callPart = (index: number | undefined, part: object): ChatChunk =>
  delta({ tool_calls: [{ ...(index !== undefined && { index }), ...part }] })
const end = delta({}, 'tool_calls')

/** Chunks that keep no type. */
const foreign = (...chunks: unknown[]): ChatChunk[] => JSON.parse(JSON.stringify(chunks))

const callsOf = (chunks: readonly ChatChunk[]) =>
  (accumulateChunks([...chunks, end]).message.tool_calls ?? []).map((call) =>
    call.type === 'custom'
      ? [call.id, call.custom.name, call.custom.input]
      : [call.id, call.function.name, call.function.arguments],
  )
const faultsOf = (chunks: readonly ChatChunk[]) => accumulateChunks(chunks).issues.map(({ code }) => code)

describe('a stream', () => {
  it('is a message, why it ended, and what it cost', () => {
    const usage = {
      prompt_tokens: 3,
      completion_tokens: 2,
      total_tokens: 5,
      prompt_tokens_details: { cached_tokens: 1 },
    }
    const chunks: ChatChunk[] = [
      { model: 'gpt-x', ...delta({ role: 'assistant', content: '', refusal: null }) },
      delta({ content: 'Hel' }),
      delta({ content: 'lo' }),
      delta({}, 'stop'),
      { choices: [], usage },
    ]
    expect(accumulateChunks(chunks)).toEqual({
      message: { role: 'assistant', content: 'Hello', refusal: null },
      finishReason: 'stop',
      usage,
      model: 'gpt-x',
      otherChoices: 0,
      issues: [],
    })
  })

  it('without content has null, with an empty one has an empty one', () => {
    expect(accumulateChunks([delta({ content: null })]).message.content).toBeNull()
    expect(accumulateChunks([delta({ content: '' })]).message.content).toBe('')
  })

  it('joins refusals', () => {
    expect(accumulateChunks([delta({ refusal: 'I can' }), delta({ refusal: 'not.' })]).message.refusal).toBe(
      'I cannot.',
    )
  })

  it('joins a legacy call', () => {
    const parts = [{ name: 'a', arguments: '' }, { arguments: '{"b"' }, { arguments: ':1' }]
    const { message } = accumulateChunks(parts.map((function_call) => delta({ function_call })))
    expect(message.function_call).toEqual({ name: 'a', arguments: '{"b":1' })
  })

  it('joins sound, whose id is no text to be joined', () => {
    const parts = [
      { id: 'audio_1', transcript: 'Hel' },
      { id: 'audio_1', transcript: 'lo', data: 'aGk=' },
      { expires_at: 2 },
    ]
    const { message, issues } = accumulateChunks([...parts.map((audio) => delta({ audio })), delta({}, 'stop')])
    expect(message.audio).toEqual({ id: 'audio_1', transcript: 'Hello', data: 'aGk=', expires_at: 2 })
    expect(issues).toEqual([])
  })

  it('keeps fields that nobody knows', () => {
    const chunks = foreign(
      ...[
        { thought: 'a', steps: [1], safe: null, __proto__: 1 },
        { thought: 'b', steps: [2], score: 1 },
        { score: 2 },
      ].map((part) => delta(part)),
    )
    expect(accumulateChunks(chunks).message).toEqual({
      role: 'assistant',
      content: null,
      refusal: null,
      thought: 'ab',
      steps: [1, 2],
      safe: null,
      score: 2,
    })
    const hostile: object = accumulateChunks([delta(JSON.parse('{"__proto__":{"a":1}}'))]).message
    expect(JSON.stringify(hostile)).toBe('{"role":"assistant","content":null,"refusal":null,"__proto__":{"a":1}}')
  })

  it('of several answers keeps the first and counts the others', () => {
    const chunks: ChatChunk[] = [
      {
        choices: [
          { index: 1, delta: { content: 'x' } },
          { index: 0, delta: { content: 'a' } },
        ],
      },
      { choices: [{ index: 2, delta: { content: 'y' }, finish_reason: 'stop' }] },
      { choices: [{ index: 1, delta: { content: 'x' } }] },
    ]
    const { message, otherChoices, issues } = accumulateChunks(chunks)
    expect([message.content, otherChoices, issues.map(({ code }) => code)]).toEqual(['a', 2, ['unfinished']])
  })

  it('of a server that does not stream is its whole completion', () => {
    const message = {
      role: 'assistant',
      content: 'Hello',
      tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    }
    const [chunk] = foreign({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] })
    expect(accumulateChunks(chunk === undefined ? [] : [chunk])).toMatchObject({
      message: {
        content: 'Hello',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      finishReason: 'tool_calls',
      issues: [],
    })
  })

  it('can be looked at while it runs, and what was given out stays as it was', () => {
    const accumulator = new ReplyAccumulator()
    accumulator.add(delta({ content: 'a', tags: ['x'] }))
    const before = accumulator.reply()
    accumulator.add(delta({ content: 'b', tags: ['y'] }))
    expect(before.message).toMatchObject({ content: 'a', tags: ['x'] })
    expect(accumulator.reply().message).toMatchObject({ content: 'ab', tags: ['x', 'y'] })
  })
})

describe('streamed calls', () => {
  const begin = (id: string, name: string) => ({ id, type: 'function', function: { name, arguments: '' } })
  const more = (text: string) => ({ function: { arguments: text } })

  it('are joined by index, whatever the order of their parts', () => {
    expect(
      callsOf([
        callPart(2, begin('c', 'h')),
        callPart(0, begin('a', 'f')),
        callPart(2, more('{"z"')),
        callPart(0, more('{"x"')),
        callPart(2, more(':3}')),
        callPart(0, more(':1')),
      ]),
    ).toEqual([
      ['a', 'f', '{"x":1'],
      ['c', 'h', '{"z":3}'],
    ])
  })

  it('without an index are distinguished by id, and complete ones by name', () => {
    expect(
      callsOf([
        callPart(undefined, begin('a', 'f')),
        callPart(undefined, more('{')),
        callPart(undefined, begin('b', 'g')),
        callPart(undefined, { id: 'a', ...more('}') }),
        callPart(undefined, more('[')),
      ]),
    ).toEqual([
      ['a', 'f', '{}'],
      ['b', 'g', '['],
    ])
    const anonymous = { function: { name: 'f', arguments: '{}' } }
    expect(callsOf([callPart(undefined, anonymous), callPart(undefined, anonymous)])).toEqual([
      ['', 'f', '{}'],
      ['', 'f', '{}'],
    ])
  })

  it('that all have the index 0 are distinguished by id and name', () => {
    const whole = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: `{"${id}":1}` } })
    expect(callsOf([callPart(0, whole('a')), callPart(0, whole('b'))])).toEqual([
      ['a', 'f', '{"a":1}'],
      ['b', 'f', '{"b":1}'],
    ])
  })

  it('keep their first id where each part has one of its own', () => {
    expect(callsOf([callPart(0, begin('a', 'f')), callPart(0, { id: 'b', ...more('{}') })])).toEqual([['a', 'f', '{}']])
  })

  it('may be of custom tools', () => {
    const custom = { id: 'a', type: 'custom', custom: { name: 'run_code', input: '' } }
    const parts = [
      callPart(0, custom),
      callPart(0, { custom: { input: 'print(' } }),
      callPart(0, { custom: { input: '1' } }),
    ]
    expect(callsOf(parts)).toEqual([['a', 'run_code', 'print(1']])
    expect(accumulateChunks(parts).message.tool_calls?.[0]?.type).toBe('custom')
  })

  it('keep fields that nobody knows', () => {
    const part = { ...begin('a', 'f'), extra_content: { google: { thought_signature: 'x' } } }
    expect(accumulateChunks([callPart(0, part)]).message.tool_calls).toEqual([
      { ...begin('a', 'f'), extra_content: { google: { thought_signature: 'x' } } },
    ])
  })

  it('come out as they went in, however they are cut and interleaved', () => {
    const call = fc.record({ id: fc.uuid(), name: fc.string({ minLength: 1 }), pieces: fc.array(fc.string()) })
    const calls = fc.uniqueArray(call, { selector: ({ id }) => id, minLength: 1, maxLength: 5 })
    const seed = fc.infiniteStream(fc.nat())
    fc.assert(
      fc.property(calls, seed, (given, numbers) => {
        const lines = given.map(({ id, name, pieces }, index) => [
          callPart(index, begin(id, name)),
          ...pieces.map((piece) => callPart(index, more(piece))),
        ])
        const chunks: ChatChunk[] = []
        while (lines.some(({ length }) => length > 0)) {
          const waiting = lines.filter(({ length }) => length > 0)
          const next = waiting[numbers.next().value % waiting.length]?.shift()
          if (next !== undefined) chunks.push(next)
        }
        expect(callsOf(chunks)).toEqual(given.map(({ id, name, pieces }) => [id, name, pieces.join('')]))
      }),
      { numRuns: 200 },
    )
  })
})

describe('a broken stream', () => {
  it('is reported, and the received parts are kept', () => {
    expect(faultsOf([])).toEqual(['no_choice'])
    expect(faultsOf([{ choices: [] }])).toEqual(['no_choice'])
    expect(faultsOf([delta({ content: 'Hel' })])).toEqual(['unfinished'])
    expect(accumulateChunks([delta({ content: 'Hel' })]).message.content).toBe('Hel')
  })

  it('may end by a limit in the middle of a call', () => {
    const part = { id: 'a', type: 'function', function: { name: 'f', arguments: '{"a":' } }
    const { finishReason, issues, message } = accumulateChunks([callPart(0, part), delta({}, 'length')])
    expect([finishReason, issues, message.tool_calls]).toEqual(['length', [], [part]])
  })

  it('reports calls without an id or a name', () => {
    const { issues } = accumulateChunks([callPart(0, { function: { arguments: '{}' } }), end])
    expect(issues).toEqual([
      { code: 'incomplete_call', path: '/tool_calls/0', message: 'Call 0 has no id and no name.' },
    ])
  })

  it('reports the error message of the server', () => {
    const [chunk] = foreign({ error: { message: 'overloaded', code: 503 } })
    expect(accumulateChunks([delta({ content: 'a' }), ...(chunk === undefined ? [] : [chunk])]).issues).toEqual([
      { code: 'server_error', chunk: 1, message: 'The server sent an error: "overloaded"' },
      { code: 'unfinished', message: 'The stream ended without a finish reason.' },
    ])
  })

  it.each([
    ['a chunk', 7, ''],
    ['choices', { choices: 7 }, '/choices'],
    ['a choice', { choices: [null] }, '/choices/0'],
    ['a part', { choices: [{ delta: 'a' }] }, '/choices/0/delta'],
    ['content', delta({ content: 7 }), '/choices/0/delta/content'],
    ['calls', delta({ tool_calls: {} }), '/choices/0/delta/tool_calls'],
    ['a call', delta({ tool_calls: [7] }), '/choices/0/delta/tool_calls/0'],
    ['a function', callPart(0, { id: 'a', function: 7 }), '/choices/0/delta/tool_calls/0/function'],
    [
      'arguments',
      callPart(0, { id: 'a', function: { name: 'f', arguments: {} } }),
      '/choices/0/delta/tool_calls/0/function/arguments',
    ],
    ['a legacy call', delta({ function_call: 7 }), '/choices/0/delta/function_call'],
    ['usage', { usage: { prompt_tokens: '7' } }, '/usage'],
    ['sound', delta({ audio: 7 }), '/audio'],
  ])('tells %s of the wrong type, and where', (_, chunk, path) => {
    const { issues } = accumulateChunks(foreign(delta({ content: 'a' }), chunk))
    expect(issues).toContainEqual({ code: 'malformed_part', chunk: 1, path, message: expect.any(String) })
  })

  it('never makes it throw, nor lists issues without end', () => {
    const throwing = {
      get choices(): never {
        throw new Error('no')
      },
    }
    expect(accumulateChunks([throwing]).issues[0]).toMatchObject({ code: 'malformed_part', chunk: 0 })
    expect(accumulateChunks(foreign(...new Array(1000).fill(7))).issues.length).toBe(101)
    fc.assert(
      fc.property(fc.array(fc.anything()), (parts) => {
        const accumulator = new ReplyAccumulator()
        for (const part of parts) accumulator.add(delta({ content: 'a', tool_calls: [part], other: part, audio: part }))
        expect(accumulator.reply().message.content ?? '').toBe('a'.repeat(parts.length))
      }),
      { numRuns: 200 },
    )
  })
})
