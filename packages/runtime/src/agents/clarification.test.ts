import { describe, expect, it } from 'vitest'
import type { ToolOutcome } from '../types/outcome.js'
import { clarificationOf } from './decision.js'
import { readInput, withInstructions } from './start-run.js'

const lacks = (tool: string, ...missing: readonly { readonly path: string; readonly description?: string }[]) =>
  ({ status: 'failed', hint: { reason: 'missing_fields', tool, missing } }) as unknown as ToolOutcome

describe('a clarification', () => {
  it('asks for one field in a sentence, for several in a list', () => {
    expect(clarificationOf([lacks('a.x', { path: '/id' })])).toEqual({
      question: 'Please enter: id.',
      fields: [{ tool: 'a.x', path: '/id' }],
    })
    const both = [
      lacks('a.x', { path: '/id', description: 'Number of the order' }),
      lacks('b.y', { path: '/to/zip~1code' }),
    ]
    expect(clarificationOf(both)?.question).toBe('Please enter:\n- Number of the order (id)\n- zip/code')
  })

  it('asks for a field once, however many calls lack it', () => {
    const twice = [lacks('a.x', { path: '/id' }), lacks('a.x', { path: '/id' }), lacks('b.y', { path: '/id' })]
    expect(clarificationOf(twice)).toEqual({
      question: 'Please enter: id.',
      fields: [
        { tool: 'a.x', path: '/id' },
        { tool: 'b.y', path: '/id' },
      ],
    })
  })

  it('asks for nothing where nothing is missing', () => {
    expect(clarificationOf([])).toBeUndefined()
    expect(clarificationOf([{ status: 'failed', hint: { reason: 'denied' } } as never])).toBeUndefined()
  })
})

describe('the messages of a run', () => {
  const user = { role: 'user', content: '?' } as const

  it('begin with the instructions, unless the conversation has some', () => {
    expect(withInstructions(readInput('?').messages, 'Be kind.')).toEqual([
      { role: 'system', content: 'Be kind.' },
      user,
    ])
    expect(withInstructions(readInput('?').messages, undefined)).toEqual([user])
    for (const role of ['system', 'developer'] as const) {
      const given = [{ role, content: 'Be quick.' }, user]
      expect(withInstructions(readInput(given).messages, 'Be kind.')).toEqual(given)
    }
    expect(withInstructions(readInput([]).messages, 'Be kind.')).toEqual([{ role: 'system', content: 'Be kind.' }])
  })

  it('are a copy of what was given', () => {
    const given = [user]
    expect(withInstructions(readInput(given).messages, undefined)).not.toBe(given)
  })
})
