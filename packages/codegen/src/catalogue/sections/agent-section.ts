import type { AgentIr, ExportedToolIr } from '../../ir/types.js'
import { jsonCode } from '../fields/type-words.js'
import { anchorOf } from '../page/anchor.js'
import { type Block, code, type Line, link, type Section, table } from '../page/page.js'
import { type Scene, toolsetNamed } from './scene.js'
import { serverOf } from './tool-uses.js'

/** An agent: what it is told, how far it may go, what it may call and what it offers. */
export function agentSection(agent: AgentIr, scene: Scene): Section {
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
      return [name, [link(anchorOf('tool', id), code(used.tool))], [code(used.wireName)], serverOf(use, index)]
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
