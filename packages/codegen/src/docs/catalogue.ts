import type { MaxResult } from '@toolgen/dsl'
import { contentHash } from '../files.js'
import type { AgentIr, DesignIr, ExportIr, Json, Schema, ToolIr, ToolsetIr } from '../ir/types.js'
import type { UseIr } from '../ir/uses.js'
import { closedSchema } from '../schema/definitions.js'
import { resolveShape, shapeOf } from '../schema/read-shape.js'
import type { Shape } from '../schema/shape.js'
import { typedValue } from '../schema/shape-parts.js'
import { type LiteralValue, literalText, stringText } from '../text.js'
import {
  anchorOf,
  type Block,
  code,
  htmlPage,
  joined,
  jsonCode,
  type Line,
  link,
  markdownPage,
  type Section,
  table,
} from './page.js'
import { argumentBlocks, definitionBlocks, resultBlocks, typeContext } from './types.js'

export type PageFormat = 'markdown' | 'html'

interface CatalogueOptions {
  /** Relative to the project folder. */
  readonly output: string
  readonly importExtension: string
}

/** The first line contains the command and a hash of all other lines, with which {@link pageState} detects manual changes. */
export function catalogueText(design: DesignIr, options: CatalogueOptions, format: PageFormat): string {
  const { agents, toolsets } = design
  const items = [
    ...agents.map(({ name, description }) => ({
      line: ['Agent ', link('agent', name), `: ${firstLine(description)}`],
    })),
    ...toolsets.map(({ name, description, tools }) => ({
      line: ['Toolset ', link('toolset', name), `: ${firstLine(description)}`],
      nested: tools.map((tool) => [toolLink(tool), `: ${firstLine(tool.description)}`]),
    })),
  ]
  const page: Section = {
    heading: ['Agents and tools'],
    blocks: [{ kind: 'list', items }],
    sections: [
      ...agents.map((agent) => agentSection(agent, design)),
      ...toolsets.map((toolset) => toolsetSection(toolset, design, options)),
    ],
  }
  const [start, body] = format === 'html' ? [doctype, htmlPage(page)] : ['', `\n${markdownPage(page)}`]
  const head = `<!-- Written by \`toolgen docs\`, ${bodyHash(body)}. Do not edit; change the design and run it again. -->`
  return `${start}${head}\n${body}`
}

const doctype = '<!doctype html>\n'
const mark = /^(<!doctype html>\n)?<!-- Written by `toolgen docs`, ([0-9a-f]{16})\. [^\n]* -->\n/

export function pageState(text: string): 'own' | 'edited' | 'foreign' {
  const lines = text.replaceAll('\r\n', '\n')
  const [head, , hash] = mark.exec(lines) ?? []
  if (head === undefined) return 'foreign'
  return bodyHash(lines.slice(head.length)) === hash ? 'own' : 'edited'
}

function bodyHash(body: string): string {
  return contentHash(body).slice(0, 16)
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? ''
}

function line(...pieces: Line): Block {
  return { kind: 'line', line: pieces }
}

function codes(texts: readonly string[]): Line {
  return joined(
    texts.map((text) => [code(text)]),
    ', ',
  )
}

function toolLink({ id, name }: ToolIr): Line[number] {
  return link('tool', id, name)
}

function agentLink(name: string): Line[number] {
  return { text: name, to: anchorOf('agent', name) }
}

function subsection(heading: string, blocks: readonly Block[]): readonly Section[] {
  return blocks.length === 0 ? [] : [{ heading: [heading], blocks }]
}

function agentSection({ name, description, instructions, policy, uses, exports }: AgentIr, design: DesignIr): Section {
  const limits = Object.entries(policy ?? {}).map(([limit, value]) => [[code(limit)], [jsonCode(value)]])
  const calls = uses.flatMap((use) => {
    const toolset: Line = [link('toolset', use.toolset), ...(use.as === use.toolset ? [] : [' as ', code(use.as)])]
    return use.tools.map(({ tool, toolName }, index) => [
      toolset,
      [link('tool', `${use.toolset}.${tool}`, tool)],
      [code(toolName)],
      providerWords(use, index),
    ])
  })
  return {
    anchor: anchorOf('agent', name),
    heading: ['Agent ', code(name)],
    blocks: [{ kind: 'prose', text: description }],
    sections: [
      ...subsection('Instructions', instructions === undefined ? [] : [{ kind: 'quote', text: instructions }]),
      ...subsection('Run policy', table(['Limit', 'Value'], limits)),
      ...subsection('Tools that it may call', table(['Toolset', 'Tool', 'Name for models', 'Served by'], calls)),
      ...subsection(
        'Exported toolsets',
        exports.flatMap((each) => exportBlocks(each, design)),
      ),
    ],
  }
}

function exportBlocks({ toolset: name, tools }: ExportIr, { toolsets }: DesignIr): readonly Block[] {
  const declared = toolsets.find((toolset) => toolset.name === name)?.tools ?? []
  const rows = declared.map((tool) => {
    const exported = tools.find((each) => each.tool === tool.name)
    const message = exported?.template ?? exported?.text
    return [
      [toolLink(tool)],
      [message === undefined ? 'its description and the arguments as JSON' : code(message)],
      exported?.systemPrompt === undefined ? [] : [exported.systemPrompt],
    ]
  })
  return [
    line('The toolset ', link('toolset', name), ': each call is a run of the agent.'),
    ...table(['Tool', 'First message of the run', 'System prompt'], rows),
  ]
}

function providerWords(use: UseIr, index: number): Line {
  switch (use.provider) {
    case 'agent':
      return ['the agent ', agentLink(use.agent)]
    case 'mcp':
      return ['the tool ', code(use.tools[index]?.remote ?? ''), ' of an MCP server']
    case 'openapi':
      return ['an HTTP API']
    case 'executor':
      return ['an executor of the application']
    case 'service':
      return [code(`${use.client.path.join('.')}.${use.tools[index]?.method ?? ''}`)]
  }
}

function toolsetSection(toolset: ToolsetIr, design: DesignIr, options: CatalogueOptions): Section {
  const { name, description, namespace, tools, mcp } = toolset
  const context = typeContext(toolset)
  const exporters = design.agents.filter(({ exports }) => exports.some((each) => each.toolset === name))
  const rows = tools.map((tool) => [[toolLink(tool)], [code(tool.toolName)], [firstLine(tool.description)]])
  const server = mcp?.server === undefined ? [] : [' ', code(`${mcp.server.name} ${mcp.server.version}`)]
  const unused = mcp?.unused ?? []
  return {
    anchor: anchorOf('toolset', name),
    heading: ['Toolset ', code(name)],
    blocks: [
      { kind: 'prose', text: description },
      ...(namespace === 'default' ? [] : [line('It belongs to the namespace ', code(namespace), '.')]),
      ...(mcp === undefined
        ? []
        : [
            line(
              ...['An MCP server', ...server, ' serves it.'],
              ...(unused.length === 0 ? [] : [' Excluded tools: ', ...codes(unused), '.']),
            ),
          ]),
      ...(exporters.length === 0
        ? []
        : [
            line(
              `It is exported by the agent${exporters.length === 1 ? '' : 's'} `,
              ...joined(
                exporters.map((agent) => [agentLink(agent.name)]),
                ', ',
              ),
              '.',
            ),
          ]),
      ...table(['Tool', 'Name for models', 'Description'], rows),
    ],
    sections: [
      ...tools.map(
        (tool): Section => ({
          anchor: anchorOf('tool', tool.id),
          heading: [code(tool.id)],
          blocks: [
            line({ text: tool.title, style: 'strong' }),
            { kind: 'prose', text: tool.description },
            { kind: 'list', items: toolFacts(tool, design).map((fact) => ({ line: fact })) },
          ],
          sections: [
            ...subsection('Arguments', argumentBlocks(tool.arguments, context)),
            ...subsection('Result', resultBlocks(tool.result, context)),
            ...subsection(
              'Updates while it runs',
              tool.updates === undefined ? [] : resultBlocks(tool.updates, context),
            ),
            ...subsection('Call', [{ kind: 'code', language: 'ts', text: callSnippet(tool, toolset, options) }]),
            ...subsection('Tool definition for models', [
              {
                kind: 'code',
                language: 'json',
                text: JSON.stringify(closedSchema(tool.arguments, toolset.defs), null, 2),
                summary: 'JSON Schema of the arguments',
              },
            ]),
          ],
        }),
      ),
      ...[...context.anchors].map(([type, anchor]) => ({
        anchor,
        heading: ['Type ', code(type)],
        blocks: definitionBlocks(type, context),
      })),
    ],
  }
}

function maxResultText({ tokens, bytes, items }: MaxResult): string {
  if (items !== undefined) return `${items} items of each array`
  return tokens !== undefined ? `about ${tokens} tokens` : `${bytes} bytes`
}

function toolFacts(tool: ToolIr, design: DesignIr): readonly Line[] {
  const { toolName, annotations, tags, confirmation, serverOwned, callHint, resultHint, defaultLayers, maxResult } =
    tool
  const { reads = [], writes = [], suggested = [], failures = [] } = tool
  const origin = (name: 'reads' | 'writes'): string => (suggested.includes(name) ? ' (suggested by the import).' : '.')
  const marks = [
    annotations.readOnly === true && 'does not change data',
    annotations.destructive === true && 'may destroy data',
    annotations.idempotent === true && 'is idempotent',
  ].filter((mark) => mark !== false)
  const layers = [
    defaultLayers?.timeoutMs !== undefined && `at most ${defaultLayers.timeoutMs} ms for each attempt`,
    defaultLayers?.attempts !== undefined && `at most ${defaultLayers.attempts} attempts`,
  ].filter((layer) => layer !== false)
  const facts: readonly (Line | false)[] = [
    ['Its name for models is ', code(toolName), '.'],
    marks.length > 0 && [`It ${marks.join(' and ')}.`],
    reads.length > 0 && ['It reads data that is ', ...codes(reads), origin('reads')],
    writes.length > 0 && ['Its effects are ', ...codes(writes), origin('writes')],
    ...callers(tool, design),
    confirmation !== undefined && ['It requires a confirmation: ', code(confirmation.prompt)],
    confirmation?.when !== undefined && [
      ...['Only arguments that match this JSON Schema require the confirmation: ', jsonCode(confirmation.when), '.'],
    ],
    confirmation?.deniedResult !== undefined && [
      ...['If the confirmation is denied, its result is ', jsonCode(confirmation.deniedResult), '.'],
    ],
    maxResult !== undefined && [`Models read at most ${maxResultText(maxResult)} of its result at once.`],
    ...sensitiveFacts(tool),
    defaultLayers !== undefined && [`Default layers: ${layers.join(', ')}.`],
    ...serverOwned.map(({ field, from }) => [
      ...[code(field), ' is filled from ', code(from), ' of the call; models neither see nor send it.'],
    ]),
    ...failures.map(
      ({ name, hint, description }): Line => [
        ...[
          'It can fail with ',
          code(name),
          ': ',
          code(hint),
          ...(description === undefined ? [] : [' ', description]),
        ],
      ],
    ),
    callHint !== undefined && ['While it runs, people read: ', code(callHint)],
    resultHint !== undefined && ['When it is done, people read: ', code(resultHint)],
    tool.needsCheck && ['The application checks the payload in addition to its JSON Schema.'],
    tags.length > 0 && ['Tags: ', ...codes(tags)],
  ]
  return facts.filter((fact) => fact !== false)
}

function sensitiveFacts({ sensitive }: ToolIr): readonly Line[] {
  return (['payload', 'result', 'updates'] as const).flatMap((part) =>
    Object.entries(sensitive?.[part] ?? {}).map(([path, treatments]): Line => {
      const hidden = Object.entries(treatments).map(([audience, how]) => `${audience} (${how})`)
      const field = path === '' ? ['The whole ', part] : [code(path), ` of the ${part}`]
      return [...field, ' is sensitive; not shown to: ', hidden.join(', '), '.']
    }),
  )
}

function callers({ id, name, toolName }: ToolIr, { agents }: DesignIr): readonly Line[] {
  return agents.flatMap((agent) =>
    agent.uses.flatMap((use) =>
      use.tools.flatMap((used, index): readonly Line[] => {
        if (id !== `${use.toolset}.${name}` || used.tool !== name) return []
        const alias = used.toolName === toolName ? [] : [' as ', code(used.toolName)]
        const provider = providerWords(use, index)
        return [['The agent ', agentLink(agent.name), ' calls it', ...alias, '; ', ...provider, ' serves it.']]
      }),
    ),
  )
}

function callSnippet(tool: ToolIr, { names, defs }: ToolsetIr, { output, importExtension }: CatalogueOptions): string {
  const { call } = tool.names
  const examples = tool.examples.length > 0 ? tool.examples : [outlineOf(shapeOf(tool.arguments, defs), defs, 0)]
  const calls = examples.map((example) => {
    // Examples are JSON; typed values in them are written as code.
    const value = typedValue(example, tool.arguments, defs) as LiteralValue
    return `${call}(${literalText(value, { indent: 0, used: call.length + 2 })})`
  })
  const module = `./${output}/toolsets/${names.folder}/index${importExtension}`
  return [`import { ${call} } from ${stringText(module)}`, '', ...calls].join('\n')
}

const maxDepth = 6

function outlineOf(shape: Shape, defs: Readonly<Record<string, Schema>>, depth: number): Json {
  const inner = (part: Shape): Json => outlineOf(part, defs, depth + 1)
  if (depth > maxDepth) return null
  const found = resolveShape(shape, defs)
  switch (found.kind) {
    case 'null':
      return null
    case 'boolean':
      return true
    case 'number':
      return 1
    case 'literals':
      return found.values[0] ?? null
    case 'array':
      return [inner(found.items)]
    case 'tuple':
      return found.items.slice(0, found.required).map(inner)
    case 'object':
      return Object.fromEntries(
        found.fields.filter(({ required }) => required).map(({ name, shape: field }) => [name, inner(field)]),
      )
    case 'union':
      return found.variants[0] === undefined ? null : inner(found.variants[0])
    case 'intersection':
      return Object.assign({}, ...found.parts.map(inner))
    default:
      return '…'
  }
}
