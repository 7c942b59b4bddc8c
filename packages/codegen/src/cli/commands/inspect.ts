import { inspect } from '../../inspect.js'
import type { AgentIr, DesignIr, ToolIr, ToolsetIr } from '../../ir/types.js'
import type { UseIr } from '../../ir/uses.js'
import type { ServicePlans, ToolPlan } from '../../services/plan.js'
import { printable } from '../../text.js'
import type { CommandContext, CommonOptions } from '../context.js'
import type { ExitCode } from '../format.js'
import type { Style } from '../terminal.js'

export async function run(_options: CommonOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal, project, reporter, report } = context
  const { root, diagnostics, ir, plans } = await inspect({ ...project, bind: reporter !== 'json' })
  const exitCode = report(diagnostics, { root, ...(ir !== undefined && { facts: { ...ir } }) })
  if (ir !== undefined && reporter !== 'json') terminal.out(tableOf(ir, plans, terminal.outStyle))
  return exitCode
}

function tableOf({ toolsets, agents }: DesignIr, plans: ServicePlans | undefined, style: Style): string {
  return [
    ...toolsets.map((toolset) => toolsetTable(toolset, style)),
    ...agents.map((agent) => agentTable(agent, toolsets, plans, style)),
  ]
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n')
}

function toolsetTable({ name, namespace, description, tools }: ToolsetIr, style: Style): readonly string[] {
  const hasLayers = tools.some(({ defaultLayers }) => defaultLayers !== undefined)
  const hasLabels = tools.some(({ reads, writes }) => reads !== undefined || writes !== undefined)
  const rows = tools.map((tool) => [
    tool.id,
    tool.toolName,
    tool.hash,
    tool.serverOwned.map(({ field, from }) => (field === from ? field : `${field} (${from})`)).join(', ') || '-',
    ...(hasLayers ? [layersOf(tool)] : []),
    ...(hasLabels ? [labelsOf(tool)] : []),
    tool.description.split('\n')[0] ?? '',
  ])
  const more = [...(hasLayers ? ['default layers'] : []), ...(hasLabels ? ['data flow'] : [])]
  const heads = ['tool', 'tool name', 'hash', 'server-owned', ...more, 'description']
  const space = namespace === 'default' ? '' : ` in ${namespace}`
  const title = `${style('bold', `toolset ${printable(name)}`)}${printable(space)}: ${oneLine(description)}`
  return [title, ...columns(heads, rows, style)]
}

/** `?` marks a label that `toolgen import` suggested. */
function labelsOf({ reads = [], writes = [], suggested = [] }: ToolIr): string {
  const marked = (labels: readonly string[], name: 'reads' | 'writes'): readonly string[] =>
    labels.map((label) => (suggested.includes(name) ? `${label}?` : label))
  return [...marked(reads, 'reads'), ...marked(writes, 'writes')].join(', ') || '-'
}

function layersOf({ defaultLayers: { timeoutMs, attempts } = {} }: ToolIr): string {
  const layers = [
    ...(timeoutMs === undefined ? [] : [`${timeoutMs} ms`]),
    ...(attempts === undefined ? [] : [`${attempts} attempts`]),
  ]
  return layers.join(', ') || '-'
}

function agentTable(
  agent: AgentIr,
  toolsets: readonly ToolsetIr[],
  plans: ServicePlans | undefined,
  style: Style,
): readonly string[] {
  const { name, description, uses, exports } = agent
  const rows = uses.flatMap((use) => {
    const declared = toolsets.find((toolset) => toolset.name === use.toolset)?.tools ?? []
    const servers = serversOf(use)
    return use.tools.map(({ tool, toolName }, index) => {
      const ir = declared.find((each) => each.name === tool)
      const needs = needsOf(ir, plans?.[name]?.[use.as]?.[tool])
      return [`${use.as}.${tool}`, toolName, servers[index] ?? '-', needs.join(', ') || '-']
    })
  })
  const offers = exports.length === 0 ? [] : [`  offers ${exports.map((offer) => oneLine(offer.toolset)).join(', ')}`]
  const title = `${style('bold', `agent ${printable(name)}`)}: ${oneLine(description)}`
  return [title, ...columns(['tool', 'tool name', 'served by', 'needs'], rows, style), ...offers]
}

function serversOf(use: UseIr): readonly string[] {
  if (use.provider === 'agent') return use.tools.map(() => `agent ${use.agent}`)
  if (use.provider === 'mcp') return use.tools.map(({ remote }) => `mcp ${remote}`)
  if (use.provider === 'service') return use.tools.map(({ method }) => `${use.client.path.join('.')}.${method}`)
  return use.tools.map(() => (use.provider === 'openapi' ? 'an HTTP API' : 'an executor'))
}

function needsOf(tool: ToolIr | undefined, plan: ToolPlan | undefined): readonly string[] {
  return [
    ...(plan?.payload.verdict === 'mapper' ? ['payload mapper'] : []),
    ...(plan?.stream?.update.verdict === 'mapper' ? ['update mapper'] : []),
    ...(plan?.result.verdict === 'mapper' ? ['result mapper'] : []),
    ...(tool?.needsCheck === true ? ['check'] : []),
  ]
}

function columns(heads: readonly string[], rows: readonly (readonly string[])[], style: Style): readonly string[] {
  if (rows.length === 0) return []
  const shown = [heads, ...rows].map((row) => row.map(oneLine))
  const widths = heads.map((_, column) => Math.max(...shown.map((row) => row[column]?.length ?? 0)))
  return shown.map((row, index) => {
    const line = `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd()
    return index === 0 ? style('dim', line) : line
  })
}

function oneLine(text: string): string {
  return printable(text.replaceAll('\n', ' '))
}
