import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { type Disk, type DiskError, isDiskError } from '../files.js'
import { compareLock, compareOutput, type FileVerdict, readSnapshot, textOf } from './compare.js'
import { type Drift, driftOf } from './drift.js'
import { type EmittedFile, foldersOf, isGenerated, type OutputFolder } from './files.js'
import { type LockReading, lockPath, readLock, rememberLock } from './lock.js'
import {
  blockedOutput,
  busy,
  type Conflict,
  conflict,
  corruptLock,
  foreignFolder,
  halfWritten,
  leftOver,
  newerLock,
  notTidied,
  refused,
} from './output-diagnostics.js'
import { type Journal, joinJournals, type Publication, publish, readJournal } from './publish.js'
import { type RunIdentity, stagingName, takeTurn } from './turn.js'

/** Access of {@link writeOutput} to the disk and the process. */
export interface OutputAccess {
  readonly disk: Disk
  readonly run: RunIdentity
}

/** The outcome of {@link writeOutput}. Paths are below the output folder, sorted; the lock is not among them. */
export interface OutputOutcome {
  readonly diagnostics: readonly Diagnostic[]
  readonly written: readonly string[]
  readonly removed: readonly string[]
  readonly unchanged: readonly string[]
  /** True if the lock was written. */
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

/** The changes to make, if no conflict prevents them. */
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

/** The outcome of {@link writeFiles}, with paths below their folder. */
export interface WrittenFiles {
  readonly written: readonly string[]
  readonly unchanged: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

/** The error that prevented writing, and whether everything was restored. */
export type WriteFailure = Omit<Extract<Publication, { kind: 'failed' }>, 'kind'>

/**
 * Writes those files that differ from what stands there, all of them or none. Whether what stands there may be overwritten is for
 * the caller to know.
 *
 * @param refused returns the error for a refused file operation
 */
export async function writeFiles(
  { disk, run }: OutputAccess,
  target: OutputFolder,
  files: readonly EmittedFile[],
  refused: (target: OutputFolder, failure: WriteFailure) => Diagnostic,
): Promise<WrittenFiles> {
  const { folder } = target
  const failed = (...diagnostics: readonly Diagnostic[]): WrittenFiles => ({ written: [], unchanged: [], diagnostics })
  try {
    const writes = files.filter(({ path, text }) => presentText(disk, folder, path) !== text)
    const written = writes.map(({ path }) => path)
    const unchanged = files.map(({ path }) => path).filter((path) => !written.includes(path))
    if (writes.length === 0) return { written, unchanged, diagnostics: [] }
    const turn = await takeTurn(disk, folder, run)
    if (turn.kind === 'busy') return failed(busy(target, turn.owner))
    const changes = { folder, staging: turn.staging, writes, removals: [], spareFolders: [], journal: new Map() }
    const left: DiskError[] = []
    let publication: Publication
    try {
      publication = publish(disk, changes)
    } finally {
      left.push(...turn.end())
    }
    if (publication.kind === 'failed') return failed(refused(target, publication))
    const [first] = [...publication.leftovers, ...left]
    return { written, unchanged, diagnostics: first === undefined ? [] : [notTidied(target, first)] }
  } catch (error) {
    if (!isDiskError(error)) throw error
    return failed(refused(target, { error, restored: true }))
  }
}

/** Returns the text of the file at a path; empty for something else than a file, undefined for nothing. */
export function presentText(disk: Disk, folder: string, path: string): string | undefined {
  const location = `${folder}/${path}`
  const kind = kindAt(disk, location)
  if (kind === undefined) return undefined
  return kind === 'file' ? Buffer.from(disk.read(location)).toString('utf8') : ''
}

/** Returns the kind of what is at a path; nothing is below a file, which the attempt to write there reports. */
function kindAt(disk: Disk, location: string): ReturnType<Disk['kind']> {
  try {
    return disk.kind(location)
  } catch (error) {
    if (isDiskError(error) && error.code === 'ENOTDIR') return undefined
    throw error
  }
}

/** The files that a run plans. */
export interface PlannedOutput {
  readonly output: OutputFolder
  readonly files: readonly EmittedFile[]
  /** The text of `toolgen.lock.json`. */
  readonly lock: string
}

/** The state of an output folder in comparison with the plan. */
interface OutputState {
  /** Every emitted file and the lock, sorted by path. */
  readonly verdicts: readonly FileVerdict[]
  /** The files that a dead run may have written. */
  readonly journal: Journal
  /** The folders in which toolgen wrote but plans nothing, innermost first. */
  readonly spareFolders: readonly string[]
  /** True if a run died, or works at the moment. */
  readonly unfinished: boolean
}

/**
 * Reads the output folder and compares it with the plan. An unusable folder or lock gives diagnostics instead; with
 * `replaceLock` a lock that cannot be read counts as none.
 */
function readOutputState(
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
    const foreign = foreignFiles(disk, output.folder, new Set(files.map((file) => file.path)))
    if (foreign.length > 0) return { diagnostics: [foreignFolder(output, foreign)] }
  }
  const recorded = reading.kind === 'read' ? reading.lock.files : new Map<string, string>()
  const journal = readJournal(disk, output.folder)
  const written = joinJournals(new Map([...recorded].map(([path, hash]) => [path, new Set([hash])])), journal)
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

/** More examples are not looked for. */
const maxExamples = 3

/**
 * Returns files of a folder that toolgen did not write, as paths below it: those without the head of generated files. Dot files,
 * dot folders and `node_modules` are passed by, and so are the planned paths, of which each is judged by itself.
 */
function foreignFiles(disk: Disk, folder: string, planned: ReadonlySet<string>): readonly string[] {
  const found: string[] = []
  if (disk.kind(folder) === 'folder') search('')
  return found

  function search(below: string): void {
    for (const { name, kind } of disk.list(`${folder}/${below}`.replace(/\/$/, ''))) {
      if (found.length === maxExamples) return
      if (name.startsWith('.') || name === 'node_modules') continue
      const path = below === '' ? name : `${below}/${name}`
      if (kind === 'folder') search(path)
      else if (kind === 'file' && !planned.has(path) && !isGenerated(textOf(disk.read(`${folder}/${path}`)))) {
        found.push(path)
      }
    }
  }
}

/** Returns the differences between the disk and the plan; reads only. */
export function checkOutput(
  disk: Disk,
  planned: PlannedOutput,
): { readonly diagnostics: readonly Diagnostic[]; readonly drift: readonly Drift[] } {
  try {
    const reading = readOutputState(disk, planned, { replaceLock: false })
    if ('diagnostics' in reading) return { diagnostics: reading.diagnostics, drift: [] }
    return { diagnostics: [], drift: driftOf(planned.output, reading.state.verdicts) }
  } catch (error) {
    if (!isDiskError(error)) throw error
    return { diagnostics: [refused(planned.output, error)], drift: [] }
  }
}
