import { createTwoFilesPatch, FILE_HEADERS_ONLY, formatPatch } from 'diff'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { type FileVerdict, textOf } from './compare.js'
import type { OutputFolder } from './files.js'
import { conflict } from './output-diagnostics.js'

/** One way in which the disk differs from what the design gives. */
export interface Drift {
  readonly kind: 'missing' | 'changed' | 'hand-edited' | 'orphaned' | 'blocked'
  /** As people see it: relative to the project's root. */
  readonly path: string
  /** The unified diff from the disk to the generated text; empty where there is no text. */
  readonly diff: string
  readonly diagnostic: Diagnostic
}

/** Everything in which the disk differs from what the design gives, in the order of the verdicts. */
export function driftOf(output: OutputFolder, verdicts: readonly FileVerdict[]): readonly Drift[] {
  return verdicts.flatMap((file) => {
    const path = `${output.shown}/${file.path}`
    const finding = judge(output, path, file)
    return finding === undefined ? [] : [{ ...finding, path, diff: diffOf(path, file) }]
  })
}

function judge(output: OutputFolder, path: string, file: FileVerdict): Pick<Drift, 'kind' | 'diagnostic'> | undefined {
  switch (file.verdict) {
    case 'keep':
      return undefined
    case 'create':
      return { kind: 'missing', diagnostic: missing(path) }
    case 'update':
      return { kind: 'changed', diagnostic: changed(path) }
    case 'remove':
      return { kind: 'orphaned', diagnostic: orphaned(path) }
    case 'unrecorded':
      return file.text === undefined
        ? { kind: 'orphaned', diagnostic: orphaned(path) }
        : { kind: 'changed', diagnostic: conflict(output, file) }
    case 'edited':
      return { kind: 'hand-edited', diagnostic: conflict(output, file) }
    case 'foreign':
    case 'blocked':
      return { kind: 'blocked', diagnostic: conflict(output, file) }
  }
}

function diffOf(path: string, file: FileVerdict): string {
  if (file.verdict === 'keep' || file.verdict === 'blocked') return ''
  return unifiedDiff({
    path,
    ...('content' in file && { before: textOf(file.content) }),
    ...('text' in file && { after: file.text }),
  })
}

function missing(file: string): Diagnostic {
  const next = 'Run `toolgen generate` and commit the result.'
  return { code: 'TG5020', severity: 'error', message: `${file} is missing.`, location: start(file), next }
}

function changed(file: string): Diagnostic {
  const next = 'Run `toolgen generate` and commit the result.'
  return {
    code: 'TG5021',
    severity: 'error',
    message: `${file} is not what the design gives.`,
    location: start(file),
    next,
  }
}

function orphaned(file: string): Diagnostic {
  const next = 'Run `toolgen generate`, which removes the files it wrote; delete others by hand.'
  return {
    code: 'TG5022',
    severity: 'error',
    message: `${file} belongs to no part of the design.`,
    location: start(file),
    next,
  }
}

function start(file: string): Diagnostic['location'] & object {
  return { file, line: 1, column: 1 }
}

/** The two sides of a unified diff. A side without text does not exist. */
interface DiffSides {
  /** Path as shown, with `/`. */
  readonly path: string
  readonly before?: string
  readonly after?: string
}

/** Texts that differ in more lines are shown as replaced as a whole: the search for the shortest edit is quadratic in it. */
const searchLimit = 1000

/**
 * The unified diff that turns `before` into `after`, with three lines of context and LF ends, as `patch` and
 * `git apply -p0` read it; empty when the texts are equal.
 */
export function unifiedDiff(sides: DiffSides): string {
  const [before = '', after = ''] = [sides.before, sides.after].map((text) => text?.replaceAll('\r\n', '\n'))
  if (before === after) return ''
  const [oldName, newName] = [sides.before, sides.after].map((text) => (text === undefined ? '/dev/null' : sides.path))
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY, maxEditLength: searchLimit }
  const names = [oldName ?? '', newName ?? ''] as const
  return (
    createTwoFilesPatch(...names, before, after, undefined, undefined, options) ?? replacement(names, before, after)
  )
}

function replacement([oldFileName, newFileName]: readonly [string, string], before: string, after: string): string {
  const [old, now] = [signed('-', before), signed('+', after)]
  const lines = [...old.lines, ...now.lines]
  const hunk = { oldStart: 1, oldLines: old.count, newStart: 1, newLines: now.count, lines }
  const patch = { oldFileName, newFileName, oldHeader: undefined, newHeader: undefined, hunks: [hunk] }
  return formatPatch(patch, FILE_HEADERS_ONLY)
}

/** The lines of a text with a sign, and with the remark that a last line without an end needs. */
function signed(sign: '-' | '+', text: string): { readonly lines: readonly string[]; readonly count: number } {
  const lines = text.split('\n')
  const isEnded = lines.at(-1) === ''
  const whole = isEnded ? lines.slice(0, -1) : lines
  const marked = whole.map((line) => `${sign}${line}`)
  return { lines: isEnded ? marked : [...marked, '\\ No newline at end of file'], count: whole.length }
}
