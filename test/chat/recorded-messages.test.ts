import { isDeepStrictEqual } from 'node:util'
import { isToolgenError } from '@toolgen/runtime'
import { describe, expect, it } from 'vitest'
import { validateHistory } from '../../packages/runtime/src/chat/history.js'
import { chatMessages, runItems } from '../../packages/runtime/src/chat/run-items.js'
import { hasData } from '../data.js'
import { recordedMessages, trajectories } from './recorded.fixture.js'

const dialects = new Map<string, number>()
for (const { dialect } of recordedMessages) dialects.set(dialect, (dialects.get(dialect) ?? 0) + 1)

describe.skipIf(!hasData)('recorded chat messages (needs the data folder)', () => {
  it('are 222 of three dialects', () => {
    expect(Object.fromEntries(dialects)).toEqual({ openai: 190, 'openai+extension': 21, 'delta/partial': 11 })
  })

  it('of OpenAI, extended or not, come back from items as they were', () => {
    const ours = recordedMessages.filter(({ dialect }) => dialect.startsWith('openai'))
    expect(ours.length).toBe(211)
    for (const { message, source } of ours) {
      const back = chatMessages(runItems([message]))
      expect(isDeepStrictEqual(back, [message]), source).toBe(true)
      expect(JSON.stringify(back), source).toBe(JSON.stringify([message]))
    }
  })

  it('of other dialects are refused with a reason and a place', () => {
    const others = recordedMessages.filter(({ dialect }) => !dialect.startsWith('openai'))
    const refusals = others.map(({ message }) => {
      const error = thrownBy(() => runItems([{ role: 'user', content: 'before' }, message]))
      return isToolgenError(error, 'ChatMessageError') && [error.index, error.code, error.path]
    })
    expect(refusals).toEqual(others.map(() => [1, 'other_dialect', '/tool_calls/0/index']))
  })
})

describe.skipIf(!hasData)('100 recorded conversations (needs the data folder)', () => {
  it('are valid histories of 2,658 messages, of which 24 use an id again', () => {
    expect([trajectories.length, trajectories.flatMap(({ messages }) => messages).length]).toEqual([100, 2658])
    expect(trajectories.flatMap(({ messages }) => validateHistory(messages))).toEqual([])
    expect(trajectories.filter(({ messages }) => repeatsAnId(messages)).length).toBe(24)
  })

  it('come back from items as they were', () => {
    for (const { messages } of trajectories)
      expect(JSON.stringify(chatMessages(runItems(messages)))).toBe(JSON.stringify(messages))
  })

  it('are not valid without any one of their answers, or with one twice', () => {
    let tried = 0
    for (const { messages } of trajectories) {
      const answers = messages.flatMap(({ role }, index) => (role === 'tool' ? [index] : []))
      for (const index of answers) {
        tried++
        expect(validateHistory(messages.toSpliced(index, 1)).map(({ code }) => code)).toEqual(['unanswered_call'])
        const [answer] = messages.slice(index, index + 1)
        const twice = answer === undefined ? messages : messages.toSpliced(index, 0, answer)
        expect(validateHistory(twice).map(({ code }) => code)).toEqual(['second_answer'])
      }
    }
    expect(tried).toBe(572)
  })
})

function repeatsAnId(messages: (typeof trajectories)[number]['messages']): boolean {
  const ids = messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []))
  return new Set(ids).size < ids.length
}

function thrownBy(action: () => unknown): unknown {
  try {
    action()
    return undefined
  } catch (error) {
    return error
  }
}
