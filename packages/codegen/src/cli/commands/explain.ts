import { rules } from '../../contracts/rules.js'
import { unknownNameAt } from '../../diagnostics/near-names.js'
import { rules as lintRules, ruleExamples } from '../../lint/lint-design.js'
import { type CatalogueEntry, catalogue } from '../catalogue.js'
import { type CommandContext, type CommonOptions, reporterOf } from '../context.js'
import { type ExitCode, exitCodes } from '../format.js'
import { reporter } from '../run-command.js'
import type { Style } from '../terminal.js'

/** Prints the long form of a diagnostic or of a rule. */
export function runExplain(code: string, options: CommonOptions, { terminal, cwd }: CommandContext): ExitCode {
  const lintRule = lintRules.find((each) => each.id === code || each.code === fullCode(code))
  const wanted = lintRule?.code ?? fullCode(code)
  const entry = new Map(Object.entries(catalogue)).get(wanted)
  const rule = entry === undefined ? explainedRule(code) : undefined
  const found = entry ?? rule
  const report = reporter('explain', options, { terminal, cwd })
  if (found === undefined) {
    const known = [...Object.keys(catalogue), ...rules.map(({ id }) => id), ...lintRules.map(({ id }) => id)]
    const next = 'Codes are written like TG5001, rules like unplumbed-id.'
    return report([
      unknownNameAt(undefined, 'TG0003', `There is no diagnostic '${code}'.`, fullCode(code), known, next),
    ])
  }
  if (reporterOf(options) === 'json') {
    const ofLint = lintRule === undefined ? {} : { rule: lintRule.id, examples: ruleExamples(lintRule.id) }
    const facts = { ...(rule === undefined ? { code: wanted } : { rule: code }), ...ofLint, ...found }
    return report([], { facts })
  }
  const style = terminal.outStyle
  const head = lintRule !== undefined ? `${wanted} (${lintRule.id})` : rule === undefined ? wanted : code
  terminal.out(
    `${style('bold', `${head}: ${found.title}`)}\n\n${found.cause}\n\n${style('green', 'What to do')}\n${found.fix}\n`,
  )
  if (lintRule !== undefined) terminal.out(examplesText(lintRule.id, style))
  return exitCodes.ok
}

function examplesText(id: string, style: Style): string {
  const { bad, good } = ruleExamples(id)
  const shown = (text: string): string => text.replace(/^/gm, '    ')
  const silence = `Where it does not count, say why: \`lint: { '${id}': '...' }\` on the tool, the toolset or the agent.`
  return `\n${style('yellow', 'Found')}\n${shown(bad)}\n\n${style('green', 'Not found')}\n${shown(good)}\n\n${silence}\n`
}

/** Returns the long form of a rule of `toolgen diff`. */
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
