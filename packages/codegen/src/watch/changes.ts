import { type FSWatcher, readdirSync, readFileSync, watch } from 'node:fs'
import { dirname, join, posix, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { contentHash, foldersUpFrom, foundAt, isFile, isFolder } from '../files.js'

/** Required time without events before a run, in milliseconds: editors write in several steps. */
const quiet = 15

/** Maximum wait for a time without events, in milliseconds. */
const maxUnrest = 500

/** Time for which a file can be missing while an editor replaces it, in milliseconds. */
const missing = 100

/**
 * Collects the changes of watched files, and returns them all at once: however much happens during a run, it leads to one
 * more run.
 */
export class Changes {
  readonly #state: WatchedState
  /** The inode of a folder distinguishes it from a later one of the same name. */
  readonly #watchers = new Map<string, { readonly watcher: FSWatcher; readonly inode: number }>()
  /** Absolute paths with events since the last check. */
  readonly #pending = new Set<string>()
  #wake: () => void = () => {}

  constructor(state: WatchedState) {
    this.#state = state
  }

  /**
   * Watches the folders of the state and no others; each by itself, because watching whole trees is not reliable on every
   * supported platform. Looks for changes in a folder before it was watched.
   *
   * @throws errors of the operating system, for example for too many folders
   */
  watch(): void {
    const folders = this.#state.folders()
    for (const folder of this.#watchers.keys()) if (!folders.has(folder)) this.#unwatch(folder)
    const added = [...folders].filter((folder) => this.#watchFolder(folder))
    if (added.length > 0) for (const path of this.#state.paths()) this.#pending.add(path)
  }

  /**
   * Waits for the next real change.
   *
   * @returns the files and folders that changed: absolute; empty when the signal ended the wait
   */
  async next(signal: AbortSignal): Promise<readonly string[]> {
    while (!signal.aborted) {
      if (this.#pending.size === 0) await this.#event(signal)
      await this.#settle(signal)
      const changed = this.#check()
      if (changed.length === 0) continue
      if (!changed.some((path) => this.#state.isMissing(path))) return changed
      await rest(missing, signal)
      return [...new Set([...changed, ...this.#check()])]
    }
    return []
  }

  close(): void {
    for (const folder of this.#watchers.keys()) this.#unwatch(folder)
  }

  #check(): readonly string[] {
    this.watch()
    const paths = [...this.#pending]
    this.#pending.clear()
    return this.#state.changed(paths)
  }

  #event(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        signal.removeEventListener('abort', this.#wake)
        resolve()
      }
      signal.addEventListener('abort', this.#wake)
    })
  }

  async #settle(signal: AbortSignal): Promise<void> {
    const since = performance.now()
    let size = -1
    while (this.#pending.size !== size && performance.now() - since < maxUnrest && !signal.aborted) {
      size = this.#pending.size
      await rest(quiet, signal)
    }
  }

  /** Returns true for a folder that was not watched, or that replaced a watched one. */
  #watchFolder(folder: string): boolean {
    const found = foundAt(folder)
    if (this.#watchers.get(folder)?.inode === found?.ino) return false
    this.#unwatch(folder)
    if (found?.isDirectory() !== true) return false
    const onChange = (path: string): void => {
      this.#pending.add(path)
      this.#wake()
    }
    const watcher = watch(folder, (_event, name) => onChange(name === null ? folder : join(folder, name)))
    // A folder that is removed; its parent has an event as well.
    watcher.on('error', () => {
      this.#unwatch(folder)
      onChange(folder)
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
    // Aborted: callers check the signal.
  })
}

/** Maximum clock difference of a file system, in milliseconds. */
const clockGrain = 20

/** A mark that no file and no folder has: it counts as changed. */
const unknown = 'unknown'

/** The mark of a missing file or folder. */
const absent = 'absent'

/** State of files as a run found or left them, which distinguishes real changes from other file system events. */
export class WatchedState {
  /** Files that were read: absolute path → mark. */
  #files = new Map<string, string>()
  /** Folders that were searched: absolute path → mark of the names in it. */
  #folders = new Map<string, string>()
  /** Generated files: absolute path → mark. */
  #output = new Map<string, string>()
  /** The folders of generated files: absolute path → mark of an obstacle. */
  #outputFolders = new Map<string, string>()
  /** Absolute. */
  #outputFolder = ''
  #watchedFolders: ReadonlySet<string> | undefined = undefined

  /** The folders that contain all of this. */
  folders(): ReadonlySet<string> {
    if (this.#watchedFolders !== undefined) return this.#watchedFolders
    const files = [...this.#files.keys(), ...this.#output.keys()]
    const folders = new Set([...files.map((file) => dirname(file)), ...this.#folders.keys()])
    if (this.#outputFolder !== '') folders.add(dirname(this.#outputFolder))
    this.#watchedFolders = folders
    return folders
  }

  /**
   * Takes over the inputs of a run. Known inputs keep their marks, which are older than the run; of the others those that
   * changed since the run began count as changed.
   *
   * @param startedAt the start of the run, in milliseconds since 1970
   */
  learn(
    read: { readonly files: Iterable<string>; readonly folders: Iterable<string>; readonly outputFolder: string },
    startedAt: number,
  ): void {
    this.#outputFolder = read.outputFolder
    this.#watchedFolders = undefined
    const marked = (known: ReadonlyMap<string, string>, paths: Iterable<string>, mark: (path: string) => string) => {
      const fresh = (path: string): string =>
        (foundAt(path)?.ctimeMs ?? 0) >= startedAt - clockGrain ? unknown : mark(path)
      return new Map([...new Set(paths)].map((path) => [path, known.get(path) ?? fresh(path)]))
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
   * Takes over the generated files of a run: as planned if it succeeded, otherwise as they are on disk.
   *
   * @param files absolute path → content hash
   */
  leave(files: ReadonlyMap<string, string>, { isWritten }: { readonly isWritten: boolean }): void {
    const paths = [...files.keys()]
    this.#output = isWritten ? new Map(files) : new Map(paths.map((path) => [path, markFile(path)]))
    const isInside = (folder: string): boolean => `${folder}/`.startsWith(`${this.#outputFolder}/`)
    const folders = new Set(paths.flatMap((path) => foldersUpFrom(dirname(path)).filter(isInside)))
    this.#outputFolders = new Map([...folders].map((folder) => [folder, markObstacle(folder)]))
  }

  /** Returns the changed ones of these paths, and records their new state. */
  changed(paths: Iterable<string>): readonly string[] {
    const candidates = [...paths]
    return [...new Set([...candidates, ...candidates.map((path) => dirname(path))])].filter((path) => {
      const isChanged = [
        update(this.#files, path, markFile),
        update(this.#output, path, markFile),
        update(this.#outputFolders, path, markObstacle),
        update(this.#folders, path, (folder) => this.#markNames(folder)),
      ]
      return isChanged.includes(true)
    })
  }

  /** All watched files and folders. */
  paths(): Iterable<string> {
    return [...this.#files.keys(), ...this.#output.keys(), ...this.#folders.keys()]
  }

  /** Returns whether an expected file is missing, possibly while an editor replaces it. */
  isMissing(path: string): boolean {
    return this.#files.get(path) === absent
  }

  #markNames(folder: string): string {
    if (!isFolder(folder)) return absent
    const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => {
      if (isIgnored(entry.name)) return false
      // The parents of the output are created and removed with it.
      const path = join(folder, entry.name)
      return entry.isDirectory() ? !`${this.#outputFolder}/`.startsWith(`${path}/`) : moduleName.test(entry.name)
    })
    return entries
      .map(({ name }) => name)
      .sort()
      .join('\n')
  }
}

function markFile(path: string): string {
  return isFile(path) ? contentHash(readFileSync(path)) : absent
}

/** Returns a mark for a path that is not a folder but should be; a missing path is no obstacle. */
function markObstacle(path: string): string {
  const found = foundAt(path, { links: 'show' })
  return found === undefined || found.isDirectory() ? absent : String(found.ino)
}

function update(marks: Map<string, string>, path: string, mark: (path: string) => string): boolean {
  const before = marks.get(path)
  if (before === undefined) return false
  const now = mark(path)
  marks.set(path, now)
  return now !== before
}

/** Names of files that can be imported or matched by a pattern. */
export const moduleName: RegExp = /\.(?:[cm]?[jt]sx?|json)$/

/** Maximum number of folders that are searched for modules that do not exist yet. */
const maxFolders = 2000

const relativeImport = /\b(?:from|import|require)\s*\(?\s*(['"])(\.[^'"\n]+)\1/g

/** Returns whether a folder cannot contain design modules. */
function isIgnored(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules'
}

/**
 * Lists the folders in which a new module can change the target of a pattern or an import; for a folder that does not
 * exist, the nearest one above it.
 *
 * @param options.root the project's root: absolute
 * @param options.patterns patterns of design modules, relative to the root
 * @param options.output the output folder, relative to the root; its files are no input
 * @param options.modules the modules that were read: absolute
 */
export function searchedFolders({
  root,
  patterns,
  output,
  modules,
}: {
  readonly root: string
  readonly patterns: readonly string[]
  readonly output: string
  readonly modules: readonly string[]
}): readonly string[] {
  const ofPatterns = patterns.flatMap((pattern) => {
    const segments = posix.normalize(pattern).split('/')
    const fixed = segments.findIndex((segment) => segment.includes('*'))
    const base = join(root, ...segments.slice(0, fixed === -1 ? -1 : fixed))
    return fixed === -1 ? [base] : foldersBelow(base, join(root, output))
  })
  const ofModules = modules.flatMap((file) => {
    const text = file.endsWith('.json') || !isFile(file) ? '' : readFileSync(file, 'utf8')
    const imports = [...text.matchAll(relativeImport)].map(([, , specifier = '']) => resolve(dirname(file), specifier))
    return [file, ...imports].map((path) => dirname(path))
  })
  const folders = [root, ...ofPatterns, ...ofModules]
  return [...new Set(folders.map((folder) => foldersUpFrom(folder).find(isFolder) ?? folder))]
}

function foldersBelow(base: string, except: string): readonly string[] {
  const found = [base]
  for (const folder of found) {
    if (!isFolder(folder) || found.length > maxFolders) continue
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && !isIgnored(entry.name) && path !== except) found.push(path)
    }
  }
  return found
}

/** Lists every module below a folder, generated ones too: absolute. */
export function modulesBelow(root: string): readonly string[] {
  return foldersBelow(root, root).flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isFile() && moduleName.test(entry.name) ? [join(folder, entry.name)] : [],
    ),
  )
}
