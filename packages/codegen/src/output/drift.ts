import { createTwoFilesPatch, FILE_HEADERS_ONLY, formatPatch } from 'diff'
import { type Diagnostic, errorAt, startOf } from '../diagnostics/diagnostic.js'
import { type FileVerdict, textOf } from './compare.js'
import type { OutputFolder } from './files.js'
import { conflict } from './output-diagnostics.js'

/** A difference between the disk and the generated output. */
export interface Drift {
  readonly kind: 'missing' | 'changed' | 'hand-edited' | 'orphaned' | 'blocked'
  /** Relative to the project's root. */
  readonly path: string
  /** The unified diff from the disk to the generated text; empty where there is no text. */
  readonly diff: string
  readonly diagnostic: Diagnostic
}

/** Returns the differences between the disk and the generated output, in the order of the verdicts. */
export function driftOf(output: OutputFolder, verdicts: readonly FileVerdict[]): readonly Drift[] {
  return verdicts.flatMap((file) => {
    const path = `${output.shown}/${file.path}`
    const judged = judge(output, path, file)
    return judged === undefined ? [] : [{ ...judged, path, diff: diffOf(path, file) }]
  })
}

function judge(output: OutputFolder, path: string, file: FileVerdict): Pick<Drift, 'kind' | 'diagnostic'> | undefined {
  const next = 'Run `toolgen generate` and commit the result.'
  const at = startOf(path)
  const orphaned = (): Pick<Drift, 'kind' | 'diagnostic'> => {
    const repair = 'Run `toolgen generate`, which removes the files it wrote; delete others by hand.'
    return { kind: 'orphaned', diagnostic: errorAt(at, 'TG5022', `${path} belongs to no part of the design.`, repair) }
  }
  switch (file.verdict) {
    case 'keep':
      return undefined
    case 'create':
      return { kind: 'missing', diagnostic: errorAt(at, 'TG5020', `${path} is missing.`, next) }
    case 'update':
      return { kind: 'changed', diagnostic: errorAt(at, 'TG5021', `${path} is not what the design gives.`, next) }
    case 'remove':
      return orphaned()
    case 'unrecorded':
      return file.text === undefined ? orphaned() : { kind: 'changed', diagnostic: conflict(output, file) }
    case 'edited':
      return { kind: 'hand-edited', diagnostic: conflict(output, file) }
    case 'foreign':
    case 'blocked':
      return { kind: 'blocked', diagnostic: conflict(output, file) }
  }
}

function diffOf(path: string, file: FileVerdict): string {
  if (file.verdict === 'keep' || file.verdict === 'blocked') return ''
  const before = 'content' in file ? textOf(file.content) : undefined
  return unifiedDiff(path, before, 'text' in file ? file.text : undefined)
}

/** Texts that differ in more lines are shown as replaced: the search for the shortest edit is quadratic in them. */
const maxEditLength = 1000

/**
 * Returns the unified diff that turns `before` into `after`, with three lines of context and LF ends, as `patch` and
 * `git apply -p0` read it; empty when the texts are equal. A side without text does not exist.
 *
 * @param path as shown, with `/`
 */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  const [old = '', now = ''] = [before, after].map((text) => text?.replaceAll('\r\n', '\n'))
  if (old === now) return ''
  const oldName = before === undefined ? '/dev/null' : path
  const newName = after === undefined ? '/dev/null' : path
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY, maxEditLength }
  const patch = createTwoFilesPatch(oldName, newName, old, now, undefined, undefined, options)
  if (patch !== undefined) return patch
  const [removed, added] = [signed('-', old), signed('+', now)]
  const lines = [...removed.lines, ...added.lines]
  const hunk = { oldStart: 1, oldLines: removed.count, newStart: 1, newLines: added.count, lines }
  return formatPatch(
    { oldFileName: oldName, newFileName: newName, oldHeader: undefined, newHeader: undefined, hunks: [hunk] },
    FILE_HEADERS_ONLY,
  )
}

/** Returns the lines of a text with a sign, and with the remark that a last line without an end needs. */
function signed(sign: '-' | '+', text: string): { readonly lines: readonly string[]; readonly count: number } {
  const lines = text.split('\n')
  const isEnded = lines.at(-1) === ''
  const whole = isEnded ? lines.slice(0, -1) : lines
  const marked = whole.map((line) => `${sign}${line}`)
  return { lines: isEnded ? marked : [...marked, '\\ No newline at end of file'], count: whole.length }
}
