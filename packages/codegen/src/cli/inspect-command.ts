import { inspect } from '../inspect.js'
import type { AgentIr, DesignIr, ToolsetIr } from '../ir/types.js'
import type { CommandContext } from './command-context.js'
import { type CommonOptions, reporterOf } from './common-options.js'
import { type ExitCode, exitCodes } from './exit-code.js'
import { projectChoice } from './project-choice.js'
import { report } from './report.js'
import { printable, type Style } from './terminal.js'

/** Prints the design as toolgen understands it: the IR as JSON, or a table of toolsets, tools and agents. */
export async function runInspect(options: CommonOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal } = context
  const { root, diagnostics, ir } = await inspect(projectChoice(options, context))
  const kind = reporterOf(options)
  if (ir === undefined) return report(kind, terminal, { command: 'inspect', root, diagnostics })
  // Standard output holds the IR and nothing else.
  report(kind === 'json' ? 'pretty' : kind, terminal, { command: 'inspect', root, diagnostics })
  terminal.out(kind === 'json' ? `${JSON.stringify(ir, null, 2)}\n` : tableOf(ir, terminal.outStyle))
  return exitCodes.ok
}

function tableOf({ toolsets, agents }: DesignIr, style: Style): string {
  return [
    ...toolsets.map((toolset) => toolsetTable(toolset, style)),
    ...agents.map((agent) => agentTable(agent, style)),
  ]
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n')
}

function toolsetTable({ name, namespace, description, tools }: ToolsetIr, style: Style): readonly string[] {
  const rows = tools.map((tool) => [tool.id, tool.wireName, tool.hash, tool.description.split('\n')[0] ?? ''])
  const space = namespace === 'default' ? '' : ` in ${namespace}`
  return [
    `${style('bold', `toolset ${printable(name)}`)}${printable(space)}: ${oneLine(description)}`,
    ...columns(rows),
  ]
}

function agentTable({ name, description, uses, exports }: AgentIr, style: Style): readonly string[] {
  const rows = uses.flatMap((use) =>
    use.tools.map((tool) => [`${use.as}.${tool.tool}`, tool.wireName, `${use.client.path.join('.')}.${tool.method}`]),
  )
  const offers = exports.length === 0 ? [] : [`  offers ${exports.map((offer) => oneLine(offer.toolset)).join(', ')}`]
  return [`${style('bold', `agent ${printable(name)}`)}: ${oneLine(description)}`, ...columns(rows), ...offers]
}

/** Rows with their columns aligned, two spaces between and before them. */
function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const shown = rows.map((row) => row.map(oneLine))
  const widths = (shown[0] ?? []).map((_, column) => Math.max(...shown.map((row) => row[column]?.length ?? 0)))
  return shown.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
}

function oneLine(text: string): string {
  return printable(text.replaceAll('\n', ' '))
}
