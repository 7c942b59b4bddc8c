import { dirname } from 'node:path'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { byCodePoint } from '../text.js'
import { compileWithSourceMap } from './compiler.js'
import { evaluateModules } from './evaluate.js'
import { evaluationDiagnostic } from './evaluation-errors.js'
import { findTsconfig } from './toolgen-config.js'

interface ModuleEvaluation {
  readonly exports: ReadonlyMap<string, unknown>
  readonly diagnostics: readonly Diagnostic[]
  readonly files: readonly string[]
  failed(error: unknown): Diagnostic
}

/**
 * Does not evaluate the module a second time after an error, because its side effects would occur twice. Enables source maps in the whole process, so
 * that stack traces show the lines of the source.
 */
export async function evaluateModule(
  file: string,
  root: string,
  problem: Parameters<typeof evaluationDiagnostic>[2],
): Promise<ModuleEvaluation> {
  const tsconfig = findTsconfig(dirname(file))
  process.setSourceMapsEnabled(true)
  const options = { root, compile: compileWithSourceMap, ...(tsconfig !== undefined && { tsconfig }) }
  const { closure, failures, modules } = await evaluateModules([file], options)
  const failed = (error: unknown): Diagnostic => evaluationDiagnostic(error, { root, file, closure }, problem)
  return {
    exports: new Map<string, unknown>(Object.entries(modules[0]?.exports ?? {}).sort(([a], [b]) => byCodePoint(a, b))),
    diagnostics: failures.map(({ error }) => failed(error)),
    files: closure,
    failed,
  }
}
