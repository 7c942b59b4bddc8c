import { dirname } from 'node:path'
import { findTsconfig } from '../config/find-config.js'
import type { Checked, Diagnostic, SourcePlace } from '../diagnostics/diagnostic.js'
import { describeFailure, explained } from '../evaluate/describe-failure.js'
import { evaluateModules } from '../evaluate/evaluate-modules.js'
import { readText } from '../evaluate/read-text.js'
import { relativePath } from '../evaluate/relative-path.js'
import { tsconfigDiagnostic, UnreadableTsconfig } from '../evaluate/tsconfig-fault.js'

/** What a module exports to be served. */
export interface LoadedModule {
  readonly exported: unknown
  /** How messages name it: `the default export`. */
  readonly name: string
  /** Where it is exported. */
  readonly place: SourcePlace
}

/**
 * Evaluates a module and takes what it exports as `tools` or as its default; of a function, what it gives.
 *
 * @param file absolute
 * @param root the folder of the module's package: absolute
 */
export async function loadServed(file: string, root: string): Promise<Checked<LoadedModule>> {
  const tsconfig = findTsconfig(dirname(file))
  const evaluation = await evaluateModules([file], { root, ...(tsconfig !== undefined && { tsconfig }) })
  const { closure, failures, modules } = evaluation
  const failed = (error: unknown): Checked<LoadedModule> => ({
    diagnostics: [notEvaluated(describeFailure(error, { root, file, closure }))],
  })
  const [failure] = failures
  if (failure?.error instanceof UnreadableTsconfig) {
    return { diagnostics: [tsconfigDiagnostic(failure.error.fault, root)] }
  }
  if (failure !== undefined) return failed(failure.error)
  const exports = new Map(Object.entries(modules[0]?.exports ?? {}))
  const key = ['tools', 'default'].find((name) => exports.get(name) !== undefined)
  const shown = relativePath(root, file)
  if (key === undefined) return { diagnostics: [nothingExported(shown, [...exports.keys()])] }
  const name = key === 'tools' ? 'the export `tools`' : 'the default export'
  const value = exports.get(key)
  const made = typeof value === 'function' && !isClass(value)
  try {
    const exported: unknown = await (made ? Reflect.apply(value, undefined, []) : value)
    return {
      value: { exported, name: made ? `what ${name} gives` : name, place: placeOf(file, shown, key) },
      diagnostics: [],
    }
  } catch (error) {
    return failed(error)
  }
}

function isClass(value: object): boolean {
  return /^class\b/.test(String(value))
}

/** The line that exports something, as far as its text tells. */
function placeOf(file: string, shown: string, key: string): SourcePlace {
  const written = key === 'default' ? /^\s*export\s+default\b|\bas\s+default\b/ : /^\s*export\b.*\btools\b/
  const line = readText(file)
    .split('\n')
    .findIndex((text) => written.test(text))
  return { file: shown, line: Math.max(line, 0) + 1, column: 1 }
}

function notEvaluated(failure: ReturnType<typeof describeFailure>): Diagnostic {
  const { kind, message, place, next, near } = failure
  return {
    code: 'TG7001',
    severity: 'error',
    message:
      kind === 'syntax'
        ? `The module to serve has a syntax error: ${message}`
        : `The module to serve cannot be evaluated: ${explained(failure)}`,
    place,
    next: next ?? 'Correct the module so that it can be imported.',
    ...(near !== undefined && { near }),
  }
}

function nothingExported(file: string, others: readonly string[]): Diagnostic {
  const found = others.length === 0 ? 'It exports nothing.' : `It exports: ${others.join(', ')}.`
  return {
    code: 'TG7002',
    severity: 'error',
    message: `The module to serve has neither a default export nor an export \`tools\`. ${found}`,
    place: { file, line: 1, column: 1 },
    next: 'Write `export const tools = registerSupport(new Runtime(), { toolsets: { orders: { client } } })`, with an agent of yours.',
  }
}
