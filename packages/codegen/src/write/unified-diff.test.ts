import fc from 'fast-check'
import { expect, it } from 'vitest'
import { diffLines } from './line-diff.js'
import { unifiedDiff } from './unified-diff.js'

const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `${index + 1}\n`).join('')

it('equal texts have no diff', () => {
  expect(unifiedDiff({ path: 'a.ts', before: 'x\n', after: 'x\n' })).toBe('')
  expect(unifiedDiff({ path: 'a.ts', before: 'x\r\n', after: 'x\n' })).toBe('')
})

it('shows three lines of context and joins hunks that touch', () => {
  const before = numbered(20)
  const after = before.replace('5\n', 'five\n').replace('11\n', '').replace('19\n', '19\nnew\n')
  expect(unifiedDiff({ path: 'gen/a.ts', before, after })).toBe(
    [
      '--- gen/a.ts',
      '+++ gen/a.ts',
      '@@ -2,13 +2,12 @@',
      ' 2',
      ' 3',
      ' 4',
      '-5',
      '+five',
      ' 6',
      ' 7',
      ' 8',
      ' 9',
      ' 10',
      '-11',
      ' 12',
      ' 13',
      ' 14',
      '@@ -17,4 +16,5 @@',
      ' 17',
      ' 18',
      ' 19',
      '+new',
      ' 20',
      '',
    ].join('\n'),
  )
})

it('shows files that only one side has', () => {
  expect(unifiedDiff({ path: 'a', after: 'x\ny\n' })).toBe('--- /dev/null\n+++ a\n@@ -0,0 +1,2 @@\n+x\n+y\n')
  expect(unifiedDiff({ path: 'a', before: 'x\n' })).toBe('--- a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n')
})

it('marks a last line without an end', () => {
  expect(unifiedDiff({ path: 'a', before: 'x', after: 'x\n' })).toBe(
    '--- a\n+++ a\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n',
  )
})

it('gives back both sides, in the fewest changes', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 })
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const diff = diffLines(before, after)
      expect(diff.filter((line) => line.kind !== 'new').map((line) => line.text)).toEqual(before)
      expect(diff.filter((line) => line.kind !== 'old').map((line) => line.text)).toEqual(after)
      expect(diff.filter((line) => line.kind === 'same')).toHaveLength(longestCommon(before, after))
    }),
  )
})

it('replaces as a whole what differs in too much, without taking long', () => {
  const [before, after] = [1, 2].map((seed) => Array.from({ length: 5000 }, (_, index) => `${seed}-${index}`))
  const start = performance.now()
  expect(diffLines(['same', ...(before ?? [])], ['same', ...(after ?? [])])).toHaveLength(10_001)
  expect(performance.now() - start).toBeLessThan(5000)
})

/** The length of the longest common subsequence, by the text-book table. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0)
  for (const left of a) {
    const next = [0]
    b.forEach((right, index) => {
      next.push(left === right ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0))
    })
    row = next
  }
  return row[b.length] ?? 0
}
