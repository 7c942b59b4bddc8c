import { affectedBy, rules } from '../../contracts/rules.js'
import { unknownNameAt } from '../../diagnostics/near-names.js'
import { rules as lintRules, ruleExamples } from '../../lint/lint-design.js'
import { type CatalogueEntry, catalogue } from '../catalogue.js'
import type { CommandContext, CommonOptions } from '../context.js'
import { type ExitCode, exitCodes } from '../format.js'
import type { Style } from '../terminal.js'

export function run(
  { code }: CommonOptions & { readonly code: string },
  { terminal, reporter, report }: CommandContext,
): ExitCode {
  const lintRule = lintRules.find((each) => each.id === code || each.code === fullCode(code))
  const wanted = lintRule?.code ?? fullCode(code)
  const entry = new Map(Object.entries(catalogue)).get(wanted)
  const found = entry ?? explainedRule(code)
  if (found === undefined) {
    const known = [...Object.keys(catalogue), ...rules.map(({ id }) => id), ...lintRules.map(({ id }) => id)]
    const next = 'Use a code such as TG5001 or a rule such as unplumbed-id.'
    return report([
      unknownNameAt(undefined, 'TG0003', `Unknown diagnostic or rule '${code}'.`, fullCode(code), known, next),
    ])
  }
  if (reporter === 'json') {
    const ofLint = lintRule === undefined ? {} : { rule: lintRule.id, examples: ruleExamples(lintRule.id) }
    return report([], { facts: { ...(entry === undefined ? { rule: code } : { code: wanted }), ...ofLint, ...found } })
  }
  const style = terminal.outStyle
  const name = entry === undefined ? code : wanted
  const head = `${name}${lintRule === undefined ? '' : ` (${lintRule.id})`}: ${found.title}`
  terminal.out(`${style('bold', head)}\n\n${found.cause}\n\n${style('green', 'What to do')}\n${found.fix}\n`)
  if (lintRule !== undefined) terminal.out(examplesText(lintRule.id, style))
  return exitCodes.ok
}

function examplesText(id: string, style: Style): string {
  const { bad, good } = ruleExamples(id)
  const shown = (text: string): string => text.replace(/^/gm, '    ')
  const silence = `To suppress a diagnostic of this rule, give a reason: \`lint: { '${id}': '...' }\` on the tool, the toolset or the agent.`
  return `\n${style('yellow', 'Found')}\n${shown(bad)}\n\n${style('green', 'Not found')}\n${shown(good)}\n\n${silence}\n`
}

function explainedRule(id: string): CatalogueEntry | undefined {
  const rule = rules.find((each) => each.id === id)
  if (rule === undefined) return undefined
  const { severity, category, subject, summary, why, next } = rule
  const impact = `Severity: ${severity}. Category: ${category} (${affectedBy[category]}).`
  return { title: `${subject} ${summary}`, cause: `${impact} ${why}`, fix: next }
}

function fullCode(code: string): string {
  return /^\d+$/.test(code) ? `TG${code}` : code.toUpperCase()
}
