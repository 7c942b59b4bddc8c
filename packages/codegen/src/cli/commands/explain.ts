import { rules } from '../../contracts/rules.js'
import { catalogue } from '../../diagnostics/catalogue.js'
import { type CatalogueEntry, nearest } from '../../diagnostics/diagnostic.js'
import type { Rule as LintRule } from '../../lint/context.js'
import { rules as lintRules } from '../../lint/rules.js'
import { type CommandContext, type CommonOptions, reporterOf } from '../context.js'
import { type ExitCode, exitCodes } from '../format.js'
import { report } from '../report.js'
import type { Style } from '../terminal.js'

/** Prints the long form of a diagnostic, or of a rule: what it means, why it happens, what to do. */
export function runExplain(code: string, options: CommonOptions, { terminal, cwd }: CommandContext): ExitCode {
  const lintRule = lintRules.find((each) => each.id === code || each.code === fullCode(code))
  const wanted = lintRule?.code ?? fullCode(code)
  const entry = new Map(Object.entries(catalogue)).get(wanted)
  const rule = entry === undefined ? explainedRule(code) : undefined
  const found = entry ?? rule
  if (found === undefined) return unknownCode(code, options, { terminal, cwd })
  if (reporterOf(options) === 'json') {
    const ofLint = lintRule === undefined ? {} : { rule: lintRule.id, examples: lintRule.examples }
    const facts = { ...(rule === undefined ? { code: wanted } : { rule: code }), ...ofLint, ...found }
    return report('json', terminal, { command: 'explain', root: cwd, diagnostics: [], facts })
  }
  const style = terminal.outStyle
  terminal.out(
    `${style('bold', `${headOf({ wanted, code, rule, lintRule })}: ${found.title}`)}\n\n${found.cause}\n\n${style('green', 'What to do')}\n${found.fix}\n`,
  )
  if (lintRule !== undefined) terminal.out(examplesOf(lintRule, style))
  return exitCodes.ok
}

function headOf({ wanted, code, rule, lintRule }: ExplainedAs): string {
  if (lintRule !== undefined) return `${wanted} (${lintRule.id})`
  return rule === undefined ? wanted : code
}

interface ExplainedAs {
  readonly wanted: string
  readonly code: string
  readonly rule: CatalogueEntry | undefined
  readonly lintRule: LintRule | undefined
}

function examplesOf({ id, examples }: LintRule, style: Style): string {
  const shown = (text: string): string => text.replace(/^/gm, '    ')
  const silence = `Where it does not count, say why: \`lint: { '${id}': '...' }\` on the tool, the toolset or the agent.`
  return `\n${style('yellow', 'Found')}\n${shown(examples.bad)}\n\n${style('green', 'Not found')}\n${shown(examples.good)}\n\n${silence}\n`
}

/** The long form of a rule by which contracts are compared. */
function explainedRule(id: string): CatalogueEntry | undefined {
  const rule = rules.find((each) => each.id === id)
  if (rule === undefined) return undefined
  const { severity, category, summary, why, next } = rule
  return { title: `it ${summary}`, cause: `A change that is ${severity} (${category}). ${why}`, fix: next }
}

/** `tg5001` and `5001` mean `TG5001`. */
function fullCode(code: string): string {
  return /^\d+$/.test(code) ? `TG${code}` : code.toUpperCase()
}

function unknownCode(
  code: string,
  options: CommonOptions,
  { terminal, cwd }: Pick<CommandContext, 'terminal' | 'cwd'>,
): ExitCode {
  const near = nearest(fullCode(code), [
    ...Object.keys(catalogue),
    ...rules.map(({ id }) => id),
    ...lintRules.map(({ id }) => id),
  ])
  const next =
    near[0] === undefined ? 'Codes are written like TG5001, rules like unplumbed-id.' : `Did you mean \`${near[0]}\`?`
  const message = `There is no diagnostic '${code}'.`
  const diagnostics = [{ code: 'TG0003', severity: 'error' as const, message, next, ...(near.length > 0 && { near }) }]
  return report(reporterOf(options), terminal, { command: 'explain', root: cwd, diagnostics })
}
