import { type Checked, type Diagnostic, nearest } from '../../diagnostics/diagnostic.js'
import { lint } from '../../lint.js'
import { type Vendor, vendors } from '../../load/config-checks.js'
import { type CommandContext, type CommonOptions, projectChoice, reporterOf, wholeNumber } from '../context.js'
import { count, type ExitCode, namesIn } from '../format.js'
import { report } from '../report.js'
import type { Style } from '../terminal.js'

/** What `toolgen lint` can be told. */
export interface LintCommandOptions extends CommonOptions {
  /** Ids of rules, with commas between. */
  readonly rule?: string
  /** Names of vendors, with commas between. */
  readonly vendor?: string
  readonly maxWarnings?: string
}

/** Tells what makes the tools of the design hard to use for models; fails where there is more than is accepted. */
export async function runLint(options: LintCommandOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal, cwd } = context
  const kind = reporterOf(options)
  const accepted = wholeNumber('--max-warnings', options.maxWarnings)
  if (accepted.diagnostics.length > 0) {
    return report(kind, terminal, { command: 'lint', root: cwd, diagnostics: accepted.diagnostics })
  }
  const rules = options.rule === undefined ? undefined : namesIn(options.rule)
  if (rules?.length === 0) return report(kind, terminal, { command: 'lint', root: cwd, diagnostics: [noRule] })
  const asked = vendorsIn(options.vendor)
  if (asked.value === undefined) {
    return report(kind, terminal, { command: 'lint', root: cwd, diagnostics: asked.diagnostics })
  }
  const result = await lint({
    ...projectChoice(options, context),
    ...(rules !== undefined && { rules }),
    ...asked.value,
  })
  const { root, diagnostics, counts, suppressed, projected } = result
  return report(kind, terminal, {
    command: 'lint',
    root,
    diagnostics,
    notes: options.verbose === true ? 'full' : 'counted',
    maxWarnings: accepted.value ?? result.maxWarnings,
    ...(counts !== undefined && {
      facts: { counts, suppressed, projected },
      summary: summaryOf({ counts, suppressed: suppressed.length, idle: idleEntries(diagnostics) }, terminal.noteStyle),
    }),
  })
}

const noRule: Diagnostic = {
  code: 'TG0001',
  severity: 'error',
  message: '--rule names no rule.',
  next: 'Write `--rule missing-description`, or leave it out to look by all rules.',
}

/** The entries of the design that silence nothing: they count like findings of rules. */
function idleEntries(diagnostics: readonly Diagnostic[]): number {
  return diagnostics.filter(({ code }) => code === 'TG8390' || code === 'TG8391').length
}

interface LintFigures {
  /** Rule → how many findings are reported. */
  readonly counts: Readonly<Record<string, number>>
  readonly suppressed: number
  readonly idle: number
}

function summaryOf({ counts, suppressed, idle }: LintFigures, style: Style): string {
  const rest = suppressed === 0 ? '' : `; ${suppressed} suppressed`
  const byRule = Object.entries(counts).sort(([, a], [, b]) => b - a)
  const all = byRule.reduce((sum, [, number]) => sum + number, idle)
  if (all === 0) return `${style('green', 'nothing found')}${rest}`
  const parts = byRule.map(([rule, number]) => `${number} ${rule}`)
  if (idle > 0) parts.push(`${idle} in \`lint\` of the design that ${idle === 1 ? 'silences' : 'silence'} nothing`)
  return `${style('yellow', count(all, 'finding'))}: ${parts.join(', ')}${rest}`
}

/** The vendors that `--vendor` names; none are said where it is not given. */
function vendorsIn(option: string | undefined): Checked<{ readonly vendors?: readonly Vendor[] }> {
  if (option === undefined) return { value: {}, diagnostics: [] }
  const names = namesIn(option)
  if (names.length === 0) return { diagnostics: [noVendor] }
  const unknown = names.filter((name) => !vendors.some((vendor) => vendor === name))
  if (unknown.length > 0) return { diagnostics: unknown.map(unknownVendor) }
  return { value: { vendors: vendors.filter((vendor) => names.includes(vendor)) }, diagnostics: [] }
}

const all = vendors.map((vendor) => `\`${vendor}\``).join(', ')

const noVendor: Diagnostic = {
  code: 'TG0001',
  severity: 'error',
  message: '--vendor names no vendor.',
  next: `Take one or more of ${all}, or leave it out to look by the rules of all.`,
}

function unknownVendor(name: string): Diagnostic {
  const near = nearest(name, vendors)
  return {
    code: 'TG0001',
    severity: 'error',
    message: `--vendor names \`${name}\`, which is no vendor that toolgen knows.`,
    next: near[0] === undefined ? `Take one or more of ${all}.` : `Did you mean \`${near[0]}\`?`,
    ...(near.length > 0 && { near }),
  }
}
