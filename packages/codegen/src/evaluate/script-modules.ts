import { readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Jiti, ModuleCache } from 'jiti'
import { foundAt } from './found-at.js'

/** The modules of one evaluation, as the evaluator sees them. */
export interface EvaluationMemory {
  /** What was evaluated, by absolute path. */
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
export function createMemory(jiti: Jiti, root: string): EvaluationMemory {
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

/** Whether a module is of the older kind, whose exports are one value. */
export function isCommonJs(file: string, text: string): boolean {
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
