import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boundedEdits } from './nearest.js'

/** The same by its definition, without a bound. */
function editsOf(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length
  const kept = editsOf(a.slice(0, -1), b.slice(0, -1)) + (a.at(-1) === b.at(-1) ? 0 : 1)
  const best = Math.min(kept, editsOf(a.slice(0, -1), b) + 1, editsOf(a, b.slice(0, -1)) + 1)
  const isSwap = a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1)
  return isSwap ? Math.min(best, editsOf(a.slice(0, -2), b.slice(0, -2)) + 1) : best
}

describe('the edits between two texts', () => {
  it.each([
    ['cat', 'cat', 0],
    ['cat', 'act', 1],
    ['status', 'statsu', 1],
    ['kitten', 'sitting', 3],
  ])('%s and %s are %i apart', (a, b, edits) => {
    expect(boundedEdits(a, b, 5)).toBe(edits)
    expect(boundedEdits(a, b, edits)).toBe(edits)
    expect(boundedEdits(a, b, edits - 1)).toBeUndefined()
  })

  it('are those of the definition wherever they are within the bound', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 })
    fc.assert(
      fc.property(text, text, fc.nat({ max: 6 }), (a, b, most) => {
        const edits = editsOf(a, b)
        expect(boundedEdits(a, b, most)).toBe(edits <= most ? edits : undefined)
      }),
      { numRuns: 300 },
    )
  })
})
