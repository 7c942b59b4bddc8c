import { join } from 'node:path'
import type { ts as Compiler } from 'ts-morph'
import { loadCompiler } from '../compiler/load-compiler.js'
import type { ResolvedConfig } from '../config/toolgen-config.js'
import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import { sortDiagnostics } from '../diagnostics/sort-diagnostics.js'
import { describeFailure, explained, type Failure } from '../evaluate/describe-failure.js'
import type { EvaluatedModule, EvaluationOptions } from '../evaluate/evaluate-modules.js'
import { evaluateQuickly } from '../evaluate/evaluate-quickly.js'
import { foundAt } from '../evaluate/found-at.js'
import { relativePath } from '../evaluate/relative-path.js'
import { tsconfigDiagnostic, UnreadableTsconfig } from '../evaluate/tsconfig-fault.js'
import { collectDefinitions } from './collect-definitions.js'
import { isDeclarative } from './declarative-module.js'
import type { DesignMemory } from './design-memory.js'
import type { ExportPath, LoadedDesign } from './loaded-design.js'
import { createPlaces } from './places.js'
import { openSourceModules, type SourceModules } from './source-modules.js'
import { findExport, settle } from './syntax-search.js'

/** A design, or why it cannot be evaluated, and what was read for it. */
export interface DesignReading extends Checked<LoadedDesign> {
  /** Every file outside `node_modules` that took part, also where evaluating it failed: absolute. */
  readonly read: readonly string[]
  readonly repeatable: Repeatability
}

/**
 * Whether the design can be evaluated again in this process as if it were the first time: `yes`, since its modules only
 * declare what they export; `no`; or `stale`: not even now, since another design was evaluated before, so that a new
 * process must do it again.
 */
export type Repeatability = 'yes' | 'no' | 'stale'

/**
 * Evaluates the design's modules and collects what they define. Every module that cannot be evaluated is reported; then
 * there is no value.
 *
 * @param memory what earlier runs of this process evaluated. Default: nothing
 */
export async function loadDesign(config: ResolvedConfig, memory?: DesignMemory): Promise<DesignReading> {
  const { root } = config
  const entries = config.design.map((file) => join(root, file))
  const kept = memory?.modules
  const options: EvaluationOptions = {
    root,
    ...(kept !== undefined && { kept }),
    ...(config.tsconfig !== undefined && { tsconfig: join(root, config.tsconfig) }),
  }
  const parsed = memory?.parsed ?? new Map<string, Compiler.SourceFile>()
  kept?.refresh()
  const reused = kept !== undefined && kept.size > 0
  for (const file of parsed.keys()) if (kept?.has(file) !== true) parsed.delete(file)
  const evaluation = await evaluateQuickly(entries, options, parsed)
  const { closure, failures } = evaluation
  const [failure] = failures
  if (failure?.error instanceof UnreadableTsconfig) {
    const diagnostics = [tsconfigDiagnostic(failure.error.fault, root)]
    return { diagnostics, read: closure, repeatable: 'yes' }
  }
  const reports = failures.map(({ file, error }) => describeFailure(error, { root, closure, file }))
  const unread = new Set(reports.flatMap(({ kind, place }) => (kind === 'syntax' ? [join(root, place.file)] : [])))
  const files = closure.map((file) => relativePath(root, file))
  const modules = openSourceModules(loadCompiler().ts, root, files, parsed)
  const repeatable =
    memory !== undefined &&
    files.every((file) => unread.has(join(root, file)) || isDeclarativeIn(modules, join(root, file), file, memory))
  if (!repeatable) kept?.clear()
  const reading = {
    read: closure,
    repeatable: repeatable ? ('yes' as const) : reused ? ('stale' as const) : ('no' as const),
  }
  if (failures.length > 0) return { diagnostics: sortDiagnostics(reports.map(reported)), ...reading }
  const inProject = ({ file, exports }: EvaluatedModule): EvaluatedModule => ({
    file: relativePath(root, file),
    exports,
  })
  const collected = collectDefinitions(evaluation.modules.map(inProject), evaluation.evaluated.map(inProject))
  if (collected.toolsets.length === 0 && collected.agents.length === 0)
    return { diagnostics: [nothing(config)], ...reading }
  const value: LoadedDesign = {
    toolsets: collected.toolsets,
    agents: collected.agents,
    clients: new Map([...collected.clients].map(([client, paths]) => [client, declaringPath(modules, paths)] as const)),
    closure: files,
    places: createPlaces(modules, collected.exported),
  }
  return { value, diagnostics: [], ...reading }
}

function isDeclarativeIn(modules: SourceModules, path: string, file: string, { declarative }: DesignMemory): boolean {
  // What is not there has done nothing.
  if (file.endsWith('.json') || foundAt(path) === undefined) return true
  const source = modules.parse(file)
  if (source === undefined) return false
  const answer = declarative.get(source) ?? isDeclarative(modules.ts, source)
  declarative.set(source, answer)
  return answer
}

/** Of several ways to a client the one through the module that makes it: others may drag the design along. */
function declaringPath(modules: SourceModules, paths: readonly [ExportPath, ...ExportPath[]]): ExportPath {
  if (paths.length === 1) return paths[0]
  return paths.find(({ module, path }) => declaresExport(modules, module, path[0] ?? '')) ?? paths[0]
}

function declaresExport(modules: SourceModules, module: string, name: string): boolean {
  const found = findExport(modules, module, name)
  return found !== undefined && settle(modules, found)?.file === module
}

function reported(failure: Failure): Diagnostic {
  const { message, place, near } = failure
  if (failure.kind === 'syntax') {
    const next = failure.next ?? 'Correct the syntax of the design module.'
    return { code: 'TG2002', severity: 'error', message, place, next }
  }
  if (failure.kind === 'missing import') {
    const next = failure.next ?? 'Correct the import, or install the package.'
    return { code: 'TG2003', severity: 'error', message, place, next, ...(near !== undefined && { near }) }
  }
  const [, said = message, advice] = refusal.exec(message) ?? []
  return {
    code: 'TG2001',
    severity: 'error',
    message: `The design threw while it was evaluated: ${explained({ ...failure, message: said })}`,
    place,
    next: failure.next ?? advice ?? 'Correct the design so that importing its modules works without errors.',
  }
}

/** What the DSL says of a definition that it refuses: where and what is wrong, then what to do. */
const refusal: RegExp = /^((?:define|from|export|service)\w+(?:\("[^"]*"\))?: .*?\.) ([A-Z].*[.?])$/

function nothing(config: ResolvedConfig): Diagnostic {
  return {
    code: 'TG2004',
    severity: 'error',
    message: `The design exports no toolset and no agent; ${config.design.length} modules were read.`,
    place: { file: config.design[0] ?? config.file, line: 1, column: 1 },
    next: 'Export what `defineToolset` and `defineAgent` return.',
  }
}
