import { dirname } from 'node:path'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { evaluateModules } from './evaluate.js'
import { evaluationDiagnostic } from './evaluation-errors.js'
import { findTsconfig } from './toolgen-config.js'

/** A module of the user that was evaluated: its exports by name, or the error. */
interface ModuleEvaluation {
  readonly exports: ReadonlyMap<string, unknown>
  readonly diagnostics: readonly Diagnostic[]
  /** Returns the diagnostic of an error that the module's code throws later. */
  failed(error: unknown): Diagnostic
}

/**
 * Evaluates one module.
 *
 * @param file absolute
 * @param root the folder of the module's package: absolute
 * @param problem the code of its errors, and the module in words
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
    failed,
  }
}
