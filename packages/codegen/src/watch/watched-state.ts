import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { foundAt } from '../evaluate/found-at.js'
import { contentHash } from '../write/content-hash.js'
import { isPassedBy, moduleName } from './watched-folders.js'

/** How far the clock of a file system may lie behind, in milliseconds. */
const clockGrain = 20

/** A mark that no file and no folder has: it counts as changed. */
const unknown = 'unknown'

/** What is on disk as a run found or left it, to tell real changes from mere news of the file system. */
export class WatchedState {
  /** Files that were read: absolute path → mark. */
  #files = new Map<string, string>()
  /** Folders that were searched: absolute path → mark of the names in it. */
  #folders = new Map<string, string>()
  /** Generated files: absolute path → mark. */
  #output = new Map<string, string>()
  /** The folders that generated files need, and what stands in the place of one. */
  #outputFolders: Map<string, string> = new Map()
  /** The output folder: absolute. */
  #outputFolder = ''
  /** Made when it is asked for, and forgotten where one of these changes. */
  #allFolders: ReadonlySet<string> | undefined = undefined

  /** The folders in which all of this lies. */
  folders(): ReadonlySet<string> {
    this.#allFolders ??= this.#foldersOfAll()
    return this.#allFolders
  }

  #foldersOfAll(): ReadonlySet<string> {
    const files = [...this.#files.keys(), ...this.#output.keys()]
    const all = new Set([...files.map((file) => dirname(file)), ...this.#folders.keys()])
    if (this.#outputFolder !== '') all.add(dirname(this.#outputFolder))
    return all
  }

  /**
   * Takes over what a run read. What was known keeps its mark, which was taken before the run read it; of the others those
   * that changed since the run began count as changed.
   *
   * @param startedAt when the run began, in milliseconds since 1970
   */
  learn(
    read: { readonly files: Iterable<string>; readonly folders: Iterable<string>; readonly outputFolder: string },
    startedAt: number,
  ): void {
    this.#outputFolder = read.outputFolder
    this.#allFolders = undefined
    const marked = (known: ReadonlyMap<string, string>, paths: Iterable<string>, mark: (path: string) => string) => {
      const fresh = (path: string): string =>
        (foundAt(path)?.ctimeMs ?? 0) >= startedAt - clockGrain ? unknown : mark(path)
      return new Map([...new Set(paths)].map((path) => [path, known.get(path) ?? fresh(path)] as const))
    }
    this.#files = marked(this.#files, read.files, markFile)
    this.#folders = marked(this.#folders, read.folders, (folder) => this.#markNames(folder))
  }

  /**
   * Whether a run is known to have left other generated files than these.
   *
   * @param files absolute path → content hash
   */
  differs(files: ReadonlyMap<string, string>): boolean {
    if (this.#output.size === 0) return false
    return files.size !== this.#output.size || [...files].some(([path, hash]) => this.#output.get(path) !== hash)
  }

  /**
   * Takes over the generated files as the run left them: as they were planned where it succeeded, else what is on disk.
   *
   * @param files absolute path → content hash
   */
  leave(files: ReadonlyMap<string, string>, { isWritten }: { readonly isWritten: boolean }): void {
    this.#output = isWritten
      ? new Map(files)
      : new Map([...files.keys()].map((path) => [path, markFile(path)] as const))
    const needed = new Set([...files.keys()].flatMap((path) => foldersAbove(path, this.#outputFolder)))
    this.#outputFolders = new Map([...needed].map((folder) => [folder, markObstacle(folder)] as const))
  }

  /** Which of these paths are not as they were any more; from now on they are known as they are now. */
  changed(paths: Iterable<string>): readonly string[] {
    const candidates = new Set(paths)
    for (const path of [...candidates]) candidates.add(dirname(path))
    return [...candidates].filter((path) => {
      const news = [
        update(this.#files, path, markFile),
        update(this.#output, path, markFile),
        update(this.#outputFolders, path, markObstacle),
        update(this.#folders, path, (folder) => this.#markNames(folder)),
      ]
      return news.includes(true)
    })
  }

  /** Everything that is known. */
  paths(): Iterable<string> {
    return [...this.#files.keys(), ...this.#output.keys(), ...this.#folders.keys()]
  }

  /** Whether a file that is to be there is missing: it may be about to be written anew. */
  isMissing(path: string): boolean {
    return this.#files.get(path) === absent
  }

  #markNames(folder: string): string {
    if (foundAt(folder)?.isDirectory() !== true) return absent
    const names = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name)
      // What lies on the way to the output comes and goes with it.
      const counts = entry.isDirectory()
        ? !`${this.#outputFolder}/`.startsWith(`${path}/`)
        : moduleName.test(entry.name)
      return counts && !isPassedBy(entry.name) ? [entry.name] : []
    })
    return names.sort().join('\n')
  }
}

const absent = 'absent'

function markFile(path: string): string {
  return foundAt(path)?.isFile() === true ? contentHash(readFileSync(path)) : absent
}

/** What is no folder where one is needed: nothing, a folder and what can become one are the same. */
function markObstacle(path: string): string {
  const found = foundAt(path, { links: 'show' })
  return found === undefined || found.isDirectory() ? absent : String(found.ino)
}

/** The folders of a file, up to and with the outermost. */
function foldersAbove(path: string, outermost: string): readonly string[] {
  const folder = dirname(path)
  return folder === outermost || !folder.startsWith(`${outermost}/`)
    ? [outermost]
    : [folder, ...foldersAbove(folder, outermost)]
}

function update(marks: Map<string, string>, path: string, mark: (path: string) => string): boolean {
  const known = marks.get(path)
  if (known === undefined) return false
  const now = mark(path)
  marks.set(path, now)
  return now !== known
}
