import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { compareLock, compareOutput, type FileVerdict, textOf } from './compare.js'
import type { Disk } from './disk.js'
import type { EmittedFile } from './file.js'
import { type Journal, joinJournals, readJournal } from './journal.js'
import { type Lock, type LockReading, readLock } from './lock.js'
import { lockPath } from './lock-text.js'
import { blockedOutput, corruptLock, foreignFolder, newerLock } from './output-diagnostics.js'
import type { OutputFolder } from './output-folder.js'
import { foldersOf } from './output-path.js'
import { stagingName } from './output-turn.js'
import { readSnapshot } from './snapshot.js'
import { findStrangers } from './strangers.js'

/** The files that a run plans. */
export interface PlannedOutput {
  readonly output: OutputFolder
  readonly files: readonly EmittedFile[]
  /** The text of `toolgen.lock.json`. */
  readonly lock: string
}

/** What an output folder holds, beside what is planned. */
export interface OutputState {
  /** Every emitted file and the lock, sorted by path. */
  readonly verdicts: readonly FileVerdict[]
  /** What a run that died may have written. */
  readonly journal: Journal
  /** The folders in which toolgen wrote but plans nothing, innermost first. */
  readonly spareFolders: readonly string[]
  /** Whether a run died, or works at the moment. */
  readonly unfinished: boolean
}

/**
 * Reads the output folder and compares it with the plan. An unusable folder or lock gives diagnostics instead; with
 * `replaceLock` a lock that cannot be read counts as none.
 */
export function readOutputState(
  disk: Disk,
  { output, files, lock }: PlannedOutput,
  { replaceLock }: { readonly replaceLock: boolean },
): { readonly state: OutputState } | { readonly diagnostics: readonly Diagnostic[] } {
  for (const [path, shown] of [
    [output.folder, output.shown],
    [`${output.folder}/${stagingName}`, `${output.shown}/${stagingName}`],
  ] as const) {
    const kind = disk.kind(path)
    if (kind !== undefined && kind !== 'folder') return { diagnostics: [blockedOutput(shown, kind)] }
  }
  const reading = readRecordedLock(disk, output)
  if (reading.kind === 'newer') return { diagnostics: [newerLock(output, reading.contract)] }
  if (reading.kind === 'corrupt' && !replaceLock) return { diagnostics: [corruptLock(output, reading.reason)] }
  if (reading.kind === 'none') {
    const strangers = findStrangers(disk, output.folder, new Set(files.map((file) => file.path)))
    if (strangers.length > 0) return { diagnostics: [foreignFolder(output, strangers)] }
  }
  const recorded: Lock = reading.kind === 'read' ? reading.lock : { files: new Map() }
  const journal = readJournal(disk, output.folder)
  const written = joinJournals(new Map([...recorded.files].map(([path, hash]) => [path, new Set([hash])])), journal)
  const snapshot = readSnapshot(disk, output.folder, [...files.map((file) => file.path), ...written.keys(), lockPath])
  const lockVerdict = compareLock({ path: lockPath, text: lock }, snapshot.get(lockPath))
  const others = new Map([...snapshot].filter(([path]) => path !== lockPath))
  return {
    state: {
      verdicts: [...compareOutput({ planned: files, written, snapshot: others }), lockVerdict],
      journal,
      spareFolders: spareFolders(files, written),
      unfinished: disk.kind(`${output.folder}/${stagingName}`) !== undefined,
    },
  }
}

function spareFolders(planned: readonly EmittedFile[], written: Journal): readonly string[] {
  const needed = new Set(planned.flatMap((file) => foldersOf(file.path)))
  const spare = [...written.keys()].flatMap((path) => foldersOf(path)).filter((folder) => !needed.has(folder))
  return [...new Set(spare)].sort((a, b) => b.length - a.length)
}

function readRecordedLock(disk: Disk, { folder }: OutputFolder): LockReading | { readonly kind: 'none' } {
  const path = `${folder}/${lockPath}`
  if (disk.kind(folder) !== 'folder' || disk.kind(path) === undefined) return { kind: 'none' }
  if (disk.kind(path) !== 'file') return { kind: 'read', lock: { files: new Map() } }
  return readLock(textOf(disk.read(path)))
}
