import type { DesignIr, ToolsetIr } from '../ir/types.js'
import { anchorOf } from './page/anchor.js'
import { code, type Item, link, type Section } from './page/page.js'
import { agentSection } from './sections/agent-section.js'
import type { Scene } from './sections/scene.js'
import { toolsetSection } from './sections/toolset-section.js'

/** Where the code is to which the catalogue refers. */
export interface CatalogueOptions {
  /** The output folder, relative to the project's root. */
  readonly output: string
  readonly importExtension: string
}

/** Every agent and toolset of a design as one page: agents first, each in the order of the IR. Pure. */
export function catalogueOf(design: DesignIr, { output, importExtension }: CatalogueOptions): Section {
  const scene: Scene = {
    design,
    moduleOf: ({ names }: ToolsetIr) => `./${output}/toolsets/${names.folder}/index${importExtension}`,
  }
  return {
    heading: ['Agents and tools'],
    blocks: [{ kind: 'list', items: contents(design) }],
    sections: [
      ...design.agents.map((agent) => agentSection(agent, scene)),
      ...design.toolsets.map((toolset) => toolsetSection(toolset, scene)),
    ],
  }
}

function contents({ agents, toolsets }: DesignIr): readonly Item[] {
  return [
    ...agents.map(({ name, description }) => ({
      line: ['Agent ', link(anchorOf('agent', name), code(name)), ': ', firstLine(description)],
    })),
    ...toolsets.map(({ name, description, tools }) => ({
      line: ['Toolset ', link(anchorOf('toolset', name), code(name)), ': ', firstLine(description)],
      items: tools.map((tool) => ({
        line: [link(anchorOf('tool', tool.id), code(tool.name)), ': ', firstLine(tool.description)],
      })),
    })),
  ]
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? ''
}
