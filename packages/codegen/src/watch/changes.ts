import { type FSWatcher, readdirSync, readFileSync, watch } from 'node:fs'
import { dirname, join, posix, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { contentHash, foundAt } from '../files.js'

/** Required time without events before a run, in milliseconds: editors write in several steps. */
const quiet = 15

/** Maximum wait for a time without events, in milliseconds. */
const mostUnrest = 500

/** Time for which a file can be missing while an editor replaces it, in milliseconds. */
const missing = 100

/**
 * Collects what changes while a run works or nobody asks, and gives it out all at once: however much happened, there is one
 * answer, and one run.
 */
export class Changes {
  readonly #state: WatchedState
  readonly #watch: FolderWatch
  readonly #heard = new Set<string>()
  #wake: () => void = () => {}

  /** @param state what is known of the disk */
  constructor(state: WatchedState) {
    this.#state = state
    this.#watch = new FolderWatch((path) => {
      this.#heard.add(path)
      this.#wake()
    })
  }

  /**
   * Listens where the state now lies. What happened in a folder before it was listened to is looked for.
   *
   * @throws what the operating system refuses
   */
  listen(): void {
    if (this.#watch.watch(this.#state.folders()).length > 0) {
      for (const path of this.#state.paths()) this.#heard.add(path)
    }
  }

  /**
   * Waits for the next real change.
   *
   * @returns the files and folders that changed: absolute; none when the signal ended the wait
   */
  async next(signal: AbortSignal): Promise<readonly string[]> {
    while (!signal.aborted) {
      if (this.#heard.size === 0) await this.#news(signal)
      await this.#settle(signal)
      const changed = this.#take()
      if (changed.length === 0) continue
      if (changed.some((path) => this.#state.isMissing(path))) {
        await rest(missing, signal)
        return [...new Set([...changed, ...this.#take()])]
      }
      return changed
    }
    return []
  }

  close(): void {
    this.#watch.close()
  }

  #take(): readonly string[] {
    this.listen()
    const heard = [...this.#heard]
    this.#heard.clear()
    return this.#state.changed(heard)
  }

  #news(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done)
        resolve()
      }
      this.#wake = done
      signal.addEventListener('abort', done)
    })
  }

  async #settle(signal: AbortSignal): Promise<void> {
    const since = performance.now()
    let heard = -1
    while (this.#heard.size !== heard && performance.now() - since < mostUnrest && !signal.aborted) {
      heard = this.#heard.size
      await rest(quiet, signal)
    }
  }
}

async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  await pause(milliseconds, undefined, { signal }).catch(() => {
    // Ended early; who waits looks at the signal.
  })
}

/**
 * Hears of changes in some folders from the operating system. Each folder is watched for itself: which ones matter is known
 * after every run, and watching whole trees is not reliable on every platform that toolgen supports.
 */
class FolderWatch {
  /** The number of the folder on its disk tells it from a later one of the same name. */
  readonly #open = new Map<string, { readonly watcher: FSWatcher; readonly inode: number }>()
  readonly #onChange: (path: string) => void

  /** @param onChange told what changed in a watched folder: absolute; the folder itself where no name is known */
  constructor(onChange: (path: string) => void) {
    this.#onChange = onChange
  }

  /**
   * Watches these folders and no others.
   *
   * @returns those that were not watched before, or that are other folders under the same name
   * @throws what the operating system refuses, such as more folders than it can watch
   */
  watch(folders: Iterable<string>): readonly string[] {
    const wanted = new Set(folders)
    for (const folder of this.#open.keys()) if (!wanted.has(folder)) this.#close(folder)
    return [...wanted].filter((folder) => this.#watchOne(folder))
  }

  close(): void {
    for (const folder of this.#open.keys()) this.#close(folder)
  }

  #watchOne(folder: string): boolean {
    const found = foundAt(folder)
    if (this.#open.get(folder)?.inode === found?.ino) return false
    this.#close(folder)
    if (found?.isDirectory() !== true) return false
    const watcher = watch(folder, (_event, name) => this.#onChange(name === null ? folder : join(folder, name)))
    // A folder that goes away; its parent tells of that too.
    watcher.on('error', () => {
      this.#close(folder)
      this.#onChange(folder)
    })
    this.#open.set(folder, { watcher, inode: found.ino })
    return true
  }

  #close(folder: string): void {
    this.#open.get(folder)?.watcher.close()
    this.#open.delete(folder)
  }
}

/** Maximum clock difference of a file system, in milliseconds. */
const clockGrain = 20

/** A mark that no file and no folder has: it counts as changed. */
const unknown = 'unknown'

/** State of files as a run found or left them; tells real changes from mere file system events. */
export class WatchedState {
  /** Files that were read: absolute path → mark. */
  #files = new Map<string, string>()
  /** Folders that were searched: absolute path → mark of the names in it. */
  #folders = new Map<string, string>()
  /** Generated files: absolute path → mark. */
  #output = new Map<string, string>()
  /** The folders that generated files need, and what stands in the place of one. */
  #outputFolders: Map<string, string> = new Map()
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
   * Returns whether the last run is known to have left other generated files.
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

  /** Returns the changed ones of these paths, and records their new state. */
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

  /** Returns whether an expected file is missing, possibly while an editor replaces it. */
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

/** Returns a mark for a path that is not a folder but should be; a missing path is no obstacle. */
function markObstacle(path: string): string {
  const found = foundAt(path, { links: 'show' })
  return found === undefined || found.isDirectory() ? absent : String(found.ino)
}

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

/** The folders whose names matter to a plan: a new module in one of them can change what a pattern or an import finds. */
interface SearchedFolders {
  /** The project's root: absolute. */
  readonly root: string
  /** Patterns of design modules, relative to the root. */
  readonly patterns: readonly string[]
  /** The output folder, relative to the root; its files are no input. */
  readonly output: string
  /** The modules that were read: absolute. */
  readonly modules: readonly string[]
}

/** Names of files that can be imported or matched by a pattern. */
export const moduleName: RegExp = /\.(?:[cm]?[jt]sx?|json)$/

/** More folders than these are not searched for modules that do not exist yet. */
const mostFolders = 2000

const relativeImport = /\b(?:from|import|require)\s*\(?\s*(['"])(\.[^'"\n]+)\1/g

/** Returns whether a folder cannot contain design modules. */
function isPassedBy(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules'
}

/** Lists the folders; in place of one that does not exist stands the nearest one above it. */
export function searchedFolders({ root, patterns, output, modules }: SearchedFolders): readonly string[] {
  const ofPatterns = patterns.flatMap((pattern) => {
    const segments = posix.normalize(pattern).split('/')
    const fixed = segments.findIndex((segment) => segment.includes('*'))
    const base = join(root, ...segments.slice(0, fixed === -1 ? -1 : fixed))
    return fixed === -1 ? [base] : foldersBelow(base, join(root, output))
  })
  const ofModules = modules.flatMap((file) => [dirname(file), ...importedFolders(file)])
  return [...new Set([root, ...ofPatterns, ...ofModules].map((folder) => existing(folder)))]
}

function foldersBelow(base: string, except: string): readonly string[] {
  const found = [base]
  for (const folder of found) {
    if (foundAt(folder)?.isDirectory() !== true || found.length > mostFolders) continue
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && !isPassedBy(entry.name) && path !== except) found.push(path)
    }
  }
  return found
}

/** Every module below a folder, generated ones too: absolute. */
export function modulesBelow(root: string): readonly string[] {
  return foldersBelow(root, root).flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isFile() && moduleName.test(entry.name) ? [join(folder, entry.name)] : [],
    ),
  )
}

function importedFolders(file: string): readonly string[] {
  if (file.endsWith('.json') || foundAt(file)?.isFile() !== true) return []
  const specifiers = [...readFileSync(file, 'utf8').matchAll(relativeImport)].map(([, , specifier = '']) => specifier)
  return specifiers.map((specifier) => dirname(resolve(dirname(file), specifier)))
}

function existing(folder: string): string {
  const above = dirname(folder)
  return above === folder || foundAt(folder)?.isDirectory() === true ? folder : existing(above)
}
