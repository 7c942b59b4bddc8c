import { describe, expect, it } from 'vitest'
import type { ModelResponse } from '../types/planner.js'
import { answer, ask, callTools } from './decision.js'
import { decisionOutput, modelOutput, withDecisionText, withModelText } from './hooks.js'
import { getOrder } from './orders.fixture.js'

const message = { role: 'assistant', content: '{"answer":7}', 'x-kept': true } as const

describe('other words of a model', () => {
  it('are its message and, where it was restored, its structured answer; all else stays', () => {
    const plain: ModelResponse = { message, calls: [], finishReason: 'stop' }
    expect(modelOutput(plain).text).toBe('{"answer":7}')
    expect(withModelText(plain, 'x')).toEqual({ ...plain, message: { ...message, content: 'x' } })
    const restored: ModelResponse = { ...plain, output: '7' }
    expect(modelOutput(restored).text).toBe('7')
    expect(withModelText(restored, '8')).toEqual({ ...restored, message: { ...message, content: '8' }, output: '8' })
  })
})

describe('other words of a planner', () => {
  const calls = callTools(getOrder.call({ orderId: 'A-1' }))
  it.each([
    ['an answer', answer('a'), 'a', { text: 'b' }],
    ['a value', answer({ total: 1 }), '', { text: 'b', value: { total: 1 } }],
    ['a question', ask('a?'), 'a?', { question: 'b' }],
    ['calls', { ...calls, text: 'a' }, 'a', { text: 'b', calls: 'calls' in calls && calls.calls }],
    ['a message of its own', { ...answer('a'), message }, 'a', { message: { ...message, content: 'b' } }],
  ] as const)('take the place of those of %s', (_, decision, text, expected) => {
    expect(decisionOutput(decision).text).toBe(text)
    expect(withDecisionText(decision, 'b')).toMatchObject({ kind: decision.kind, ...expected })
  })
})
