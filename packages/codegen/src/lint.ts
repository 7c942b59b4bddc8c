import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Diagnostic } from './diagnostics/diagnostic.js'
import type { ProjectedTool, SuppressedDiagnostic } from './lint/lint-design.js'
import { type Vendor, vendors } from './load/toolgen-config.js'
import { compileProject, type ProjectOptions } from './project.js'

interface LintOptions extends ProjectOptions {
  readonly rules?: readonly string[]
  /** Model vendors whose limits are checked. Default: the vendors in the configuration, or all vendors if the configuration lists no vendors. */
  readonly vendors?: readonly Vendor[]
}

/** Result of {@link lint}: diagnostics, the number of diagnostics for each rule, and suppressed diagnostics. */
export interface LintResult {
  /** Diagnostics of the configuration and the design, followed by the diagnostics of the lint rules. */
  readonly diagnostics: readonly Diagnostic[]
  /** Absolute path of the project folder. Diagnostics contain paths relative to this folder. */
  readonly root: string
  /** Number of diagnostics for each rule id. Absent if an error prevented the check. */
  readonly counts?: Readonly<Record<string, number>>
  /** Diagnostics that {@link lint} does not report, because the property `lint` of a tool, toolset or agent in the design suppresses the rule. */
  readonly suppressed: readonly SuppressedDiagnostic[]
  /** Tools about which a rule of a model vendor reported a diagnostic. `schema` is the schema of the tool in the format of the vendor. */
  readonly projected: readonly ProjectedTool[]
  /** Maximum number of warnings that the configuration allows. More warnings make the command fail. */
  readonly maxWarnings: number
}

/**
 * Reports tools that are hard for models to use, for example because of their names, descriptions or size. Writes no files. Reports an error for an
 * unknown rule id.
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
  const report = lintDesign(ir, loaded, {
    root,
    levels: rules,
    forms: forms.value,
    ...(only !== undefined && { only }),
  })
  return { ...report, diagnostics: [...diagnostics, ...report.diagnostics], root, maxWarnings }
}
