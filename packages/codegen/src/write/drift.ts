import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { type FileVerdict, textOf } from './compare.js'
import { conflict } from './output-diagnostics.js'
import type { OutputFolder } from './output-folder.js'
import { unifiedDiff } from './unified-diff.js'

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
  return { code: 'TG5020', severity: 'error', message: `${file} is missing.`, place: start(file), next }
}

function changed(file: string): Diagnostic {
  const next = 'Run `toolgen generate` and commit the result.'
  return {
    code: 'TG5021',
    severity: 'error',
    message: `${file} is not what the design gives.`,
    place: start(file),
    next,
  }
}

function orphaned(file: string): Diagnostic {
  const next = 'Run `toolgen generate`, which removes the files it wrote; delete others by hand.'
  return {
    code: 'TG5022',
    severity: 'error',
    message: `${file} belongs to no part of the design.`,
    place: start(file),
    next,
  }
}

function start(file: string): Diagnostic['place'] & object {
  return { file, line: 1, column: 1 }
}
