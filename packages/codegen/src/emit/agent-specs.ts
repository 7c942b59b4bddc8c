import type { AgentIr, DesignIr, ExportIr, Json, ToolsetIr, UseIr } from '../ir/types.js'
import { docComment } from '../text/doc-comment.js'
import { keyText, literalText } from '../text/literal.js'
import { toolsetOf } from './design-parts.js'
import { header } from './header.js'
import { type ImportingFile, type ImportSet, importSet, runtimeModule } from './import-set.js'
import { block } from './schema-text.js'

/** What `agent-specs.hbs` shows. */
export interface AgentSpecsView {
  readonly header: string
  readonly imports: string
  readonly agent: { readonly comment: string; readonly name: string; readonly type: string; readonly entries: string }
  /** Its uses, then its exports. */
  readonly constants: readonly {
    readonly comment: string
    readonly name: string
    readonly type: string
    readonly entries: string
  }[]
  readonly specType: string
  readonly usedSpecs: string
  readonly offeredSpecs: string
  /** The names of the exported toolsets' descriptors. */
  readonly offered: string
  /** The names of the uses. */
  readonly used: string
}

/** The descriptor of an agent, its uses and exports, and the specs that it may call and that it offers. */
export function agentSpecsView(agent: AgentIr, design: DesignIr, file: ImportingFile): AgentSpecsView {
  const imports = importSet(file)
  const uses = agent.uses.map((use) => {
    const toolset = toolsetOf(design, use.toolset)
    return {
      comment: docComment(`How \`${agent.name}\` uses the toolset \`${toolset.name}\`.`, 0),
      name: use.names.use,
      type: imports.type(runtimeModule, 'ToolsetUse'),
      entries: block(useEntries(use, toolset, imports), 0),
    }
  })
  const exported = agent.exports.map((offer) => ({
    comment: docComment(`How \`${agent.name}\` serves the toolset \`${offer.toolset}\`.`, 0),
    name: offer.names.export,
    type: imports.type(runtimeModule, 'ToolsetExport'),
    entries: block(exportEntries(offer, agent, toolsetOf(design, offer.toolset), imports), 0),
  }))
  const offered = agent.exports.map((offer) => toolsetConstant(toolsetOf(design, offer.toolset), imports))
  return {
    agent: {
      comment: docComment(agent.description, 0),
      name: agent.names.descriptor,
      type: imports.type(runtimeModule, 'AgentDescriptor'),
      entries: block(agentEntries(agent), 0),
    },
    constants: [...uses, ...exported],
    specType: imports.type(runtimeModule, 'AgentToolSpec'),
    usedSpecs: imports.value(runtimeModule, 'usedSpecs'),
    offeredSpecs: imports.value(runtimeModule, 'offeredSpecs'),
    used: listText(agent.uses.map((use) => use.names.use)),
    offered: listText(offered),
    header: header(agent.place),
    imports: imports.text(),
  }
}

function agentEntries(agent: AgentIr): readonly string[] {
  return [
    entry('name', agent.name),
    entry('description', agent.description),
    ...(agent.instructions === undefined ? [] : [entry('instructions', agent.instructions)]),
    ...(agent.policy === undefined ? [] : [entry('policy', agent.policy)]),
  ]
}

function useEntries(use: UseIr, toolset: ToolsetIr, imports: ImportSet): readonly string[] {
  const selected = new Map(use.tools.map((tool) => [tool.tool, tool.wireName] as const))
  const plain = toolset.tools.every((tool) => selected.get(tool.name) === tool.wireName)
  const wireNames = [...selected].map(([tool, wireName]) => entry(tool, wireName, 4))
  return [
    `toolset: ${toolsetConstant(toolset, imports)}`,
    ...(use.as === use.toolset ? [] : [entry('as', use.as)]),
    // A request that generated code sends is served as a client of the application would serve it.
    entry('provider', use.provider === 'openapi' ? 'service' : use.provider),
    ...(plain ? [] : [`wireNames: ${block(wireNames, 2)}`]),
  ]
}

function exportEntries(offer: ExportIr, agent: AgentIr, toolset: ToolsetIr, imports: ImportSet): readonly string[] {
  const tools = offer.tools.map(({ tool, ...said }) => entry(tool, said, 4))
  return [
    `toolset: ${toolsetConstant(toolset, imports)}`,
    `agent: ${agent.names.descriptor}`,
    ...(tools.length === 0 ? [] : [`tools: ${block(tools, 2)}`]),
  ]
}

function toolsetConstant(toolset: ToolsetIr, imports: ImportSet): string {
  return imports.value({ generated: `toolsets/${toolset.names.folder}/index` }, toolset.names.toolset)
}

function listText(items: readonly string[]): string {
  const flat = `[${items.join(', ')}]`
  return flat.length <= 90 ? flat : `[\n${items.map((item) => `    ${item},\n`).join('')}  ]`
}

function entry(key: string, value: Json, indent = 2): string {
  const start = `${keyText(key)}: `
  return `${start}${literalText(value, { indent, used: indent + start.length + 1 })}`
}
