import { applyPatch, parsePatch } from 'diff'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { unifiedDiff } from './drift.js'

const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `${index + 1}\n`).join('')

it('equal texts have no diff', () => {
  expect(unifiedDiff('a.ts', 'x\n', 'x\n')).toBe('')
  expect(unifiedDiff('a.ts', 'x\r\n', 'x\n')).toBe('')
})

it('shows three lines of context and joins hunks that touch', () => {
  const before = numbered(20)
  const after = before.replace('5\n', 'five\n').replace('11\n', '').replace('19\n', '19\nnew\n')
  expect(unifiedDiff('gen/a.ts', before, after)).toBe(
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
  expect(unifiedDiff('a', undefined, 'x\ny\n')).toBe('--- /dev/null\n+++ a\n@@ -0,0 +1,2 @@\n+x\n+y\n')
  expect(unifiedDiff('a', 'x\n', undefined)).toBe('--- a\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n')
})

it('marks a last line without an end', () => {
  expect(unifiedDiff('a', 'x', 'x\n')).toBe('--- a\n+++ a\n@@ -1,1 +1,1 @@\n-x\n\\ No newline at end of file\n+x\n')
})

it('leads from one text to the other, whatever they hold', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', '', '@@ -1 +1 @@', '-- a', '++ b', '\\'), { maxLength: 12 })
    .map((lines) => lines.join('\n'))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = unifiedDiff('a', before, after)
      expect(diff === '' ? before : applyPatch(before, diff)).toBe(after)
    }),
  )
})

it('replaces as a whole what differs in too much, in little CPU time', () => {
  const [before, after] = ['old', 'new'].map((word) => Array.from({ length: 5000 }, (_, line) => `${word} ${line}`))
  const started = process.cpuUsage()
  const diff = unifiedDiff('a', `${before?.join('\n')}`, `${after?.join('\n')}\n`)
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(5_000)
  expect(diff.split('\n')).toHaveLength(2 + 1 + 10_000 + 1 + 1)
  expect(applyPatch(`${before?.join('\n')}`, diff)).toBe(`${after?.join('\n')}\n`)
})

it('shows a long new file as added', () => {
  const diff = unifiedDiff('a', undefined, numbered(5000))
  expect(parsePatch(diff)[0]?.hunks[0]).toMatchObject({ oldLines: 0, newLines: 5000 })
  expect(applyPatch('', diff)).toBe(numbered(5000))
})
