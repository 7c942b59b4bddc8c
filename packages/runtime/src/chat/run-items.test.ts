import { describe, expect, it } from 'vitest'
import { isToolgenError } from '../is-toolgen-error.js'
import type { ChatMessage, RunItem } from '../types/chat.js'
import { validateHistory } from './history.js'
import { chatMessages, runItems } from './run-items.js'

const call = { id: 'call_1', type: 'function' as const, function: { name: 'get_order', arguments: '{"order_id":' } }

function refusal(action: () => unknown): unknown {
  try {
    return action()
  } catch (error) {
    return isToolgenError(error, 'ChatMessageError') ? [error.index, error.code, error.path] : error
  }
}

/** A list of messages from elsewhere, of which nothing is known. */
const foreign = (...messages: unknown[]): ChatMessage[] => JSON.parse(JSON.stringify(messages))

describe('run items', () => {
  it('are one for each message, with its fields in its order', () => {
    const messages: ChatMessage[] = [
      { content: 'Where is it?', role: 'user' },
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', content: 'It has shipped.', tool_call_id: 'call_1' },
      { role: 'function', name: 'get_order', content: null },
    ]
    const items = runItems(messages)
    expect(items.map(({ kind }) => kind)).toEqual(['message', 'message', 'tool_output', 'message'])
    expect(JSON.stringify(items[2])).toBe(
      '{"kind":"tool_output","role":"tool","content":"It has shipped.","tool_call_id":"call_1"}',
    )
    expect(JSON.stringify(items[0])).toBe('{"kind":"message","content":"Where is it?","role":"user"}')
  })

  it('distinguish null, absent and empty content', () => {
    const messages = foreign(
      { role: 'assistant', content: null },
      { role: 'assistant' },
      { role: 'assistant', content: '' },
      { role: 'assistant', content: [] },
    )
    expect(JSON.stringify(chatMessages(runItems(messages)))).toBe(JSON.stringify(messages))
  })

  it('defect 6b: keep `tool_calls: null` of a stored assistant message', () => {
    const messages = foreign(
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello', refusal: null, tool_calls: null, function_call: null },
    )
    expect(JSON.stringify(chatMessages(runItems(messages)))).toBe(JSON.stringify(messages))
    expect(validateHistory(messages)).toEqual([])
  })

  it('keep unknown fields, also those called as the own field of an item', () => {
    const text =
      '[{"role":"user","kind":"a","__proto__":{"b":1},"kind_":2,"content":"","kind__":3,"constructor":4,"kinds":5}]'
    const items = runItems(JSON.parse(text))
    expect(JSON.stringify(items)).toContain('"kind":"message","role":"user","kind_":"a","__proto__":{"b":1},"kind__":2')
    expect(JSON.stringify(chatMessages(items))).toBe(text)
  })

  it('of agents alone have no message', () => {
    const items: RunItem[] = [
      { kind: 'handoff', from_agent: 'support', to_agent: 'research' },
      { kind: 'message', role: 'assistant', content: 'Done.' },
      { kind: 'handoff', from_agent: 'research', to_agent: 'support', reason: 'answered' },
    ]
    expect(chatMessages(items)).toEqual([{ role: 'assistant', content: 'Done.' }])
  })

  it.each([
    ['no object', 'hello', 'not_a_message', ''],
    ['Gemini', { role: 'model', parts: [{ text: 'hello' }] }, 'unknown_role', '/role'],
    ['responses', { type: 'function_call', call_id: 'a', name: 'b', arguments: '{}' }, 'unknown_role', '/role'],
    [
      'Anthropic',
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] },
      'other_dialect',
      '/content/0/type',
    ],
    [
      'responses content',
      { role: 'user', content: [{ type: 'input_text', text: 'a' }] },
      'other_dialect',
      '/content/0/type',
    ],
    [
      'a stream',
      { role: 'assistant', tool_calls: [call, { ...call, index: 0 }] },
      'other_dialect',
      '/tool_calls/1/index',
    ],
    [
      'parsed arguments',
      { role: 'assistant', tool_calls: [{ ...call, function: { name: 'a', arguments: {} } }] },
      'wrong_field',
      '/tool_calls/0/function/arguments',
    ],
    ['no id', { role: 'tool', content: 'a' }, 'missing_call_id', '/tool_call_id'],
    ['no content', { role: 'user' }, 'wrong_field', '/content'],
    ['null for a user', { role: 'user', content: null }, 'wrong_field', '/content'],
    [
      'an image of a tool',
      { role: 'tool', tool_call_id: 'a', content: [{ type: 'image_url' }] },
      'other_dialect',
      '/content/0/type',
    ],
  ])('refuse a message with %s with a reason and its place', (_, message, fault, path) => {
    expect(refusal(() => runItems(foreign({ role: 'user', content: 'before' }, message)))).toEqual([1, fault, path])
  })

  it('reject values that are not items', () => {
    const items = (...given: unknown[]): RunItem[] => JSON.parse(JSON.stringify(given))
    expect(refusal(() => chatMessages(items(null)))).toEqual([0, 'unknown_item', '/kind'])
    expect(refusal(() => chatMessages(items({ kind: 'plan' })))).toEqual([0, 'unknown_item', '/kind'])
    const swapped = { kind: 'message', role: 'tool', tool_call_id: 'a', content: '' }
    expect(refusal(() => chatMessages(items(swapped)))).toEqual([0, 'unknown_item', '/kind'])
    expect(refusal(() => chatMessages(items({ kind: 'message', role: 'cat' })))).toEqual([0, 'unknown_role', '/role'])
  })
})
