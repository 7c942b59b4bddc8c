import type { AgentIr, DesignIr, ExportedToolIr, ToolsetIr } from '../ir/types.js'
import { fieldTable, rootRows } from './fields.js'
import { anchorOf, type Block, code, type Item, joined, type Line, link, type Section, table } from './page.js'
import { exportersOf, type Scene, serverOf, toolSection, toolsetNamed, typeContext } from './tool-section.js'
import { definitionShape, jsonCode, type TypeContext, typeWords } from './type-text.js'

/** Links of the catalogue to the code. */
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

/** An agent: what it is told, how far it may go, what it may call and what it offers. */
function agentSection(agent: AgentIr, scene: Scene): Section {
  const { name, description, instructions, policy } = agent
  const subsection = (heading: string, blocks: readonly Block[]): readonly Section[] =>
    blocks.length === 0 ? [] : [{ heading: [heading], blocks, sections: [] }]
  return {
    anchor: anchorOf('agent', name),
    heading: ['Agent ', code(name)],
    blocks: [{ kind: 'prose', text: description }],
    sections: [
      ...subsection('Instructions', instructions === undefined ? [] : [{ kind: 'quote', text: instructions }]),
      ...subsection(
        'Run policy',
        table(
          ['Limit', 'Value'],
          Object.entries(policy ?? {}).map(([limit, value]) => [[code(limit)], [jsonCode(value)]]),
        ),
      ),
      ...subsection('Tools that it may call', usedTools(agent, scene)),
      ...subsection('What it offers', offers(agent, scene)),
    ],
  }
}

function usedTools({ uses }: AgentIr, { design }: Scene): readonly Block[] {
  const rows = uses.flatMap((use) => {
    const declared = toolsetNamed(design, use.toolset).tools
    const toolset: Line = [link(anchorOf('toolset', use.toolset), code(use.toolset))]
    const name: Line = use.as === use.toolset ? toolset : [...toolset, ' as ', code(use.as)]
    return use.tools.map((used, index) => {
      const tool = declared.find((each) => each.name === used.tool)
      const id = tool?.id ?? used.tool
      return [name, [link(anchorOf('tool', id), code(used.tool))], [code(used.toolName)], serverOf(use, index)]
    })
  })
  return table(['Toolset', 'Tool', 'Name for models', 'Served by'], rows)
}

function offers({ exports }: AgentIr, { design }: Scene): readonly Block[] {
  return exports.flatMap((offer): readonly Block[] => {
    const toolset = toolsetNamed(design, offer.toolset)
    const said = toolset.tools.map((tool) => {
      const told = offer.tools.find((each) => each.tool === tool.name)
      return [[link(anchorOf('tool', tool.id), code(tool.name))], firstMessage(told), systemPrompt(told)]
    })
    const rows = table(['Tool', 'First message of the run', 'System prompt'], said)
    return [
      {
        kind: 'line',
        line: [
          'The toolset ',
          link(anchorOf('toolset', toolset.name), code(toolset.name)),
          ': each call is a run of the agent.',
        ],
      },
      ...rows,
    ]
  })
}

function firstMessage(told: ExportedToolIr | undefined): Line {
  const text = told?.template ?? told?.text
  return text === undefined ? ['its description and the arguments as JSON'] : [code(text)]
}

function systemPrompt(told: ExportedToolIr | undefined): Line {
  return told?.systemPrompt === undefined ? [] : [told.systemPrompt]
}

/** A toolset with its tools in the order of the design, and the types that they share. */
function toolsetSection(toolset: ToolsetIr, scene: Scene): Section {
  const { name, description, namespace, tools } = toolset
  return {
    anchor: anchorOf('toolset', name),
    heading: ['Toolset ', code(name)],
    blocks: [
      { kind: 'prose', text: description },
      ...(namespace === 'default' ? [] : [line(['It belongs to the namespace ', code(namespace), '.'])]),
      ...servedBy(toolset),
      ...offeredBy(toolset, scene),
      ...table(
        ['Tool', 'Name for models', 'Description'],
        tools.map((tool) => [
          [link(anchorOf('tool', tool.id), code(tool.name))],
          [code(tool.toolName)],
          [tool.description.trim().split('\n')[0] ?? ''],
        ]),
      ),
    ],
    sections: [
      ...tools.map((tool) => toolSection(tool, toolset, scene)),
      ...typeSections(toolset, typeContext(toolset)),
    ],
  }
}

function servedBy({ mcp }: ToolsetIr): readonly Block[] {
  if (mcp === undefined) return []
  const { server, unused } = mcp
  const version = server === undefined ? [] : [' ', code(`${server.name} ${server.version}`)]
  const left: Line =
    unused.length === 0
      ? []
      : [
          ' Tools that it leaves out: ',
          ...joined(
            unused.map((name) => [code(name)]),
            ', ',
          ),
          '.',
        ]
  return [line(['An MCP server', ...version, ' serves it.', ...left])]
}

function offeredBy({ name }: ToolsetIr, { design }: Scene): readonly Block[] {
  const agents = exportersOf(design, name)
  if (agents.length === 0) return []
  const links = agents.map((agent) => [link(anchorOf('agent', agent.name), agent.name)])
  return [
    line([
      agents.length === 1 ? 'It is offered by the agent ' : 'It is offered by the agents ',
      ...joined(links, ', '),
      '.',
    ]),
  ]
}

/** The definitions with fields: each is told once, and wherever it is used is a link to it. */
function typeSections({ defs }: ToolsetIr, context: TypeContext): readonly Section[] {
  return [...context.anchors].map(([name, anchor]) => {
    const shape = definitionShape(name, defs)
    const { description } = shape.schema
    const fields = fieldTable(rootRows(shape, context), 'Field')
    return {
      anchor,
      heading: ['Type ', code(name)],
      blocks: [
        ...(typeof description === 'string' ? [{ kind: 'prose' as const, text: description }] : []),
        ...(shape.kind === 'object' && fields.length > 0 ? [] : [line(typeWords(shape, context))]),
        ...fields,
      ],
      sections: [],
    }
  })
}

function line(words: Line): Block {
  return { kind: 'line', line: words }
}
