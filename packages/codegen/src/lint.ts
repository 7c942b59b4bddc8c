import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Diagnostic } from './diagnostics/diagnostic.js'
import type { ProjectedTool, SuppressedDiagnostic } from './lint/lint-design.js'
import { type Vendor, vendors } from './load/toolgen-config.js'
import { compileProject, type ProjectOptions } from './project.js'

/** Options of {@link lint}. */
interface LintOptions extends ProjectOptions {
  /** The ids of the rules to apply. Default: all. */
  readonly rules?: readonly string[]
  /** The vendors whose forms of the tools are checked. Default: those of the configuration, else all. */
  readonly vendors?: readonly Vendor[]
}

/** The result of {@link lint}. */
export interface LintResult {
  /** The diagnostics of the configuration and the design, then those of the rules. */
  readonly diagnostics: readonly Diagnostic[]
  /** Absolute path of the folder to which the diagnostics' locations are relative. */
  readonly root: string
  /** Rule → the number of its diagnostics; absent if nothing could be checked. */
  readonly counts?: Readonly<Record<string, number>>
  /** Diagnostics that the design suppresses. */
  readonly suppressed: readonly SuppressedDiagnostic[]
  /** The tools with diagnostics of a vendor's rule, as they are sent. */
  readonly projected: readonly ProjectedTool[]
  /** Maximum number of warnings that the configuration accepts. */
  readonly maxWarnings: number
}

/**
 * Looks at a design for what makes tools hard to use for models: names, descriptions, ids, sizes, what vendors refuse. Writes
 * nothing. An unknown rule is an error among the diagnostics.
 *
 * @example
 * const { diagnostics } = await lint({ cwd: process.cwd(), vendors: ['openai'] })
 */
export async function lint({ rules: only, vendors: selected, ...choice }: LintOptions): Promise<LintResult> {
  const { value: project, diagnostics, root } = await compileProject(choice)
  const stopped = (found: readonly Diagnostic[]): LintResult => ({
    diagnostics: [...diagnostics, ...found],
    root,
    suppressed: [],
    projected: [],
    maxWarnings: 0,
  })
  if (project === undefined) return stopped([])
  const { ir, loaded, config } = project
  const { rules = {}, vendors: configured = vendors, maxWarnings = 0 } = config.lint
  const [{ lintDesign, unknownRules }, { loadVendorForms }, { locationsIn }] = await Promise.all([
    import('./lint/lint-design.js'),
    import('./tokens/vendor-forms.js'),
    import('./load/config.js'),
  ])
  const locationOf = locationsIn(readFileSync(join(root, config.file), 'utf8'), config.file)
  const unknown = unknownRules(only ?? [], Object.keys(rules), locationOf)
  if (unknown.length > 0) return stopped(unknown)
  const forms = await loadVendorForms(selected ?? configured, root)
  if (forms.value === undefined) return stopped(forms.diagnostics)
  const report = lintDesign(ir, loaded, { levels: rules, forms: forms.value, ...(only !== undefined && { only }) })
  return { ...report, diagnostics: [...diagnostics, ...report.diagnostics], root, maxWarnings }
}
