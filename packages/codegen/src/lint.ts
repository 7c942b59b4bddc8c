import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Diagnostic } from './diagnostics/diagnostic.js'
import type { ProjectedTool, SuppressedDiagnostic } from './lint/lint-design.js'
import { type Vendor, vendors } from './load/toolgen-config.js'
import { compileProject, type ProjectOptions } from './project.js'

interface LintOptions extends ProjectOptions {
  /** Ids of the rules to check. Default: all rules. */
  readonly rules?: readonly string[]
  /** Vendors whose limits are checked. Default: the vendors in the configuration, otherwise all vendors. */
  readonly vendors?: readonly Vendor[]
}

/** Result of {@link lint}: diagnostics of the rules, and their number. */
export interface LintResult {
  /** Diagnostics of the configuration and the design, then those of the rules. */
  readonly diagnostics: readonly Diagnostic[]
  /** Absolute path of the folder to which the diagnostics' locations are relative. */
  readonly root: string
  /** Rule id → number of its diagnostics; absent if nothing could be checked. */
  readonly counts?: Readonly<Record<string, number>>
  /** Diagnostics that are not reported, because the property `lint` of a tool, toolset or agent ignores their rule. */
  readonly suppressed: readonly SuppressedDiagnostic[]
  /** Tools that the rules for vendors report, each in the tool format of the rule's vendor. */
  readonly projected: readonly ProjectedTool[]
  /** Maximum number of warnings with which the command succeeds, from the configuration. */
  readonly maxWarnings: number
}

/**
 * Reports parts of a design that are hard for models to use: names, descriptions, ids, sizes, limits of vendors. Writes
 * nothing. An unknown rule is an error.
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
