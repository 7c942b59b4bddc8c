import { describe, expect, it } from 'vitest'
import { shapeIssues } from '../chat/messages.js'
import { assistantMessage } from './model-response.js'

const call = (id: unknown): object => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })

describe('the message of an answer', () => {
  it.each([
    '{"role":"assistant","content":"Hi","refusal":null,"annotations":[],"x_new":{"a":[1]}}',
    '{"content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{"},"x":1}],"role":"assistant"}',
    '{"role":"assistant","refusal":"No.","content":null,"__proto__":{"content":5},"constructor":1}',
    '{"role":"assistant","content":[{"type":"text","text":"Hi"}]}',
  ])('stays as it was sent: %s', (text) => {
    expect(JSON.stringify(assistantMessage(JSON.parse(text), 3))).toBe(text)
  })

  it('is not changed in place', () => {
    const sent = Object.freeze({ content: null, tool_calls: Object.freeze([Object.freeze(call(undefined))]) })
    expect(assistantMessage(sent, 3)).toMatchObject({ role: 'assistant', tool_calls: [{ id: 'call_3_0' }] })
  })

  it('has another id for each call, and keeps those that can stay', () => {
    const ids = ['a', 'a', 'a_1', '', null, 'call_3_3', 'a']
    const message = assistantMessage({ role: 'assistant', tool_calls: ids.map(call) }, 3)
    const kept = message.tool_calls?.map(({ id }) => id) ?? []
    expect(kept).toEqual(['a', 'a_1_', 'a_1', 'call_3_3', 'call_3_4', 'call_3_3_5', 'a_6'])
    expect(new Set(kept).size).toBe(ids.length)
    expect(shapeIssues(message)).toEqual([])
  })
})
