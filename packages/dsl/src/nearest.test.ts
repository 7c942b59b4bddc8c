import { describe, expect, it, vi } from 'vitest'
import { nearestName } from './checks.js'

describe('nearestName', () => {
  it('finds the name that differs least, whatever its case', () => {
    expect(nearestName('desciption', ['title', 'description'])).toBe('description')
    expect(nearestName('SESSIONID', ['runId', 'sessionId'])).toBe('sessionId')
    expect(nearestName('cat', ['cut', 'cat'])).toBe('cat')
  })

  it('finds none where all differ much', () => {
    expect(nearestName('colour', ['title', 'description'])).toBeUndefined()
    expect(nearestName('x', [])).toBeUndefined()
  })

  it('does not read a huge name', () => {
    const read = vi.spyOn(String.prototype, 'toLowerCase')
    const found = nearestName('a'.repeat(1_000_000), ['title', 'description'])
    const reads = read.mock.calls.length
    read.mockRestore()
    expect([found, reads]).toEqual([undefined, 0])
  })
})
