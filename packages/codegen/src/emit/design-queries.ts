import { cachedBy } from '../defined.js'
import type { FailureNames } from '../ir/identifiers.js'
import type { AgentIr, DesignIr, ExportIr, FailureIr, MetaPath, ToolIr, ToolsetIr } from '../ir/types.js'
import type { AgentUseIr, UseIr } from '../ir/uses.js'
import { shapeOf } from '../schema/read-shape.js'
import { byCodePoint, propertyNameText, stringText } from '../text.js'
import type { GeneratedFile } from './generated-file.js'
import { isInheritedName } from './layout.js'

export function toolsetOf(design: DesignIr, name: string): ToolsetIr {
  const toolset = design.toolsets.find((candidate) => candidate.name === name)
  // The rules of designs ensure that the toolset exists.
  if (toolset === undefined) throw new Error(`The design has no toolset '${name}'.`)
  return toolset
}

const toolsOf = cachedBy(({ tools }: ToolsetIr) => new Map(tools.map((tool) => [tool.name, tool])))

export function toolOf(toolset: ToolsetIr, name: string): ToolIr {
  const tool = toolsOf(toolset).get(name)
  if (tool === undefined) throw new Error(`The toolset '${toolset.name}' has no tool '${name}'.`)
  return tool
}

export function usedTools(design: DesignIr, use: Pick<UseIr, 'toolset' | 'tools'>): readonly ToolIr[] {
  const toolset = toolsetOf(design, use.toolset)
  return use.tools.map(({ tool }) => toolOf(toolset, tool))
}

export function exportOf(design: DesignIr, use: AgentUseIr): ExportIr & { readonly agent: AgentIr } {
  const agent = design.agents.find(({ name }) => name === use.agent)
  const exported = agent?.exports.find(({ toolset }) => toolset === use.toolset)
  if (agent === undefined || exported === undefined)
    throw new Error(`The agent '${use.agent}' does not export '${use.toolset}'.`)
  return { ...exported, agent }
}

const filledByRuns: ReadonlySet<MetaPath> = new Set(['runId', 'toolCallId', 'parentToolCallId', 'idempotencyKey'])

/** Ignores tools that the application adds to an agent, because the runtime checks the fields of these tools. */
export function nestedNeeds(design: DesignIr, toolset: string): readonly MetaPath[] {
  const found = new Set<MetaPath>()
  const seen = new Set<string>()
  const visit = (exported: string): void => {
    if (seen.has(exported)) return
    seen.add(exported)
    for (const agent of design.agents) {
      if (agent.exports.every((offer) => offer.toolset !== exported)) continue
      for (const use of agent.uses) {
        for (const { serverOwned } of usedTools(design, use)) for (const { from } of serverOwned) found.add(from)
        if (use.provider === 'agent') visit(use.toolset)
      }
    }
  }
  visit(toolset)
  return [...found].filter((field) => !filledByRuns.has(field)).sort(byCodePoint)
}

export function needsApproval(use: UseIr, design: DesignIr): boolean {
  return usedTools(design, use).some(({ confirmation }) => confirmation !== undefined)
}

export function toolsetModule({ names }: ToolsetIr, file: string): { readonly generated: string } {
  return { generated: `toolsets/${names.folder}/${file}` }
}

export function acceptsNoArguments(tool: ToolIr, toolset: ToolsetIr): boolean {
  const shape = shapeOf(tool.arguments, toolset.defs)
  if (shape.kind !== 'object') return false
  // The type of `{}` has the property `toString`, which is not assignable to an optional field with that name.
  if (shape.fields.some((field) => isInheritedName(field.name))) return false
  return shape.fields.every((field) => !field.required || field.default !== undefined)
}

/** The type has no server-owned fields, because the runtime adds these fields after decoding. */
export function decodedType(tool: ToolIr, types: string, file: GeneratedFile): string {
  const payload = `${types}.${tool.names.payload}`
  if (tool.serverOwned.length === 0) return payload
  return `${file.type('Unfilled')}<${payload}, ${literalUnion(tool.serverOwned.map(({ field }) => field))}>`
}

export function failuresOf({ tools }: ToolsetIr): readonly FailureIr[] {
  const byName = new Map(tools.flatMap(({ failures = [] }) => failures.map((failure) => [failure.name, failure])))
  return [...byName.values()]
}

export function failureNames({ names, name }: ToolsetIr, failure: string): FailureNames {
  const found = names.failures?.[failure]
  if (found === undefined) throw new Error(`The failure '${failure}' of toolset '${name}' has no name.`)
  return found
}

export function needsType(tool: ToolIr, nested: readonly MetaPath[]): string {
  return literalUnion([...tool.serverOwned.map(({ from }) => from), ...nested]) || 'never'
}

function literalUnion(texts: readonly string[]): string {
  return [...new Set(texts)].sort(byCodePoint).map(stringText).join(' | ')
}

/** Only a tool whose original schema checks more than JSON Schema can express needs a check. */
export function checkMembers(tools: readonly ToolIr[], file: GeneratedFile): readonly string[] {
  return tools
    .filter(({ needsCheck }) => needsCheck)
    .map(({ name }) => `readonly ${propertyNameText(name)}: ${file.type('StandardCheck')}`)
}
