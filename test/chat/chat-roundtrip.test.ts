import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { validateHistory } from '../../packages/runtime/src/chat/history.js'
import { chatMessages, runItems } from '../../packages/runtime/src/chat/run-items.js'
import { histories } from './histories.fixture.js'

describe('run items of generated histories', () => {
  it('chat_roundtrip_is_identity', () => {
    fc.assert(
      fc.property(histories, (messages) => {
        const text = JSON.stringify(messages)
        const items = runItems(messages)
        const back = chatMessages(items)
        expect(items.length).toBe(messages.length)
        expect(isDeepStrictEqual(back, messages)).toBe(true)
        expect(JSON.stringify(back)).toBe(text)
        // And from items to items, also by way of a store.
        expect(JSON.stringify(runItems(chatMessages(JSON.parse(JSON.stringify(items)))))).toBe(JSON.stringify(items))
      }),
      { numRuns: 600 },
    )
  })

  it('never makes the validator throw, and shapes are never what it objects to', () => {
    const shapes = new Set(['unreadable', 'not_a_message', 'unknown_role', 'wrong_field', 'other_dialect'])
    fc.assert(
      fc.property(histories, (messages) => {
        expect(validateHistory(messages).filter(({ code }) => shapes.has(code))).toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})
