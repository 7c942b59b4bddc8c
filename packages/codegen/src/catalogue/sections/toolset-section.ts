import type { ToolsetIr } from '../../ir/types.js'
import { rootRows } from '../fields/field-rows.js'
import { fieldTable } from '../fields/field-table.js'
import { definitionShape, type TypeContext, typeWords } from '../fields/type-words.js'
import { anchorOf } from '../page/anchor.js'
import { type Block, code, joined, type Line, link, type Section, table } from '../page/page.js'
import { exportersOf, type Scene, typeContext } from './scene.js'
import { toolSection } from './tool-section.js'

/** A toolset with its tools in the order of the design, and the types that they share. */
export function toolsetSection(toolset: ToolsetIr, scene: Scene): Section {
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
          [code(tool.wireName)],
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
