import { expect, it } from 'vitest'
import type { Drift } from '../../output/drift.js'
import { cutDiffs, wholeDiffs } from './check.js'

const drifted = (path: string, lines: number): Drift => ({
  kind: 'changed',
  path,
  diff: Array.from({ length: lines }, (_, line) => `+${line}\n`).join(''),
  diagnostic: { code: 'TG5021', severity: 'error', message: '', next: '' },
})

it('leaves short diffs as they are', () => {
  expect(cutDiffs([drifted('a', 3), drifted('b', 0)])).toEqual([
    { kind: 'changed', path: 'a', diff: '+0\n+1\n+2\n', omitted: 0 },
    { kind: 'changed', path: 'b', diff: '', omitted: 0 },
  ])
})

it('cuts a long diff at the end of a line and says how many follow', () => {
  const [cut] = cutDiffs([drifted('a', 1200)])
  expect(cut).toMatchObject({ path: 'a', omitted: 1000 })
  expect(cut?.diff.endsWith('\n+199\n')).toBe(true)
  expect(wholeDiffs([drifted('a', 1200)])[0]).toMatchObject({ diff: drifted('a', 1200).diff, omitted: 0 })
})

it('shows no more of many diffs than people read', () => {
  const cut = cutDiffs(Array.from({ length: 30 }, (_, index) => drifted(`${index}`, 150)))
  expect(cut.reduce((lines, { diff }) => lines + diff.split('\n').length - 1, 0)).toBe(2000)
  expect(cut.at(-1)).toEqual({ kind: 'changed', path: '29', diff: '', omitted: 150 })
})
