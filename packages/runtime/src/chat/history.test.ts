import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { validateHistory } from './history.js'

const user = { role: 'user', content: 'Where is it?' }
const asks = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'get_order', arguments: '{}' } })),
})
const answers = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'It has shipped.' })

/** Each violation as its code, its message and the call that it is about. */
const found = (messages: unknown, pending: readonly string[] = []) =>
  validateHistory(messages, { pending }).map((violation) => [
    violation.code,
    ...('index' in violation ? [violation.index] : []),
    ...('callId' in violation ? [violation.callId] : []),
  ])

describe('a valid history', () => {
  it.each([
    ['is empty', []],
    ['has no calls', [user, { role: 'assistant', content: 'In transit.' }]],
    ['has answers in another order than calls', [user, asks('a', 'b', 'c'), answers('c'), answers('a'), answers('b')]],
    ['uses an id again in another turn', [asks('a'), answers('a'), user, asks('a'), answers('a')]],
    ['has ids that objects inherit', [asks('__proto__', 'constructor'), answers('constructor'), answers('__proto__')]],
    [
      'has legacy calls, apart from ids',
      [
        { role: 'assistant', content: null, function_call: { name: 'a', arguments: '{' } },
        { role: 'function', name: 'a', content: null },
        asks('a'),
        answers('a'),
      ],
    ],
    [
      'has a refusal or sound for content',
      [
        { role: 'assistant', refusal: 'No.' },
        { role: 'assistant', content: null, audio: { id: 'audio_1' } },
      ],
    ],
  ])('%s', (_, messages) => {
    expect(found(messages)).toEqual([])
  })

  it('may have open calls that are pending', () => {
    expect(found([asks('a', 'b'), answers('a')], ['b'])).toEqual([])
    expect(found([asks('a'), answers('a'), asks('a')], ['a'])).toEqual([])
  })
})

describe('violations', () => {
  it.each([
    ['no list', { length: 1 }, [['not_a_list']]],
    [
      'no message',
      [null, 'hello', [user]],
      [
        ['not_a_message', 0],
        ['not_a_message', 1],
        ['not_a_message', 2],
      ],
    ],
    ['an unknown role', [{ role: 'model', content: '' }], [['unknown_role', 0]]],
    ['an inherited role', [Object.create(user)], [['unknown_role', 0]]],
    ['no id', [{ role: 'tool', content: '' }], [['missing_call_id', 0]]],
    [
      'an empty id',
      [asks(''), answers('')],
      [
        ['missing_call_id', 0],
        ['missing_call_id', 1],
      ],
    ],
    ['content of the wrong type', [{ role: 'user', content: 7 }], [['wrong_field', 0]]],
    ['content parts of another interface', [{ role: 'user', content: [{ type: 'tool_use' }] }], [['other_dialect', 0]]],
    ['nothing said', [{ role: 'assistant', content: null }], [['empty_message', 0]]],
    ['an empty list of calls', [{ role: 'assistant', content: '', tool_calls: [] }], [['empty_tool_calls', 0]]],
    [
      'both',
      [{ role: 'assistant', tool_calls: [] }],
      [
        ['empty_tool_calls', 0],
        ['empty_message', 0],
      ],
    ],
    ['an unanswered call', [asks('a', 'b'), answers('b')], [['unanswered_call', 0, 'a']]],
    ['an answer without a call', [asks('a'), answers('a'), answers('b')], [['unknown_answer', 2, 'b']]],
    ['two answers', [asks('a'), answers('a'), answers('a')], [['second_answer', 2, 'a']]],
    ['an answer before its call', [answers('a'), asks('a')], [['early_answer', 0, 'a']]],
    ['an answer after other messages', [asks('a'), user, answers('a')], [['late_answer', 2, 'a']]],
    ['one id for two calls', [asks('a', 'a'), answers('a'), answers('a')], [['duplicate_call_id', 0, 'a']]],
    ['a call left open when its id comes again', [asks('a'), asks('a'), answers('a')], [['unanswered_call', 0, 'a']]],
    [
      'an open legacy call',
      [{ role: 'assistant', function_call: { name: 'a', arguments: '' } }],
      [['unanswered_call', 0, 'a']],
    ],
    [
      'a legacy answer to a call that has an id',
      [asks('a'), { role: 'function', name: 'a', content: '' }, answers('a')],
      [['unknown_answer', 1, 'a']],
    ],
    ['an answer to no legacy call', [{ role: 'function', name: 'a', content: '' }], [['unknown_answer', 0, 'a']]],
  ])('%s', (_, messages, violations) => {
    expect(found(messages)).toEqual(violations)
  })

  it('a pending call that is not open', () => {
    expect(found([asks('a'), answers('a')], ['a'])).toEqual([['unknown_pending', 'a']])
    expect(found([asks('a')], ['a', 'a'])).toEqual([['unknown_pending', 'a']])
  })

  it('say where, in a sentence', () => {
    expect(validateHistory([asks('a')])).toEqual([
      {
        code: 'unanswered_call',
        index: 0,
        path: '/tool_calls/0/id',
        callId: 'a',
        message: 'The call "a" has no answer.',
      },
    ])
    expect(validateHistory([{ role: 'user', content: [{ type: 'text' }] }])).toEqual([
      { code: 'wrong_field', index: 0, path: '/content/0/text', message: '/content/0/text is missing.' },
    ])
  })
})

describe('hostile values', () => {
  const throwing = {
    get role(): string {
      throw new Error('no')
    },
  }
  const revoked = Proxy.revocable([], {})
  revoked.revoke()
  const later = {
    role: 'assistant',
    content: 'a',
    get tool_calls() {
      throw new Error('no')
    },
  }

  it('are violations and nothing else', () => {
    expect(found([throwing, later, user])).toEqual([
      ['unreadable', 0],
      ['unreadable', 1],
    ])
    expect(found(revoked.proxy)).toEqual([['not_a_list']])
    expect(found([revoked.proxy])).toEqual([['unreadable', 0]])
    expect(found([{ role: 'user', content: revoked.proxy }])).toEqual([['unreadable', 0]])
  })

  it('do not make a list of issues endless', () => {
    const endless = validateHistory(new Array(4_000_000_000))
    expect([endless.length, endless.at(-1)?.code]).toEqual([1001, 'more_issues'])
    const parts = validateHistory([{ role: 'user', content: new Array(4_000_000_000) }])
    expect(parts.length).toBeLessThanOrEqual(1001)
    const calls = validateHistory([{ role: 'assistant', tool_calls: new Array(4_000_000_000) }])
    expect(calls.length).toBeLessThanOrEqual(1001)
  })

  it('never make it throw', () => {
    const role = fc.constantFrom('system', 'user', 'assistant', 'tool', 'function', 'model', 7)
    const field = fc.constantFrom(
      'content',
      'tool_calls',
      'tool_call_id',
      'function_call',
      'audio',
      'name',
      '__proto__',
    )
    const message = fc.tuple(
      role,
      fc.dictionary(field, fc.anything({ withNullPrototype: true, withSparseArray: true })),
    )
    const list = fc.array(
      fc.oneof(
        message.map(([given, fields]) => ({ ...fields, role: given })),
        fc.anything(),
      ),
    )
    fc.assert(
      fc.property(fc.oneof(list, fc.anything()), (messages) => {
        for (const { code, message: sentence } of validateHistory(messages)) {
          expect(code).not.toBe('')
          expect(sentence).toMatch(/\.$/)
        }
      }),
      { numRuns: 1000 },
    )
  })
})
