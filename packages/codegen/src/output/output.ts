import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { type Disk, isDiskError, nodeDisk } from '../files.js'
import { readOutputState } from './compare.js'
import {
  busy,
  type Conflict,
  conflict,
  type Drift,
  driftOf,
  halfWritten,
  leftOver,
  notTidied,
  refused,
} from './drift.js'
import type { EmittedFile, FileVerdict, OutputFolder, PlannedOutput } from './files.js'
import { lockPath, rememberLock } from './lock.js'
import { type Changes, type Publication, publish, type RunIdentity, takeTurn, thisRun } from './publish.js'

interface OutputAccess {
  readonly disk: Disk
  readonly run: RunIdentity
}

/** All paths are sorted and relative to the output folder. The lock file is not included. */
export interface OutputOutcome {
  readonly diagnostics: readonly Diagnostic[]
  readonly written: readonly string[]
  readonly removed: readonly string[]
  readonly unchanged: readonly string[]
  readonly lockWritten: boolean
}

/**
 * `force` also overwrites an unreadable lock file, and overwrites or removes generated files that a person edited. If `differs` is false, the
 * function compares the files before it waits for other runs, and does not wait if nothing has changed. After an error, undoes all changes.
 */
export async function writeOutput(
  planned: PlannedOutput,
  { force, differs = false }: { readonly force: boolean; readonly differs?: boolean },
  { disk, run }: OutputAccess = { disk: nodeDisk, run: thisRun() },
): Promise<OutputOutcome> {
  const { output } = planned
  try {
    const first = differs ? undefined : intend(disk, planned, force)
    if (first !== undefined && 'diagnostics' in first) return nothingDone(first.diagnostics)
    if (first?.settled) return outcomeOf(first)
    const changed = await change(disk, run, output, (staging) => {
      // Another run may have written files during the wait.
      const intent = intend(disk, planned, force)
      if ('diagnostics' in intent) return { result: nothingDone(intent.diagnostics) }
      return { result: outcomeOf(intent), changes: { ...intent, folder: output.folder, staging } }
    })
    if ('diagnostics' in changed) return nothingDone(changed.diagnostics)
    const { warnings } = changed
    if ('error' in changed) {
      const describe = changed.restored ? refused : halfWritten
      return nothingDone([describe(output, changed.error), ...warnings])
    }
    const { result } = changed
    if (result.lockWritten) rememberLock(planned.lock, planned.files)
    return { ...result, diagnostics: [...result.diagnostics, ...warnings] }
  } catch (error) {
    if (!isDiskError(error)) throw error
    return nothingDone([refused(output, error)])
  }
}

export type WriteFailure = Omit<Extract<Publication, { kind: 'failed' }>, 'kind'>

async function change<Result>(
  disk: Disk,
  run: RunIdentity,
  target: OutputFolder,
  plan: (staging: string) => { readonly result: Result; readonly changes?: Changes },
): Promise<
  | { readonly diagnostics: readonly Diagnostic[] }
  | ((WriteFailure | { readonly result: Result }) & { readonly warnings: readonly Diagnostic[] })
> {
  const turn = await takeTurn(disk, target.folder, run)
  if (turn.kind === 'busy') return { diagnostics: [busy(target, turn.owner)] }
  let publication: Publication = { kind: 'done', leftovers: [] }
  let planned: ReturnType<typeof plan>
  try {
    planned = plan(turn.staging)
    if (planned.changes !== undefined) publication = publish(disk, planned.changes)
  } catch (error) {
    turn.end()
    throw error
  }
  const left = turn.end()
  const leftovers = publication.kind === 'done' ? publication.leftovers : []
  const warnings = [...leftovers, ...left].slice(0, 1).map((error) => notTidied(target, error))
  return publication.kind === 'failed' ? { ...publication, warnings } : { result: planned.result, warnings }
}

interface Intent extends Pick<Changes, 'writes' | 'removals' | 'spareFolders' | 'journal'> {
  readonly unchanged: readonly string[]
  /** True if no file must be written or removed, and the folder contains no temporary files of earlier runs. */
  readonly settled: boolean
  readonly warnings: readonly Diagnostic[]
}

function intend(
  disk: Disk,
  planned: PlannedOutput,
  force: boolean,
): Intent | { readonly diagnostics: readonly Diagnostic[] } {
  const state = readOutputState(disk, planned, force)
  if ('diagnostics' in state) return state
  const { verdicts, journal, spareFolders, unfinished } = state
  const conflicts = verdicts.flatMap((file) => (isConflict(file, force) ? [conflict(planned.output, file)] : []))
  if (conflicts.length > 0) return { diagnostics: conflicts }
  const writes: EmittedFile[] = []
  const removals: string[] = []
  const unchanged: string[] = []
  const warnings: Diagnostic[] = []
  for (const file of verdicts) {
    const { verdict, path } = file
    if (verdict === 'keep' && path !== lockPath) unchanged.push(path)
    if (isLeftOver(file)) warnings.push(leftOver(planned.output, path))
    else if ('text' in file && file.text !== undefined) writes.push({ path, text: file.text })
    else if (verdict === 'remove' || verdict === 'edited') removals.push(path)
  }
  const settled = !unfinished && writes.length + removals.length === 0
  return { writes, removals, unchanged, journal, spareFolders, settled, warnings }
}

function isConflict(file: FileVerdict, force: boolean): file is Conflict {
  if (file.verdict === 'foreign' || file.verdict === 'blocked') return true
  return !force && (file.verdict === 'edited' || (file.verdict === 'unrecorded' && !isLeftOver(file)))
}

/** toolgen never removes an unrecorded file that is not planned, because its origin is unknown. */
function isLeftOver(file: FileVerdict): boolean {
  return file.verdict === 'unrecorded' && file.text === undefined
}

function outcomeOf({ writes, removals, unchanged, warnings }: Intent): OutputOutcome {
  const written = writes.map(({ path }) => path).filter((path) => path !== lockPath)
  return { diagnostics: warnings, written, removed: removals, unchanged, lockWritten: written.length < writes.length }
}

function nothingDone(diagnostics: readonly Diagnostic[]): OutputOutcome {
  return { diagnostics, written: [], removed: [], unchanged: [], lockWritten: false }
}

export interface WrittenFiles {
  readonly written: readonly string[]
  readonly unchanged: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Overwrites existing files without a check. If one write fails, restores the previous content of all files. */
export async function writeFiles(
  target: OutputFolder,
  files: readonly EmittedFile[],
  describe: (target: OutputFolder, failure: WriteFailure) => Diagnostic,
  { disk, run }: OutputAccess = { disk: nodeDisk, run: thisRun() },
): Promise<WrittenFiles> {
  const { folder } = target
  const failed = (diagnostics: readonly Diagnostic[]): WrittenFiles => ({ written: [], unchanged: [], diagnostics })
  try {
    const writes = files.filter(({ path, text }) => presentText(disk, folder, path) !== text)
    const written = writes.map(({ path }) => path)
    const unchanged = files.map(({ path }) => path).filter((path) => !written.includes(path))
    if (writes.length === 0) return { written, unchanged, diagnostics: [] }
    const changed = await change(disk, run, target, (staging) => ({
      result: written,
      changes: { folder, staging, writes, removals: [], spareFolders: [], journal: new Map() },
    }))
    if ('error' in changed) return failed([describe(target, changed)])
    if ('diagnostics' in changed) return failed(changed.diagnostics)
    return { written, unchanged, diagnostics: changed.warnings }
  } catch (error) {
    if (!isDiskError(error)) throw error
    return failed([describe(target, { error, restored: true })])
  }
}

export function presentText(disk: Disk, folder: string, path: string): string | undefined {
  const location = `${folder}/${path}`
  try {
    const kind = disk.kind(location)
    if (kind === undefined) return undefined
    return kind === 'file' ? Buffer.from(disk.read(location)).toString('utf8') : ''
  } catch (error) {
    // A path below a file does not exist; the attempt to write there reports the error.
    if (isDiskError(error) && error.code === 'ENOTDIR') return undefined
    throw error
  }
}

export function checkOutput(
  planned: PlannedOutput,
  disk: Disk = nodeDisk,
): { readonly diagnostics: readonly Diagnostic[]; readonly drift: readonly Drift[] } {
  try {
    const state = readOutputState(disk, planned, false)
    if ('diagnostics' in state) return { diagnostics: state.diagnostics, drift: [] }
    return { diagnostics: [], drift: driftOf(planned.output, state.verdicts) }
  } catch (error) {
    if (!isDiskError(error)) throw error
    return { diagnostics: [refused(planned.output, error)], drift: [] }
  }
}
