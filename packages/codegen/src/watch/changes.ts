import { type FSWatcher, readdirSync, readFileSync, watch } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { contentHash, foldersOfModule, foldersUpFrom, foundAt, isFile, isFolder } from '../files.js'

/**
 * Time without file system events before a run starts, in milliseconds. Editors write a file in several steps. Without the wait, a run could read a
 * partly written file.
 */
const quiet = 15

/** In milliseconds after the first file system event. The run then starts even if events continue. */
const mostUnrest = 500

/** Maximum time in milliseconds that a file can be missing while an editor replaces the file. */
const missing = 100

/** Collects file system events until the next call of {@link Changes.next}. Many events therefore cause only one run. */
export class Changes {
  readonly #state: WatchedState
  /** By path of the folder. If a path has a new inode, the folder was removed and created again, and needs a new watcher. */
  readonly #watchers = new Map<string, { readonly watcher: FSWatcher; readonly inode: number }>()
  /** Absolute paths with file system events that no check has processed yet. */
  readonly #heard = new Set<string>()
  #wake: () => void = () => {}

  constructor(state: WatchedState) {
    this.#state = state
  }

  /**
   * Each folder has a separate watcher, because watching whole trees is unreliable on some platforms. Also detects changes that occurred before a new
   * watcher started.
   * @throws file system errors, such as too many watched folders
   */
  listen(): void {
    const folders = this.#state.folders()
    for (const folder of this.#watchers.keys()) if (!folders.has(folder)) this.#unwatch(folder)
    const added = [...folders].filter((folder) => this.#watchFolder(folder))
    if (added.length > 0) for (const path of this.#state.paths()) this.#heard.add(path)
  }

  async next(signal: AbortSignal): Promise<readonly string[]> {
    while (!signal.aborted) {
      if (this.#heard.size === 0) await this.#news(signal)
      await this.#settle(signal)
      const changed = this.#take()
      if (changed.length === 0) continue
      if (!changed.some((path) => this.#state.isMissing(path))) return changed
      await rest(missing, signal)
      return [...new Set([...changed, ...this.#take()])]
    }
    return []
  }

  close(): void {
    for (const folder of this.#watchers.keys()) this.#unwatch(folder)
  }

  #take(): readonly string[] {
    this.listen()
    const heard = [...this.#heard]
    this.#heard.clear()
    return this.#state.changed(heard)
  }

  #news(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        signal.removeEventListener('abort', wake)
        resolve()
      }
      this.#wake = wake
      signal.addEventListener('abort', wake)
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

  #watchFolder(folder: string): boolean {
    const found = foundAt(folder)
    if (this.#watchers.get(folder)?.inode === found?.ino) return false
    this.#unwatch(folder)
    if (found?.isDirectory() !== true) return false
    const hear = (path: string): void => {
      this.#heard.add(path)
      this.#wake()
    }
    const watcher = watch(folder, (_event, name) => hear(name === null ? folder : join(folder, name)))
    // The folder was removed; the watcher of its parent reports that too.
    watcher.on('error', () => {
      this.#unwatch(folder)
      hear(folder)
    })
    this.#watchers.set(folder, { watcher, inode: found.ino })
    return true
  }

  #unwatch(folder: string): void {
    this.#watchers.get(folder)?.watcher.close()
    this.#watchers.delete(folder)
  }
}

async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  await pause(milliseconds, undefined, { signal }).catch(() => {
    // Aborted; the caller checks the signal.
  })
}

/** Resolution of file timestamps in milliseconds. */
const clockGrain = 20

/** The next check reports a path with this value as changed. */
const unknown = 'unknown'

/**
 * The next check compares the watched files with their content at the last run, because many file system events do not change the content of a file.
 */
export class WatchedState {
  #files = new Map<string, string>()
  #folders = new Map<string, string>()
  #output = new Map<string, string>()
  /** Inode of a file or link that prevents creating the folder at this path. `absent` if there is no such file or link. */
  #outputFolders = new Map<string, string>()
  #outputFolder = ''
  #allFolders: ReadonlySet<string> | undefined = undefined

  folders(): ReadonlySet<string> {
    if (this.#allFolders !== undefined) return this.#allFolders
    const files = [...this.#files.keys(), ...this.#output.keys()]
    const all = new Set([...files.map((file) => dirname(file)), ...this.#folders.keys()])
    if (this.#outputFolder !== '') all.add(dirname(this.#outputFolder))
    this.#allFolders = all
    return all
  }

  /** The next check reports each new input with a change after `startedAt` (milliseconds since the Unix epoch). */
  learn(
    read: { readonly files: Iterable<string>; readonly folders: Iterable<string>; readonly outputFolder: string },
    startedAt: number,
  ): void {
    this.#outputFolder = read.outputFolder
    this.#allFolders = undefined
    // Keeps the known state of an earlier input, because this state is from before the run: the next check then also detects a change during the run.
    const marked = (known: ReadonlyMap<string, string>, paths: Iterable<string>, mark: (path: string) => string) => {
      const fresh = (path: string): string =>
        (foundAt(path)?.ctimeMs ?? 0) >= startedAt - clockGrain ? unknown : mark(path)
      return new Map([...new Set(paths)].map((path) => [path, known.get(path) ?? fresh(path)] as const))
    }
    this.#files = marked(this.#files, read.files, markFile)
    this.#folders = marked(this.#folders, read.folders, (folder) => this.#markNames(folder))
  }

  differs(files: ReadonlyMap<string, string>): boolean {
    if (this.#output.size === 0) return false
    return files.size !== this.#output.size || [...files].some(([path, hash]) => this.#output.get(path) !== hash)
  }

  /** `files` contains the content hash of each generated file, by absolute path. */
  leave(files: ReadonlyMap<string, string>, { isWritten }: { readonly isWritten: boolean }): void {
    const paths = [...files.keys()]
    this.#allFolders = undefined
    this.#output = isWritten ? new Map(files) : new Map(paths.map((path) => [path, markFile(path)]))
    const isInside = (folder: string): boolean => `${folder}/`.startsWith(`${this.#outputFolder}/`)
    const needed = new Set(paths.flatMap((path) => foldersUpFrom(dirname(path)).filter(isInside)))
    this.#outputFolders = new Map([...needed].map((folder) => [folder, markObstacle(folder)]))
  }

  /** Also checks the parent folders of `paths`, and records the new content. */
  changed(paths: Iterable<string>): readonly string[] {
    const named = [...paths]
    const candidates = new Set([...named, ...named.map((path) => dirname(path))])
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

  paths(): Iterable<string> {
    return [...this.#files.keys(), ...this.#output.keys(), ...this.#folders.keys()]
  }

  isMissing(path: string): boolean {
    return this.#files.get(path) === absent
  }

  #markNames(folder: string): string {
    if (!isFolder(folder)) return absent
    const names = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name)
      // Folders on the path to the output folder do not count, because generating creates and removes them.
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
  return isFile(path) ? contentHash(readFileSync(path)) : absent
}

function markObstacle(path: string): string {
  const found = foundAt(path, { links: 'show' })
  return found === undefined || found.isDirectory() ? absent : String(found.ino)
}

function update(marks: Map<string, string>, path: string, mark: (path: string) => string): boolean {
  const known = marks.get(path)
  if (known === undefined) return false
  const now = mark(path)
  marks.set(path, now)
  return now !== known
}

interface SearchedFolders {
  readonly root: string
  readonly patterns: readonly string[]
  /** Relative to the project folder. Files in this folder are not inputs. */
  readonly output: string
  readonly modules: readonly string[]
}

export const moduleName: RegExp = /\.(?:[cm]?[jt]sx?|json)$/

const mostFolders = 2000

function isPassedBy(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules'
}

/** Returns the folders in which a new file can become a module of the design. For a missing folder, returns its nearest existing parent folder. */
export function searchedFolders({ root, patterns, output, modules }: SearchedFolders): readonly string[] {
  const ofPatterns = patterns.flatMap((pattern) => {
    const segments = posix.normalize(pattern).split('/')
    const fixed = segments.findIndex((segment) => segment.includes('*'))
    const base = join(root, ...segments.slice(0, fixed === -1 ? -1 : fixed))
    return fixed === -1 ? [base] : foldersBelow(base, join(root, output))
  })
  const ofModules = modules.flatMap((file) => foldersOfModule(file, isFile(file) ? readFileSync(file, 'utf8') : ''))
  const folders = [root, ...ofPatterns, ...ofModules]
  return [...new Set(folders.map((folder) => foldersUpFrom(folder).find(isFolder) ?? folder))]
}

function foldersBelow(base: string, except: string): readonly string[] {
  const found = [base]
  for (const folder of found) {
    if (!isFolder(folder) || found.length > mostFolders) continue
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && !isPassedBy(entry.name) && path !== except) found.push(path)
    }
  }
  return found
}

export function modulesBelow(root: string): readonly string[] {
  return foldersBelow(root, root).flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isFile() && moduleName.test(entry.name) ? [join(folder, entry.name)] : [],
    ),
  )
}
