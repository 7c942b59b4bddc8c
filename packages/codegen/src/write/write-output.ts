import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { FileVerdict } from './compare.js'
import { type Disk, isDiskError } from './disk.js'
import type { EmittedFile } from './file.js'
import { rememberLock } from './lock.js'
import { lockPath } from './lock-text.js'
import { busy, type Conflict, conflict, halfWritten, leftOver, notTidied, refused } from './output-diagnostics.js'
import { type OutputState, type PlannedOutput, readOutputState } from './output-state.js'
import { type RunIdentity, takeTurn } from './output-turn.js'
import { publish } from './publish.js'

/** How {@link writeOutput} reaches the world. */
export interface OutputAccess {
  readonly disk: Disk
  readonly run: RunIdentity
}

/** What became of the output. Paths are below the output folder, sorted; the lock is not among them. */
export interface OutputOutcome {
  readonly diagnostics: readonly Diagnostic[]
  readonly written: readonly string[]
  readonly removed: readonly string[]
  readonly unchanged: readonly string[]
  /** Whether the lock was written. */
  readonly lockWritten: boolean
}

/**
 * Brings the output folder to what is planned, or leaves it as it is and says why. Writes only what changed and removes
 * only what toolgen wrote; `force` also overwrites or removes generated files that were changed by hand, and a lock that
 * cannot be read. Files that toolgen never wrote are never touched. An output that is as planned is only read; where it is
 * known that something `differs` that look is saved.
 */
export async function writeOutput(
  { disk, run }: OutputAccess,
  planned: PlannedOutput,
  { force, differs = false }: { readonly force: boolean; readonly differs?: boolean },
): Promise<OutputOutcome> {
  const { output } = planned
  try {
    const first = differs ? undefined : intend(disk, planned, force)
    if (first !== undefined && 'diagnostics' in first) return nothingDone(first.diagnostics)
    if (first?.settled) return outcomeOf(first)
    const turn = await takeTurn(disk, output.folder, run)
    if (turn.kind === 'busy') return nothingDone([busy(output, turn.owner)])
    let outcome: OutputOutcome
    try {
      outcome = publishInTurn(disk, planned, { force, staging: turn.staging })
    } catch (error) {
      turn.end()
      throw error
    }
    if (outcome.lockWritten) rememberLock(planned.lock, planned.files)
    const [left] = turn.end()
    return left === undefined ? outcome : { ...outcome, diagnostics: [...outcome.diagnostics, notTidied(output, left)] }
  } catch (error) {
    if (!isDiskError(error)) throw error
    return nothingDone([refused(output, error)])
  }
}

/** What is to be done, once nothing speaks against it. */
interface Intent extends Pick<OutputState, 'journal' | 'spareFolders'> {
  readonly writes: readonly EmittedFile[]
  readonly removals: readonly string[]
  readonly unchanged: readonly string[]
  /** Nothing differs and nobody left anything behind. */
  readonly settled: boolean
  readonly warnings: readonly Diagnostic[]
}

function intend(
  disk: Disk,
  planned: PlannedOutput,
  force: boolean,
): Intent | { readonly diagnostics: readonly Diagnostic[] } {
  const reading = readOutputState(disk, planned, { replaceLock: force })
  if ('diagnostics' in reading) return reading
  const { verdicts, journal, spareFolders, unfinished } = reading.state
  const conflicts = verdicts.flatMap((file) => (stops(file, force) ? [conflict(planned.output, file)] : []))
  if (conflicts.length > 0) return { diagnostics: conflicts }
  const writes = verdicts.flatMap((file) =>
    file.verdict !== 'keep' && file.verdict !== 'blocked' && 'text' in file && file.text !== undefined
      ? [{ path: file.path, text: file.text }]
      : [],
  )
  const removals = verdicts.flatMap((file) =>
    file.verdict === 'remove' || (file.verdict === 'edited' && file.text === undefined) ? [file.path] : [],
  )
  const warnings = verdicts.flatMap((file) => (isLeftOver(file) ? [leftOver(planned.output, file.path)] : []))
  const unchanged = verdicts.flatMap((file) => (file.verdict === 'keep' && file.path !== lockPath ? [file.path] : []))
  const settled = !unfinished && writes.length + removals.length === 0
  return { writes, removals, unchanged, journal, spareFolders, settled, warnings }
}

function stops(file: FileVerdict, force: boolean): file is Conflict {
  if (file.verdict === 'foreign' || file.verdict === 'blocked') return true
  return !force && (file.verdict === 'edited' || (file.verdict === 'unrecorded' && !isLeftOver(file)))
}

/** A file with toolgen's head that nothing plans or records: never removed, since toolgen cannot know whose it is. */
function isLeftOver(file: FileVerdict): boolean {
  return file.verdict === 'unrecorded' && file.text === undefined
}

function publishInTurn(
  disk: Disk,
  planned: PlannedOutput,
  { force, staging }: { readonly force: boolean; readonly staging: string },
): OutputOutcome {
  // Another run may have written while this one waited.
  const intent = intend(disk, planned, force)
  if ('diagnostics' in intent) return nothingDone(intent.diagnostics)
  const publication = publish(disk, { ...intent, folder: planned.output.folder, staging })
  if (publication.kind === 'failed') {
    const describe = publication.restored ? refused : halfWritten
    return nothingDone([describe(planned.output, publication.error)])
  }
  const [left] = publication.leftovers
  const outcome = outcomeOf(intent)
  return left === undefined
    ? outcome
    : { ...outcome, diagnostics: [...outcome.diagnostics, notTidied(planned.output, left)] }
}

function outcomeOf({ writes, removals, unchanged, warnings }: Intent): OutputOutcome {
  const written = writes.flatMap((file) => (file.path === lockPath ? [] : [file.path]))
  return { diagnostics: warnings, written, removed: removals, unchanged, lockWritten: written.length < writes.length }
}

function nothingDone(diagnostics: readonly Diagnostic[]): OutputOutcome {
  return { diagnostics, written: [], removed: [], unchanged: [], lockWritten: false }
}
