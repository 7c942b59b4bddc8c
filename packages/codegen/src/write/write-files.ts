import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { type Disk, type DiskError, isDiskError } from './disk.js'
import type { EmittedFile } from './file.js'
import { busy, notTidied } from './output-diagnostics.js'
import type { OutputFolder } from './output-folder.js'
import { takeTurn } from './output-turn.js'
import { type Publication, publish } from './publish.js'
import type { OutputAccess } from './write-output.js'

/** What became of files that belong to no output folder, by their paths below their own. */
export interface WrittenFiles {
  readonly written: readonly string[]
  readonly unchanged: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Why nothing could be written, and whether all is as it was. */
export type WriteFailure = Omit<Extract<Publication, { kind: 'failed' }>, 'kind'>

/**
 * Writes those files that differ from what stands there, all of them or none. Whether what stands there may be overwritten is for
 * the caller to know.
 *
 * @param refused words for what the operating system refuses
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

/** The text of the file at a path; empty where something else stands there, undefined where nothing does. */
export function presentText(disk: Disk, folder: string, path: string): string | undefined {
  const place = `${folder}/${path}`
  const kind = kindAt(disk, place)
  if (kind === undefined) return undefined
  return kind === 'file' ? Buffer.from(disk.read(place)).toString('utf8') : ''
}

/** Where the folder is a file, nothing stands in it; that nothing can be written there is told when it is tried. */
function kindAt(disk: Disk, place: string): ReturnType<Disk['kind']> {
  try {
    return disk.kind(place)
  } catch (error) {
    if (isDiskError(error) && error.code === 'ENOTDIR') return undefined
    throw error
  }
}
