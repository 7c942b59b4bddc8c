import { readFileSync, realpathSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { createJiti, type Jiti, type JitiOptions, type ModuleCache } from 'jiti'
import type { ts as Compiler } from 'ts-morph'
import { foundAt } from '../files.js'
import { byCodePoint } from '../text.js'
import { loadCompiler } from './compiler.js'

import type { KeptModules } from './module-cache.js'
import { compileModule, parseModule } from './rewrite-module.js'
import { UnreadableTsconfig, unreadableTsconfig } from './tsconfig.js'

/**
 * Evaluates modules that only declare: compiled by TypeScript, several times faster than by the evaluator's own compiler.
 * That way moves lines, and may fail where the complete one does not; so what fails is evaluated once more.
 *
 * @param entries absolute paths
 * @param parsed grows by the syntax tree of each module that is compiled, by its absolute path
 */
export async function evaluateQuickly(
  entries: readonly string[],
  options: Omit<EvaluationOptions, 'compile'>,
  parsed?: Map<string, Compiler.SourceFile>,
): Promise<Evaluation> {
  const { ts } = loadCompiler()
  const compile = (file: string, text: string): string | undefined => {
    const source = parseModule(ts, file, text)
    parsed?.set(file, source)
    return compileModule(ts, source)
  }
  const quick = await evaluateModules(entries, { ...options, compile })
  return quick.failures.length === 0 ? quick : evaluateModules(entries, options)
}

/** A module's file, as an absolute path, and its namespace. */
export interface EvaluatedModule {
  readonly file: string
  readonly exports: object
}

/** Result of evaluating modules. */
export interface Evaluation {
  /** The namespaces of the modules that could be evaluated, in the order in which they were asked for. */
  readonly modules: readonly EvaluatedModule[]
  /** Every module outside `node_modules` that came to its end: those and what they import, sorted by code point. */
  readonly evaluated: readonly EvaluatedModule[]
  readonly failures: readonly { readonly file: string; readonly error: unknown }[]
  /** Every file outside `node_modules` that took part, as absolute paths, sorted by code point. */
  readonly closure: readonly string[]
}

export interface EvaluationOptions {
  /** Absolute. */
  readonly root: string
  /** Absolute path of the tsconfig whose `paths` apply. */
  readonly tsconfig?: string
  /** Compiles a module in place of the evaluator's own compiler; `undefined` where it must be that one. */
  readonly compile?: (file: string, source: string) => string | undefined
  /** State shared with earlier and later evaluations. Default: none. */
  readonly kept?: KeptModules
}

/**
 * Evaluates TypeScript or JavaScript modules in this process. Modules that several of them import are evaluated once,
 * and a second call sees what was edited meanwhile.
 *
 * @param entries absolute paths
 */
export async function evaluateModules(entries: readonly string[], options: EvaluationOptions): Promise<Evaluation> {
  const startedAt = Date.now()
  const texts = new Map<string, string>()
  const jiti = await openEvaluator(options, texts)
  if (jiti instanceof UnreadableTsconfig) {
    const closure = [...new Set([...entries, ...jiti.fault.read])]
      .filter((file) => !isPackageFile(file))
      .sort(byCodePoint)
    const failures = entries.slice(0, 1).map((file) => ({ file, error: jiti }))
    return { modules: [], evaluated: [], failures, closure }
  }
  // The memory of one evaluation. Jiti's own memory is the process's and would hand out stale modules; without any,
  // each entry would get its own copy of what it shares with the others.
  const { modules: cache, forEvaluator } = createMemory(jiti, options.root)
  const shared = createRequire(join(options.root, 'toolgen.config.ts')).cache
  for (const file of jsonModules(shared)) if (options.kept?.has(file) !== true) delete shared[file]
  for (const [file, module] of options.kept?.evaluated() ?? []) cache[file] = module
  const touched = new Set<string>()
  const modules: EvaluatedModule[] = []
  const failures: { file: string; error: unknown }[] = []
  for (const file of entries) {
    try {
      const text = await readFile(file, 'utf8')
      const older = isCommonJs(file, text)
      const loaded =
        cache[file]?.exports ??
        (await jiti.evalModule(text, {
          id: file,
          filename: file,
          ext: extname(file),
          cache: forEvaluator,
          async: !older,
          forceTranspile: true,
        }))
      modules.push({ file, exports: older ? namespaceOf(loaded) : Object(loaded) })
    } catch (error) {
      failures.push({ file, error })
      touched.add(file)
      // What did not come to its end stays in the cache half made; another entry would take it for complete.
      for (const [name, module] of Object.entries(cache)) {
        if (module.loaded) continue
        touched.add(name)
        delete cache[name]
      }
    }
  }
  const filesOfProject = (): readonly string[] => {
    const files = [...Object.keys(cache), ...touched, ...jsonModules(shared)]
    return [...new Set(files)].filter((file) => !isPackageFile(file)).sort(byCodePoint)
  }
  const files = filesOfProject().filter((file) => !touched.has(file))
  for (const file of options.kept?.leave({ entries, files, cache, texts, startedAt, jiti }) ?? []) {
    delete cache[file]
    delete shared[file]
  }
  const closure = filesOfProject()
  const evaluated = closure.flatMap((file): EvaluatedModule[] => {
    const module = cache[file]
    return module === undefined ? [] : [{ file, exports: Object(module.exports) }]
  })
  return { modules, evaluated, failures, closure }
}

/** The evaluator, or why the TypeScript configuration does not let there be one. */
async function openEvaluator(
  options: EvaluationOptions,
  texts: Map<string, string>,
): Promise<Jiti | UnreadableTsconfig> {
  try {
    return createEvaluator(options, texts)
  } catch (error) {
    if (options.tsconfig === undefined) throw error
    return unreadableTsconfig(options.tsconfig, error)
  }
}

/** @param texts grows by the text of each module that is compiled */
function createEvaluator(options: EvaluationOptions, texts: Map<string, string>): Jiti {
  const id = join(options.root, 'toolgen.config.ts')
  const settings: JitiOptions = {
    // The default merges a default export into the namespace and loses every named export.
    interopDefault: false,
    moduleCache: false,
    fsCache: false,
    tsconfigPaths: options.tsconfig ?? false,
  }
  const complete = createJiti(id, settings)
  const { compile } = options
  return createJiti(id, {
    ...settings,
    transform: (module) => {
      const { filename, source, async } = module
      if (filename !== undefined) texts.set(filename, source)
      return { code: (async && filename && compile?.(filename, source)) || complete.transform(module) }
    },
  })
}

/** The exports of a module of the older kind as one sees them who imports it. */
function namespaceOf(exported: unknown): object {
  const names = Object(exported)
  return Object.hasOwn(names, '__esModule') ? names : { ...names, default: exported }
}

function jsonModules(cache: NodeJS.Require['cache']): readonly string[] {
  return Object.keys(cache).filter((file) => file.endsWith('.json') && !isPackageFile(file))
}

function isPackageFile(file: string): boolean {
  return /[\\/]node_modules[\\/]/.test(file)
}

/** The modules of one evaluation, as the evaluator sees them. */
interface EvaluationMemory {
  /** Evaluated modules by absolute path. */
  readonly modules: ModuleCache
  /** The same for the evaluator, to which the project's JavaScript modules seem to be there already. */
  readonly forEvaluator: ModuleCache
}

/**
 * Makes the memory of one evaluation. Left alone, the evaluator hands JavaScript modules to Node, which keeps them for
 * as long as the process lives and tells nobody that they took part; here each is evaluated as TypeScript modules are,
 * when the evaluator first looks for it. Packages, installed or linked, remain with Node.
 *
 * @param jiti gives the evaluator, which needs the memory itself
 * @param root the project's folder: absolute
 */
function createMemory(jiti: Jiti, root: string): EvaluationMemory {
  const modules: ModuleCache = Object.create(null)
  const linked = linkedPackages(root)
  const forEvaluator: ModuleCache = new Proxy(modules, {
    get(known, file) {
      if (typeof file !== 'string') return undefined
      if (begun?.file === file) return begun
      if (known[file] !== undefined || !isScript(file) || linked.hold(file)) return known[file]
      return evaluate(file)
    },
  })
  // The evaluator looks twice in a row. Who looks later, while the module waits, is part of a circle: it gets what is
  // exported so far, since it would wait for itself.
  let begun: { readonly file: string; readonly exports: unknown } | undefined
  // What an ECMAScript module gives is a promise, which whoever imports it awaits.
  const evaluate = (file: string): typeof begun => {
    const text = readFileSync(file, 'utf8')
    const async = !isCommonJs(file, text)
    const options = { id: file, filename: file, cache: forEvaluator, async, forceTranspile: true }
    begun = { file, exports: jiti.evalModule(text, options) }
    queueMicrotask(() => {
      begun = undefined
    })
    return begun
  }
  return { modules, forEvaluator }
}

/** Returns whether a module is CommonJS. */
function isCommonJs(file: string, text: string): boolean {
  if (!file.endsWith('.js')) return file.endsWith('.cjs')
  return !/^\s*(?:import|export)\b/m.test(text) && /\b(?:module|exports|require)\b/.test(text)
}

function isScript(file: string): boolean {
  return /\.[cm]?js$/.test(file) && !/[\\/]node_modules[\\/]/.test(file)
}

/** The packages of a workspace that are installed as links, apart from the one that the project is itself. */
function linkedPackages(root: string): { hold(file: string): boolean } {
  const own = packageFolder(root)
  const answers = new Map<string, boolean>()
  return {
    hold(file) {
      const folder = packageFolder(dirname(file))
      if (folder === undefined || folder === own) return false
      const answer = answers.get(folder) ?? isLinked(folder, root)
      answers.set(folder, answer)
      return answer
    },
  }
}

function isLinked(folder: string, from: string): boolean {
  const name = nameIn(join(folder, 'package.json'))
  if (name === undefined) return false
  const installed = join(from, 'node_modules', name)
  if (foundAt(installed) !== undefined) return realpathSync(installed) === folder
  const above = dirname(from)
  return above !== from && isLinked(folder, above)
}

/** The nearest folder whose manifest has a name. */
function packageFolder(folder: string): string | undefined {
  if (nameIn(join(folder, 'package.json')) !== undefined) return folder
  const above = dirname(folder)
  return above === folder ? undefined : packageFolder(above)
}

function nameIn(manifest: string): string | undefined {
  if (foundAt(manifest)?.isFile() !== true) return undefined
  try {
    const value: unknown = JSON.parse(readFileSync(manifest, 'utf8'))
    const named = typeof value === 'object' && value !== null && 'name' in value ? value.name : undefined
    return typeof named === 'string' ? named : undefined
  } catch {
    // A manifest that cannot be read names nothing.
    return undefined
  }
}
