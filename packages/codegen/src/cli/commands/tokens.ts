import { defined } from '../../defined.js'
import type { Encoding, Vendor } from '../../load/toolgen-config.js'
import { printable } from '../../text.js'
import type { OfferSize, ToolSize } from '../../tokens/measure.js'
import { tokens } from '../../tokens.js'
import { type CommandContext, type CommonOptions, integerOption } from '../context.js'
import { count, type ExitCode } from '../format.js'
import type { Style } from '../terminal.js'

export interface TokensCommandOptions extends CommonOptions {
  readonly encoding?: Encoding
  readonly as?: Vendor
  readonly perTool?: string
  readonly budget?: string
}

export async function run(options: TokensCommandOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal, project, reporter, report } = context
  const perTool = integerOption('--per-tool', options.perTool)
  const perAgent = integerOption('--budget', options.budget)
  const wrong = [...perTool.diagnostics, ...perAgent.diagnostics]
  if (wrong.length > 0) return report(wrong)
  const chosen = { encoding: options.encoding, as: options.as, perTool: perTool.value, perAgent: perAgent.value }
  const { root, diagnostics, sizes, encoding, as } = await tokens({ ...project, ...defined(chosen) })
  const exitCode = report(diagnostics, { root, ...(sizes !== undefined && { facts: { encoding, as, agents: sizes } }) })
  if (sizes !== undefined && reporter !== 'json') {
    terminal.out(sizes.map((size) => sizeText(size, `${encoding}, as sent to ${as}`, terminal.outStyle)).join('\n'))
  }
  return exitCode
}

function sizeText(
  { name, kind, tokens: all, declarations, instructions, tools }: OfferSize,
  form: string,
  style: Style,
): string {
  const code = tools.length === 0 ? '' : `; ${declarations} as declarations for code mode`
  const rest = instructions === undefined ? '' : `; the instructions have ${count(instructions, 'token')} more`
  const head = `${style('bold', `${kind} ${printable(name)}`)}: ${count(all, 'token')} in ${count(tools.length, 'tool')} (${form})${code}${rest}`
  const rows = tools.map((tool) => [
    String(tool.tokens),
    share(tool.tokens, tools),
    String(tool.description),
    String(tool.schema),
    String(tool.declaration),
    printable(tool.tool),
  ])
  const savings = tools
    .flatMap(({ tool, savings: parts }) =>
      parts.map(({ what, tokens: size }) => ({ size, line: `${printable(what)}, ${printable(tool)}` })),
    )
    .sort((a, b) => b.size - a.size)
    .slice(0, 8)
    .map(({ size, line }) => `  ${String(size).padStart(6)}  ${line}`)
  const shrink = savings.length === 0 ? [] : [style('dim', '  Largest savings:'), ...savings]
  return `${[head, ...(rows.length === 0 ? [] : table(rows, style)), ...shrink].join('\n')}\n`
}

function share(size: number, tools: readonly ToolSize[]): string {
  const all = tools.reduce((sum, tool) => sum + tool.tokens, 0)
  return all === 0 ? '' : `${Math.round((100 * size) / all)}%`
}

const heads: readonly string[] = ['tokens', 'share', 'description', 'schema', 'declaration', 'tool']

function table(rows: readonly (readonly string[])[], style: Style): readonly string[] {
  const last = heads.length - 1
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    `  ${row.map((cell, column) => (column === last ? cell : cell.padStart(widths[column] ?? 0))).join('  ')}`
  return [style('dim', line(heads)), ...rows.map(line)]
}
