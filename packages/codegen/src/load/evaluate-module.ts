import { dirname } from 'node:path'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { evaluateModules } from './evaluate.js'
import { evaluationDiagnostic } from './evaluation-errors.js'
import { findTsconfig } from './toolgen-config.js'

interface ModuleEvaluation {
  readonly exports: ReadonlyMap<string, unknown>
  readonly diagnostics: readonly Diagnostic[]
  /** Absolute paths of all files outside `node_modules` that were read. */
  readonly files: readonly string[]
  failed(error: unknown): Diagnostic
}

/**
 * Evaluates one module.
 * @param file absolute path of the module
 * @param root absolute path of the module's package
 * @param problem code of the diagnostics, and name of the module in their messages
 */
export async function evaluateModule(
  file: string,
  root: string,
  problem: Parameters<typeof evaluationDiagnostic>[2],
): Promise<ModuleEvaluation> {
  const tsconfig = findTsconfig(dirname(file))
  const options = { root, ...(tsconfig !== undefined && { tsconfig }) }
  const { closure, failures, modules } = await evaluateModules([file], options)
  const failed = (error: unknown): Diagnostic => evaluationDiagnostic(error, { root, file, closure }, problem)
  return {
    exports: new Map<string, unknown>(Object.entries(modules[0]?.exports ?? {})),
    diagnostics: failures.map(({ error }) => failed(error)),
    files: closure,
    failed,
  }
}
