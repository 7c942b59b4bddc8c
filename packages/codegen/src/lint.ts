import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Diagnostic } from './diagnostics/diagnostic.js'
import type { ProjectedTool, SuppressedDiagnostic } from './lint/lint-design.js'
import { locationsIn, type Vendor, vendors } from './load/config-checks.js'
import { compileProject, type ProjectChoice, rootOf } from './project.js'

/** What {@link lint} can be told. */
export interface LintOptions extends ProjectChoice {
  /** The ids of the rules that are asked for. Default: all. */
  readonly rules?: readonly string[]
  /** Whose forms of the tools are looked at. Default: what the configuration says, else all that are known. */
  readonly vendors?: readonly Vendor[]
}

/** What lint says of a design. */
export interface LintResult {
  /** What was found in the configuration and the design, then one for every finding. */
  readonly diagnostics: readonly Diagnostic[]
  /** The folder to which the diagnostics' places are relative: absolute. */
  readonly root: string
  /** Rule → how many findings are reported; absent where nothing could be looked at. */
  readonly counts?: Readonly<Record<string, number>>
  /** Diagnostics that the design suppresses. */
  readonly suppressed: readonly SuppressedDiagnostic[]
  /** The tools of which the rule of a vendor reports something, as they are sent. */
  readonly projected: readonly ProjectedTool[]
  /** How many warnings the configuration accepts. */
  readonly maxWarnings: number
}

/**
 * Looks at a design for what makes tools hard to use for models: names, descriptions, ids, sizes, what vendors refuse. Writes
 * nothing. An unknown rule is an error among the diagnostics.
 *
 * @example
 * const { diagnostics } = await lint({ cwd: process.cwd(), vendors: ['openai'] })
 */
export async function lint({ rules: only, vendors: asked, ...choice }: LintOptions): Promise<LintResult> {
  const root = rootOf(choice)
  const compiled = await compileProject(choice)
  const stopped = (diagnostics: readonly Diagnostic[]): LintResult => ({
    diagnostics,
    root,
    suppressed: [],
    projected: [],
    maxWarnings: 0,
  })
  if (compiled.value === undefined) return stopped(compiled.diagnostics)
  const { ir, loaded, config } = compiled.value
  const [{ lintDesign }, { unknownRules }, { loadVendorForms }] = await Promise.all([
    import('./lint/lint-design.js'),
    import('./lint/rules.js'),
    import('./tokens/vendor-forms.js'),
  ])
  const unknown = unknownRules(
    only ?? [],
    Object.keys(config.lint.rules ?? {}),
    locationsIn(readFileSync(join(config.root, config.file), 'utf8'), config.file),
  )
  if (unknown.length > 0) return stopped([...compiled.diagnostics, ...unknown])
  const forms = await loadVendorForms(asked ?? config.lint.vendors ?? vendors, root)
  if (forms.value === undefined) return stopped([...compiled.diagnostics, ...forms.diagnostics])
  const report = lintDesign(ir, loaded, {
    levels: config.lint.rules ?? {},
    forms: forms.value,
    ...(only !== undefined && { only }),
  })
  return {
    ...report,
    diagnostics: [...compiled.diagnostics, ...report.diagnostics],
    root,
    maxWarnings: config.lint.maxWarnings ?? 0,
  }
}
