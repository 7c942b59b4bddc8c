import type { Checked, Diagnostic } from '../../diagnostics/diagnostic.js'
import { unknownNameAt } from '../../diagnostics/near-names.js'
import { lint } from '../../lint.js'
import { type Vendor, vendors } from '../../load/toolgen-config.js'
import { type CommandContext, type CommonOptions, integerOption, projectOptions, wrongUsage } from '../context.js'
import { count, type ExitCode, namesIn } from '../format.js'
import { reporter } from '../run-command.js'
import type { Style } from '../terminal.js'

/** Options of `toolgen lint`. */
export interface LintCommandOptions extends CommonOptions {
  /** Ids of rules, with commas between. */
  readonly rule?: string
  /** Names of vendors, with commas between. */
  readonly vendor?: string
  readonly maxWarnings?: string
}

/** Reports tools that are hard to use for models; fails if there are more warnings than accepted. */
export async function runLint(options: LintCommandOptions, context: CommandContext): Promise<ExitCode> {
  const report = reporter('lint', options, context)
  const accepted = integerOption('--max-warnings', options.maxWarnings)
  if (accepted.diagnostics.length > 0) return report(accepted.diagnostics)
  const rules = options.rule === undefined ? undefined : namesIn(options.rule)
  if (rules?.length === 0) {
    const next = 'Write `--rule missing-description`, or leave it out to look by all rules.'
    return report([wrongUsage('--rule names no rule.', next)])
  }
  const selected = vendorsIn(options.vendor)
  if (selected.value === undefined) return report(selected.diagnostics)
  const result = await lint({
    ...projectOptions(options, context),
    ...(rules !== undefined && { rules }),
    ...selected.value,
  })
  const { root, diagnostics, counts, suppressed, projected } = result
  return report(diagnostics, {
    root,
    maxWarnings: accepted.value ?? result.maxWarnings,
    ...(counts !== undefined && {
      facts: { counts, suppressed, projected },
      summary: summaryOf(counts, suppressed.length, idleEntries(diagnostics), context.terminal.noteStyle),
    }),
  })
}

/** Returns the number of entries of the design that suppress nothing: they count like diagnostics of rules. */
function idleEntries(diagnostics: readonly Diagnostic[]): number {
  return diagnostics.filter(({ code }) => code === 'TG8390' || code === 'TG8391').length
}

/** @param counts rule → the number of its diagnostics */
function summaryOf(counts: Readonly<Record<string, number>>, suppressed: number, idle: number, style: Style): string {
  const rest = suppressed === 0 ? '' : `; ${suppressed} suppressed`
  const byRule = Object.entries(counts).sort(([, a], [, b]) => b - a)
  const all = byRule.reduce((sum, [, number]) => sum + number, idle)
  if (all === 0) return `${style('green', 'nothing found')}${rest}`
  const parts = byRule.map(([rule, number]) => `${number} ${rule}`)
  if (idle > 0) parts.push(`${idle} in \`lint\` of the design that ${idle === 1 ? 'silences' : 'silence'} nothing`)
  return `${style('yellow', count(all, 'finding'))}: ${parts.join(', ')}${rest}`
}

/** Returns the vendors that `--vendor` names; none if it is absent. */
function vendorsIn(option: string | undefined): Checked<{ readonly vendors?: readonly Vendor[] }> {
  if (option === undefined) return { value: {}, diagnostics: [] }
  const names = namesIn(option)
  const choice = `Take one or more of ${vendors.map((vendor) => `\`${vendor}\``).join(', ')}`
  if (names.length === 0) {
    const next = `${choice}, or leave it out to look by the rules of all.`
    return { diagnostics: [wrongUsage('--vendor names no vendor.', next)] }
  }
  const unknown = names.filter((name) => !vendors.some((vendor) => vendor === name))
  if (unknown.length > 0) {
    return {
      diagnostics: unknown.map((name) => {
        const message = `--vendor names \`${name}\`, which is no vendor that toolgen knows.`
        return unknownNameAt(undefined, 'TG0001', message, name, vendors, `${choice}.`)
      }),
    }
  }
  return { value: { vendors: vendors.filter((vendor) => names.includes(vendor)) }, diagnostics: [] }
}
