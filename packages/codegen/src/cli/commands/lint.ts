import { defined } from '../../defined.js'
import type { Diagnostic } from '../../diagnostics/diagnostic.js'
import { unknownNameAt } from '../../diagnostics/near-names.js'
import { lint } from '../../lint.js'
import { vendors } from '../../load/toolgen-config.js'
import { type CommandContext, type CommonOptions, integerOption, wrongUsage } from '../context.js'
import { count, type ExitCode, namesIn } from '../format.js'
import type { Style } from '../terminal.js'

export interface LintCommandOptions extends CommonOptions {
  readonly rule?: string
  readonly vendor?: string
  readonly maxWarnings?: string
}

export async function run(options: LintCommandOptions, context: CommandContext): Promise<ExitCode> {
  const { project, terminal, report } = context
  const accepted = integerOption('--max-warnings', options.maxWarnings)
  if (accepted.diagnostics.length > 0) return report(accepted.diagnostics)
  const rules = options.rule === undefined ? undefined : namesIn(options.rule)
  if (rules?.length === 0) {
    const next = 'Write `--rule missing-description`, or omit --rule to check all rules.'
    return report([wrongUsage('--rule is empty.', next)])
  }
  const names = options.vendor === undefined ? undefined : namesIn(options.vendor)
  const wrong = wrongVendors(names)
  if (wrong.length > 0) return report(wrong)
  const selected = names && vendors.filter((vendor) => names.includes(vendor))
  const result = await lint({ ...project, ...defined({ rules, vendors: selected }) })
  const { root, diagnostics, counts, suppressed, projected } = result
  return report(diagnostics, {
    root,
    maxWarnings: accepted.value ?? result.maxWarnings,
    ...(counts !== undefined && {
      facts: { counts, suppressed, projected },
      summary: summaryOf(counts, suppressed.length, idleEntries(diagnostics), terminal.noteStyle),
    }),
  })
}

function idleEntries(diagnostics: readonly Diagnostic[]): number {
  return diagnostics.filter(({ code }) => code === 'TG8390' || code === 'TG8391').length
}

function summaryOf(counts: Readonly<Record<string, number>>, suppressed: number, idle: number, style: Style): string {
  const rest = suppressed === 0 ? '' : `; ${suppressed} suppressed`
  const byRule = Object.entries(counts).sort(([, a], [, b]) => b - a)
  const all = byRule.reduce((sum, [, number]) => sum + number, idle)
  if (all === 0) return `${style('green', 'nothing found')}${rest}`
  const parts = byRule.map(([rule, number]) => `${number} ${rule}`)
  if (idle > 0) parts.push(`${idle} unused \`lint\` ${idle === 1 ? 'entry' : 'entries'} of the design`)
  return `${style('yellow', count(all, 'finding'))}: ${parts.join(', ')}${rest}`
}

function wrongVendors(names: readonly string[] | undefined): readonly Diagnostic[] {
  const choice = `Use one or more of ${vendors.map((vendor) => `\`${vendor}\``).join(', ')}`
  if (names?.length === 0) {
    return [wrongUsage('--vendor is empty.', `${choice}, or omit --vendor to check all vendors.`)]
  }
  const unknown = (names ?? []).filter((name) => !vendors.some((vendor) => vendor === name))
  return unknown.map((name) => {
    const message = `Unknown vendor \`${name}\` in --vendor.`
    return unknownNameAt(undefined, 'TG0001', message, name, vendors, `${choice}.`)
  })
}
