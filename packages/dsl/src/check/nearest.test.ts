import { describe, expect, it } from 'vitest'
import { nearestName } from './nearest.js'

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

  it('answers at once for a huge name', () => {
    const started = performance.now()
    expect(nearestName('a'.repeat(1_000_000), ['title', 'description'])).toBeUndefined()
    expect(performance.now() - started).toBeLessThan(1_000)
  })
})
