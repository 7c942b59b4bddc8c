import type { Drift } from '../write/drift.js'

/** A file that differs, with as much of its diff as is shown. */
export interface ShownDrift extends Pick<Drift, 'kind' | 'path' | 'diff'> {
  /** How many lines of the diff are left out at its end. */
  readonly omitted: number
}

/** How many lines are shown of one diff, and of all together. */
const most = { ofOne: 200, ofAll: 2000 }

/** The diffs, cut where they are longer than people read. */
export function cutDiffs(drift: readonly Drift[]): readonly ShownDrift[] {
  let left = most.ofAll
  return drift.map((file) => {
    const lines = file.diff.split(/(?<=\n)/)
    const shown = lines.slice(0, Math.min(most.ofOne, left))
    left -= shown.length
    return { ...withoutDiff(file), diff: shown.join(''), omitted: file.diff === '' ? 0 : lines.length - shown.length }
  })
}

/** The diffs as they are. */
export function wholeDiffs(drift: readonly Drift[]): readonly ShownDrift[] {
  return drift.map((file) => ({ ...withoutDiff(file), diff: file.diff, omitted: 0 }))
}

function withoutDiff({ kind, path }: Drift): Pick<Drift, 'kind' | 'path'> {
  return { kind, path }
}
