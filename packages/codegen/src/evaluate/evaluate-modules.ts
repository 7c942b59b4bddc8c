import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { extname, join } from 'node:path'
import { createJiti, type Jiti, type JitiOptions } from 'jiti'
import { byCodePoint } from '../text/by-code-point.js'
import type { KeptModules } from './kept-modules.js'
import { createMemory, isCommonJs } from './script-modules.js'
import { UnreadableTsconfig, unreadableTsconfig } from './tsconfig-fault.js'

/** A module's file, as an absolute path, and its namespace. */
export interface EvaluatedModule {
  readonly file: string
  readonly exports: object
}

/** What the evaluation of some modules gave. */
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
  /** Whose `paths` are followed: absolute. */
  readonly tsconfig?: string
  /** Compiles a module in place of the evaluator's own compiler; `undefined` where it must be that one. */
  readonly compile?: (file: string, source: string) => string | undefined
  /** What an earlier evaluation left, and this one leaves. Default: nothing. */
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
