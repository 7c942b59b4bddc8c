import { describe, expect, it } from 'vitest'
import type { ChatMessage } from '../types/chat.js'
import type { RunMeta } from '../types/planner.js'
import { type Turn, TurnConverter } from './model-turns.js'

const meta = (): RunMeta => ({ runId: 'run_1', agent: 'support', labels: {}, signal: new AbortController().signal })

const frozen = (message: ChatMessage): ChatMessage => Object.freeze(message)

const asks = (id: string, number = 1): ChatMessage => {
  const call = { name: 'orders_find', arguments: JSON.stringify({ number }) }
  return { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: call }] }
}

const result = (id: string, content = 'ok'): ChatMessage => ({ role: 'tool', tool_call_id: id, content })

/** Returns the function that converts a conversation, and the turns that it converted so far. */
function converter() {
  const added: Turn[] = []
  const read = () => ({ text: '', calls: [], reasoning: '', hasMore: false })
  const turns = new TurnConverter<Turn>({ name: 'test', read }, undefined)
  const convert = (messages: readonly ChatMessage[], of: RunMeta) =>
    turns.convert({ messages, meta: of }, (list, turn) => {
      added.push(turn)
      list.push(turn)
    })
  return { convert, added, release: (of: RunMeta) => turns.release(of) }
}

const start = [frozen({ role: 'system', content: 'Help.' }), frozen({ role: 'user', content: 'Where is it?' })]
const step = [frozen(asks('a')), frozen(result('a'))]

describe('the conversation of a run', () => {
  it('is converted once', () => {
    const { convert, added } = converter()
    const run = meta()
    const first = convert(start, run)
    const second = convert([...start, ...step], run)
    const third = convert([...start, ...step, frozen(asks('b')), frozen(result('b'))], run)
    expect(added.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool'])
    expect(third).toEqual({ instructions: ['Help.'], messages: added })
    // Later requests do not change earlier ones.
    expect([first.messages.length, second.messages.length]).toEqual([1, 3])
  })

  it('is converted again if a message has changed or can change', () => {
    const { convert, added } = converter()
    const run = meta()
    const message = { role: 'user' as const, content: 'Where is it?' }
    convert([message], run)
    message.content = 'Where is A-1?'
    expect(convert([message], run).messages).toEqual([
      { role: 'user', parts: [{ type: 'text', text: 'Where is A-1?' }] },
    ])
    convert([...start, ...step], run)
    expect(convert([start[0] as ChatMessage, ...step], run).messages).toHaveLength(2)
    expect(added.map(({ role }) => role).join(' ')).toBe('user user user assistant tool assistant tool')
  })

  it('is converted again after its release', () => {
    const { convert, added, release } = converter()
    const run = meta()
    convert(start, run)
    release(run)
    expect(convert([...start, ...step], run).messages).toHaveLength(3)
    expect(added.map(({ role }) => role)).toEqual(['user', 'user', 'assistant', 'tool'])
  })

  it('has one turn for the results of a step, also if a result follows later', () => {
    const { convert } = converter()
    const run = meta()
    const calls = [asks('a'), asks('b', 2)].map(frozen)
    convert([...calls, frozen(result('a'))], run)
    expect(convert([...calls, frozen(result('a')), frozen(result('b'))], run).messages.at(-1)).toMatchObject({
      role: 'tool',
      results: [{ call: { input: { number: 1 } } }, { call: { input: { number: 2 } } }],
    })
  })

  it('gives a repeated id a new one, in later requests too', () => {
    const { convert } = converter()
    const run = meta()
    convert(step, run)
    const messages = [...step, frozen(asks('a', 2)), frozen(result('a'))]
    const ids = [{}, { id: 'a_2' }]
    for (const of of [run, meta()]) {
      const turns = convert(messages, of).messages
      expect(turns[2]).toMatchObject({ calls: [ids[1]] })
      expect(turns[3]).toMatchObject({ results: [{ call: ids[1] }] })
    }
  })

  it('is independent of the conversations of other runs', () => {
    const { convert, added } = converter()
    convert(start, meta())
    convert(start, meta())
    expect(added).toHaveLength(2)
  })

  it('is converted from its start after an error', () => {
    const { convert } = converter()
    const run = meta()
    convert(step, run)
    expect(() => convert([...step, frozen(result('c'))], run)).toThrow(
      "cannot send message 1: no earlier message calls a tool with the id 'c'",
    )
    expect(convert(step, run).messages).toHaveLength(2)
  })
})

describe('files of messages', () => {
  type Content = Extract<ChatMessage, { readonly role: 'user' }>['content']

  const partOf = (content: Content): unknown => {
    const [turn] = converter().convert([frozen({ role: 'user', content })], meta()).messages
    return turn?.role === 'user' ? turn.parts[0] : undefined
  }
  const file = (file_data: string): unknown => partOf([{ type: 'file', file: { file_data } }])
  const image = (url: string): unknown => partOf([{ type: 'image_url', image_url: { url } }])

  it.each([
    ['data:application/pdf;base64,JVBERi0=', 'application/pdf', 'JVBERi0='],
    ['data:text/plain;charset=utf-8;base64,SGk=', 'text/plain', 'SGk='],
    ['DATA:Text/Plain;Base64,SGk=', 'text/plain', 'SGk='],
    ['data:text/plain;charset=utf-8; base64,SGk=', 'text/plain', 'SGk='],
    [
      'data:text/plain,50%25%20%C3%A4,%20%F0%9F%98%80',
      'text/plain',
      btoa('50% \u00c3\u00a4, \u00f0\u009f\u0098\u0080'),
    ],
    ['data:text/csv;charset=utf-8,1;2', 'text/csv', btoa('1;2')],
    ['data:;base64,SGk=', 'text/plain', 'SGk='],
    ['data:,Hi', 'text/plain', 'SGk='],
    ['JVBERi0=', 'application/pdf', 'JVBERi0='],
  ])('contain the data of %s', (text, mediaType, data) => {
    expect(file(text)).toEqual({ type: 'data', mediaType, data })
    if (text.includes(':')) expect(image(text)).toEqual({ type: 'data', mediaType, data })
  })

  it('are web addresses otherwise', () => {
    const url = 'https://example.com/data:a.png'
    expect(image(url)).toEqual({ type: 'image_url', url })
  })

  it.each([
    ['without data', 'data:text/plain'],
    ['with invalid base64', 'data:text/plain;base64,***'],
    ['with invalid base64 of JSON', 'data:application/json;base64,{}'],
    ['with bytes that are not UTF-8', 'data:text/plain,%E4'],
  ])('are rejected %s', (_, text) => {
    const message = "The driver 'test' cannot send message 0: the data URL of a file is malformed."
    expect(() => file(text)).toThrow(message)
    expect(() => image(text)).toThrow(message)
  })
})
