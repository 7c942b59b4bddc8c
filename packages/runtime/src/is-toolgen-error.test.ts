import { describe, expect, it } from 'vitest'
import { SuspensionError } from './agents.js'
import { isToolgenError, ToolFailure } from './index.js'
import { SessionError } from './sessions.js'

describe('isToolgenError', () => {
  it('recognizes one class, or any', () => {
    const error = new SessionError('closed', 'The registry is closed.')
    expect([isToolgenError(error), isToolgenError(error, 'SessionError'), isToolgenError(error, 'CodecError')]).toEqual(
      [true, true, false],
    )
  })

  it('recognizes a subclass of ToolFailure by both names', () => {
    const error = new SuspensionError('already_resumed', 'The suspension was resumed before.')
    expect(isToolgenError(error, 'SuspensionError')).toBe(true)
    expect(isToolgenError(error, 'ToolFailure')).toBe(true)
    expect(isToolgenError(new ToolFailure('x'), 'SuspensionError')).toBe(false)
  })

  it('recognizes an error of another copy of the package', () => {
    const foreign = Object.assign(new Error('x'), { name: 'CodecError', issues: [] })
    expect(isToolgenError(foreign, 'CodecError')).toBe(true)
  })

  it('rejects an error of the same name without the fields, other values and a revoked proxy', () => {
    const { proxy, revoke } = Proxy.revocable(new Error('x'), {})
    revoke()
    const others = [
      Object.assign(new Error('x'), { name: 'CodecError' }),
      new Error('x'),
      { name: 'ToolFailure', reason: 'denied' },
      undefined,
      proxy,
    ]
    expect(others.map((value) => isToolgenError(value))).toEqual([false, false, false, false, false])
  })
})
