import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Jiti, ModuleCache } from 'jiti'
import { foldersOfModule, foundAt, isFile, isFolder } from '../files.js'

type Module = NonNullable<ModuleCache[string]>

/** The compiled code of a module sets this property to the list of its imports. */
export const importedBy = 'toolgenImports'

interface KeptModule {
  readonly text: string
  /** Absent for a file that is only read, such as JSON. */
  readonly module?: Module
  readonly imports: readonly string[]
}

export interface FinishedEvaluation {
  readonly entries: readonly string[]
  readonly files: readonly string[]
  readonly cache: ModuleCache
  readonly texts: ReadonlyMap<string, string>
  readonly startedAt: number
  readonly jiti: Jiti
}

/** Assumed precision of file timestamps, in milliseconds. */
const clockGrain = 20

/** Keeps a module only if its evaluation has no side effects. */
export class KeptModules {
  #modules = new Map<string, KeptModule>()
  /** If the names of the files in a folder change, an import can refer to another file than before. */
  #folders = new Map<string, string>()

  get size(): number {
    return this.#modules.size
  }

  /** Call {@link refresh} first, because the cache can contain changed modules. */
  files(): Iterable<string> {
    return this.#modules.keys()
  }

  has(file: string): boolean {
    return this.#modules.has(file)
  }

  refresh(): void {
    if ([...this.#folders].some(([folder, names]) => namesIn(folder) !== names)) this.clear()
    const importers = new Map<string, string[]>()
    for (const [file, { imports }] of this.#modules) {
      for (const imported of imports) importers.set(imported, [...(importers.get(imported) ?? []), file])
    }
    const changed = [...this.#modules].flatMap(([file, { text, imports }]) =>
      textOf(file) === text && imports.every((imported) => this.has(imported)) ? [] : [file],
    )
    for (let file = changed.pop(); file !== undefined; file = changed.pop()) {
      if (this.#modules.delete(file)) changed.push(...(importers.get(file) ?? []))
    }
  }

  evaluated(): ReadonlyMap<string, Module> {
    return new Map(
      [...this.#modules].flatMap(([file, { module }]) => (module === undefined ? [] : [[file, module] as const])),
    )
  }

  /** Returns the files that no module imports any more, after removing them from the cache. */
  add(evaluation: FinishedEvaluation): readonly string[] {
    const { entries, files } = evaluation
    const all = new Set(files)
    for (const file of files) {
      if (this.has(file)) continue
      const module = keptModule(file, evaluation, all)
      if (module !== undefined) this.#modules.set(file, module)
    }
    const folders = files.flatMap((file) => foldersOfModule(file, this.#modules.get(file)?.text ?? ''))
    this.#folders = new Map([...new Set(folders)].map((folder) => [folder, namesIn(folder)]))
    // Unused modules can only be found if the imports of every module are known.
    if (files.some((file) => !this.has(file))) return []
    const reached = new Set<string>()
    const pending = [...entries]
    for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
      if (reached.has(file)) continue
      reached.add(file)
      pending.push(...(this.#modules.get(file)?.imports ?? []))
    }
    const spare = files.filter((file) => !reached.has(file))
    for (const file of spare) this.#modules.delete(file)
    return spare
  }

  clear(): void {
    this.#modules.clear()
    this.#folders.clear()
  }
}

function keptModule(
  file: string,
  { cache, texts, startedAt, jiti }: FinishedEvaluation,
  files: ReadonlySet<string>,
): KeptModule | undefined {
  const module = cache[file]
  // If a file changed after the start, it is unknown which text was read.
  const isOld = (foundAt(file)?.ctimeMs ?? startedAt) < startedAt - clockGrain
  const text = texts.get(file) ?? (isOld ? textOf(file) : undefined)
  if (text === undefined) return undefined
  if (module === undefined) return { text, imports: [] }
  const names: unknown = Reflect.get(module, importedBy)
  if (!module.loaded || !Array.isArray(names)) return undefined
  const parentURL = pathToFileURL(file)
  const imports = names.map(String).flatMap((name) => {
    const url = files.has(name) ? name : (jiti.esmResolve(name, { parentURL, try: true }) ?? '')
    const path = url.startsWith('file:') ? fileURLToPath(url) : url
    return files.has(path) ? [path] : []
  })
  return { text, module, imports }
}

function textOf(file: string): string | undefined {
  return isFile(file) ? readFileSync(file, 'utf8') : undefined
}

function namesIn(folder: string): string {
  return isFolder(folder) ? readdirSync(folder).sort().join('\n') : ''
}
