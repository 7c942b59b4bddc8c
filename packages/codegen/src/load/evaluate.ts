import { readFileSync, realpathSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import type { Jiti, JitiOptions, ModuleCache } from 'jiti'
import { foldersUpFrom, foundAt, isFile } from '../files.js'
import { byCodePoint } from '../text.js'
import { compileModule } from './compiler.js'
import type { KeptModules } from './module-cache.js'
import { tsconfigErrorOf } from './tsconfig.js'

// `import` would also search the text of the package for export names, which takes half of the loading time.
const { createJiti }: typeof import('jiti') = createRequire(import.meta.url)('jiti')

/** If a module fails, the compiler of jiti evaluates all modules again, because it supports more syntax and preserves line numbers in errors. */
export async function evaluateQuickly(
  entries: readonly string[],
  options: Omit<EvaluationOptions, 'compile'>,
): Promise<Evaluation> {
  const quick = await evaluateModules(entries, { ...options, compile: compileModule })
  // Without the kept modules, because their line numbers are wrong too.
  const { kept: _, ...others } = options
  return quick.failures.length === 0 ? quick : evaluateModules(entries, others)
}

export interface EvaluatedModule {
  readonly file: string
  readonly exports: object
}

export interface Evaluation {
  readonly modules: readonly EvaluatedModule[]
  /** All evaluated modules outside `node_modules`, sorted by code point. */
  readonly evaluated: readonly EvaluatedModule[]
  readonly failures: readonly { readonly file: string; readonly error: unknown }[]
  /** Absolute paths of all files outside `node_modules` that were read, sorted by code point. */
  readonly closure: readonly string[]
}

export interface EvaluationOptions {
  readonly root: string
  readonly tsconfig?: string
  /** If absent, or if it returns `undefined`, the compiler of jiti compiles the module. */
  readonly compile?: (file: string, source: string) => string | undefined
  readonly kept?: KeptModules
}

export async function evaluateModules(entries: readonly string[], options: EvaluationOptions): Promise<Evaluation> {
  const { root, tsconfig, kept } = options
  const startedAt = Date.now()
  const texts = new Map<string, string>()
  let jiti: Jiti
  try {
    jiti = createEvaluator(options, texts)
  } catch (thrown) {
    if (tsconfig === undefined) throw thrown
    const error = await tsconfigErrorOf(tsconfig, thrown)
    const failures = entries.slice(0, 1).map((file) => ({ file, error }))
    return { modules: [], evaluated: [], failures, closure: projectFiles([...entries, ...error.read]) }
  }
  // The cache of one evaluation. The evaluator's own cache is global and would return stale modules; without a cache, each
  // entry would evaluate its own copy of shared modules.
  const cache: ModuleCache = Object.create(null)
  const evaluatorCache = withScripts(cache, jiti, root)
  const shared = createRequire(join(root, 'toolgen.config.ts')).cache
  const jsonModules = (): readonly string[] => Object.keys(shared).filter((file) => file.endsWith('.json'))
  for (const file of projectFiles(jsonModules())) if (kept?.has(file) !== true) delete shared[file]
  for (const [file, module] of kept?.evaluated() ?? []) cache[file] = module
  const failed = new Set<string>()
  const modules: EvaluatedModule[] = []
  const failures: { file: string; error: unknown }[] = []
  for (const file of entries) {
    try {
      const text = await readFile(file, 'utf8')
      const isScript = isCommonJs(file, text)
      const evaluation = {
        id: file,
        filename: file,
        ext: extname(file),
        cache: evaluatorCache,
        async: !isScript,
        forceTranspile: true,
      }
      const exported: unknown = cache[file]?.exports ?? (await jiti.evalModule(text, evaluation))
      const exports = Object(exported)
      const isNamespace = !isScript || Object.hasOwn(exports, '__esModule')
      modules.push({ file, exports: isNamespace ? exports : { ...exports, default: exported } })
    } catch (error) {
      failures.push({ file, error })
      failed.add(file)
      // Removes modules whose evaluation failed; another entry would use them as if they were complete.
      for (const [name, module] of Object.entries(cache)) {
        if (module.loaded) continue
        failed.add(name)
        delete cache[name]
      }
    }
  }
  // A cached module has not loaded its JSON files again.
  const files = (): readonly string[] =>
    projectFiles([...Object.keys(cache), ...failed, ...jsonModules(), ...(kept?.files() ?? [])])
  const evaluatedFiles = files().filter((file) => !failed.has(file))
  for (const file of kept?.add({ entries, files: evaluatedFiles, cache, texts, startedAt, jiti }) ?? []) {
    delete cache[file]
    delete shared[file]
  }
  const closure = files()
  const evaluated = closure.flatMap((file): EvaluatedModule[] => {
    const module = cache[file]
    return module === undefined ? [] : [{ file, exports: Object(module.exports) }]
  })
  return { modules, evaluated, failures, closure }
}

function createEvaluator({ root, tsconfig, compile }: EvaluationOptions, texts: Map<string, string>): Jiti {
  const id = join(root, 'toolgen.config.ts')
  const settings: JitiOptions = {
    // `true` would merge the default export into the namespace and lose named exports.
    interopDefault: false,
    moduleCache: false,
    fsCache: false,
    tsconfigPaths: tsconfig ?? false,
  }
  const complete = createJiti(id, settings)
  return createJiti(id, {
    ...settings,
    transform: (module) => {
      const { filename, source, async } = module
      if (filename !== undefined) texts.set(filename, source)
      return { code: (async && filename && compile?.(filename, source)) || complete.transform(module) }
    },
  })
}

function projectFiles(files: readonly string[]): readonly string[] {
  return [...new Set(files)].filter((file) => !isPackageFile(file)).sort(byCodePoint)
}

function isPackageFile(file: string): boolean {
  return /[\\/]node_modules[\\/]/.test(file)
}

/**
 * Without this cache, Node would load the JavaScript modules of the project. Node keeps modules until the process ends, and does not report which
 * files it read.
 */
function withScripts(modules: ModuleCache, jiti: Jiti, root: string): ModuleCache {
  const isLinked = linkedPackages(root)
  // The evaluator looks up a module twice in a row. A further lookup during its evaluation comes from an import cycle. It gets
  // the current exports, because waiting would never end.
  let started: { readonly file: string; readonly exports: unknown } | undefined
  const cache: ModuleCache = new Proxy(modules, {
    get(evaluated, file) {
      if (typeof file !== 'string') return undefined
      if (started?.file === file) return started
      const isScript = /\.[cm]?js$/.test(file) && !isPackageFile(file)
      if (evaluated[file] !== undefined || !isScript || isLinked(file)) return evaluated[file]
      const text = readFileSync(file, 'utf8')
      // The exports of an ECMAScript module are a promise, which the importing module awaits.
      const async = !isCommonJs(file, text)
      started = {
        file,
        exports: jiti.evalModule(text, { id: file, filename: file, cache, async, forceTranspile: true }),
      }
      queueMicrotask(() => {
        started = undefined
      })
      return started
    },
  })
  return cache
}

function isCommonJs(file: string, text: string): boolean {
  if (!file.endsWith('.js')) return file.endsWith('.cjs')
  return !/^\s*(?:import|export)\b/m.test(text) && /\b(?:module|exports|require)\b/.test(text)
}

function linkedPackages(root: string): (file: string) => boolean {
  const own = packageFolder(root)
  const results = new Map<string, boolean>()
  return (file) => {
    const folder = packageFolder(dirname(file))
    if (folder === undefined || folder === own) return false
    const result = results.get(folder) ?? isLinked(folder, root)
    results.set(folder, result)
    return result
  }
}

function isLinked(folder: string, root: string): boolean {
  const name = nameOfPackage(folder) ?? ''
  const installed = foldersUpFrom(root).map((parent) => join(parent, 'node_modules', name))
  const nearest = installed.find((path) => foundAt(path) !== undefined)
  return nearest !== undefined && realpathSync(nearest) === folder
}

function packageFolder(folder: string): string | undefined {
  return foldersUpFrom(folder).find((parent) => nameOfPackage(parent) !== undefined)
}

function nameOfPackage(folder: string): string | undefined {
  const manifest = join(folder, 'package.json')
  if (!isFile(manifest)) return undefined
  try {
    const { name } = Object(JSON.parse(readFileSync(manifest, 'utf8')))
    return typeof name === 'string' ? name : undefined
  } catch {
    // An unreadable manifest has no name.
    return undefined
  }
}
