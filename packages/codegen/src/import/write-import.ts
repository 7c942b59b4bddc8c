import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { type Disk, type DiskError, isDiskError } from '../write/disk.js'
import type { EmittedFile } from '../write/file.js'
import { busy, notTidied } from '../write/output-diagnostics.js'
import type { OutputFolder } from '../write/output-folder.js'
import { takeTurn } from '../write/output-turn.js'
import { type Publication, publish } from '../write/publish.js'
import type { OutputAccess } from '../write/write-output.js'
import { refused } from './import-diagnostics.js'
import { isImported } from './mcp/toolset-module.js'

/** What became of the files of an import, by their paths below its folder. */
export interface WrittenImport {
  readonly written: readonly string[]
  readonly unchanged: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Those of the files in whose place something stands that no import has written. */
export function inTheWay(disk: Disk, { folder }: OutputFolder, files: readonly EmittedFile[]): readonly string[] {
  return files
    .map(({ path }) => path)
    .filter((path) => {
      const text = present(disk, folder, path)
      return text !== undefined && !isImported(text)
    })
}

/** Writes those files that differ from what stands there, all of them or none. */
export async function writeImport(
  { disk, run }: OutputAccess,
  target: OutputFolder,
  files: readonly EmittedFile[],
): Promise<WrittenImport> {
  const { folder } = target
  const failed = (...diagnostics: readonly Diagnostic[]): WrittenImport => ({ written: [], unchanged: [], diagnostics })
  try {
    const writes = files.filter(({ path, text }) => present(disk, folder, path) !== text)
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

/** The text of a file; what is no file is empty, which no import has written. */
function present(disk: Disk, folder: string, path: string): string | undefined {
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
