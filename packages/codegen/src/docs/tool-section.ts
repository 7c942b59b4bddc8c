import type { AgentIr, DesignIr, Json, Schema, ToolIr, ToolsetIr, UseIr } from '../ir/types.js'
import { closedSchema } from '../schema/definitions.js'
import { definitionsUsed } from '../schema/references.js'
import { resolveShape, type Shape, shapeOf } from '../schema/shape.js'
import { typedValue } from '../schema/shape-parts.js'
import { keyText, type LiteralPosition, lineWidth, stringText } from '../text.js'
import { fieldRows, fieldTable, rootRows } from './fields.js'
import {
  anchorOf,
  type Block,
  code,
  type Inline,
  type Item,
  joined,
  type Line,
  link,
  type Section,
  strong,
} from './page.js'
import { definitionShape, jsonCode, type TypeContext, typeWords } from './type-text.js'

/** All that people need to know of a tool. */
export function toolSection(tool: ToolIr, toolset: ToolsetIr, scene: Scene): Section {
  const context = typeContext(toolset)
  const subsection = (heading: string, blocks: readonly Block[]): readonly Section[] =>
    blocks.length === 0 ? [] : [{ heading: [heading], blocks, sections: [] }]
  return {
    anchor: anchorOf('tool', tool.id),
    role: 'tool',
    heading: [code(tool.id)],
    blocks: [
      { kind: 'line', line: [strong(tool.title)] },
      { kind: 'prose', text: tool.description },
      { kind: 'list', items: facts(tool, scene) },
    ],
    sections: [
      ...subsection('Arguments', argumentsOf(tool, context)),
      ...subsection('Result', typeBlocks(tool.result, context, 'Field')),
      ...subsection(
        'Updates while it runs',
        tool.updates === undefined ? [] : typeBlocks(tool.updates, context, 'Field'),
      ),
      ...subsection('Call', [{ kind: 'code', language: 'ts', text: callSnippet(tool, toolset, scene) }]),
      ...subsection('What models get', modelSchema(tool, toolset)),
    ],
  }
}

function facts(tool: ToolIr, scene: Scene): readonly Item[] {
  const { toolName, annotations, tags, confirmation, serverOwned, callHint, resultHint, defaultLayers } = tool
  const marks = [
    ...(annotations.readOnly === true ? ['changes nothing'] : []),
    ...(annotations.destructive === true ? ['may destroy something'] : []),
    ...(annotations.idempotent === true ? ['may be repeated without further effect'] : []),
  ]
  return [
    { line: ['Models call it ', code(toolName), '.'] },
    ...(marks.length === 0 ? [] : [{ line: [`It ${marks.join(' and ')}.`] }]),
    ...usesOfTool(tool, scene.design).map((line) => ({ line })),
    ...(confirmation === undefined
      ? []
      : [{ line: ['Before it runs, somebody is asked: ', code(confirmation.prompt)] }]),
    ...(confirmation?.deniedResult === undefined
      ? []
      : [{ line: ['Where the answer is no, its result is ', jsonCode(confirmation.deniedResult), '.'] }]),
    ...(defaultLayers === undefined ? [] : [{ line: [layersText(defaultLayers)] }]),
    ...serverOwned.map(({ field, from }) => ({
      line: [code(field), ' is filled in from ', code(from), ' of the call; models neither see nor send it.'],
    })),
    ...(callHint === undefined ? [] : [{ line: ['While it runs, people read: ', code(callHint)] }]),
    ...(resultHint === undefined ? [] : [{ line: ['When it is done, people read: ', code(resultHint)] }]),
    ...(tool.needsCheck ? [{ line: ['The application checks the payload further than the JSON Schema says.'] }] : []),
    ...(tags.length === 0
      ? []
      : [
          {
            line: [
              'Tags: ',
              ...joined(
                tags.map((tag) => [code(tag)]),
                ', ',
              ),
            ],
          },
        ]),
  ]
}

/** Default layers in words, the innermost first. */
function layersText({ timeoutMs, attempts }: NonNullable<ToolIr['defaultLayers']>): string {
  const layers = [
    ...(timeoutMs === undefined ? [] : [`at most ${timeoutMs} ms for each attempt`]),
    ...(attempts === undefined ? [] : [`at most ${attempts} attempts`]),
  ]
  return `Default layers: ${layers.join(', ')}.`
}

function argumentsOf({ arguments: schema }: ToolIr, context: TypeContext): readonly Block[] {
  const shape = resolveShape(shapeOf(schema, context.defs), context.defs)
  const table = fieldTable(fieldRows(shape, context), 'Argument')
  if (table.length > 0) return table
  return [
    {
      kind: 'line',
      line: shape.kind === 'object' && shape.additional === undefined ? ['None.'] : typeWords(shape, context),
    },
  ]
}

/** A type in words, with its fields where they have no section of their own. */
function typeBlocks(schema: Schema, context: TypeContext, head: string): readonly Block[] {
  const shape = shapeOf(schema, context.defs)
  const { description } = shape.schema
  const fields = fieldTable(fieldRows(shape, context), head)
  // That it is an object is what the table says.
  const says = shape.kind !== 'object' || fields.length === 0
  return [
    ...(says ? [{ kind: 'line' as const, line: typeWords(shape, context) }] : []),
    ...(typeof description === 'string' ? [{ kind: 'prose' as const, text: description }] : []),
    ...fields,
  ]
}

function modelSchema(tool: ToolIr, { defs }: ToolsetIr): readonly Block[] {
  const text = JSON.stringify(closedSchema(tool.arguments, defs), null, 2)
  return [{ kind: 'folded', summary: 'JSON Schema of the arguments', block: { kind: 'code', language: 'json', text } }]
}

/** The call that an application makes of each example of the design; without examples, what a call has to give at least. */
function callSnippet(tool: ToolIr, toolset: ToolsetIr, { moduleOf }: Scene): string {
  const { names, examples } = tool
  const shown = examples.length > 0 ? examples : [argumentOutline(tool.arguments, toolset.defs)]
  const calls = shown.map((example) => {
    const value = typedValue(example, tool.arguments, toolset.defs)
    return `${names.call}(${valueText(value, { indent: 0, used: names.call.length + 2 })})`
  })
  return [`import { ${names.call} } from ${stringText(moduleOf(toolset))}`, '', ...calls].join('\n')
}

/** Maximum depth of listed fields; recursive types have no end. */
const deepest = 6

/** Returns minimal arguments with placeholders, for tools without an example. */
function argumentOutline(schema: Schema, defs: Readonly<Record<string, Schema>>): Json {
  return outlineOf(shapeOf(schema, defs), defs, 0)
}

function outlineOf(shape: Shape, defs: Readonly<Record<string, Schema>>, depth: number): Json {
  const below = (inner: Shape): Json => outlineOf(inner, defs, depth + 1)
  if (depth > deepest) return null
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
      return [below(found.items)]
    case 'tuple':
      return found.items.slice(0, found.required).map(below)
    case 'object':
      return Object.fromEntries(
        found.fields.flatMap(({ name, shape: field, required }) => (required ? [[name, below(field)]] : [])),
      )
    case 'union':
      return found.variants[0] === undefined ? null : below(found.variants[0])
    case 'intersection':
      return Object.assign({}, ...found.parts.map(below))
    default:
      return '…'
  }
}

/** A value of an example as code: JSON, dates, bigints and bytes; on one line where it fits, else one entry per line. */
function valueText(value: unknown, location: LiteralPosition): string {
  const flat = flatText(value)
  const isNested =
    typeof value === 'object' && value !== null && !(value instanceof Date || value instanceof Uint8Array)
  if (!isNested || location.used + flat.length <= lineWidth) return flat
  const indent = location.indent + 2
  const margin = ' '.repeat(indent)
  const lines = Object.entries(value).map(([key, item]) => {
    const start = Array.isArray(value) ? margin : `${margin}${keyText(key)}: `
    return `${start}${valueText(item, { indent, used: start.length + 1 })},\n`
  })
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${lines.join('')}${' '.repeat(location.indent)}${close}`
}

function flatText(value: unknown): string {
  if (typeof value === 'string') return stringText(value)
  if (typeof value === 'bigint') return `${value}n`
  if (value instanceof Date) return `new Date(${stringText(value.toISOString())})`
  if (value instanceof Uint8Array) return `Uint8Array.of(${[...value].join(', ')})`
  if (Array.isArray(value)) return `[${value.map(flatText).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const entries = Object.entries(value).map(([key, item]) => `${keyText(key)}: ${flatText(item)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

/** Context of the catalogue's sections. */
export interface Scene {
  readonly design: DesignIr
  /** The specifier of the module with a toolset's call builders, as code beside the output folder's parent imports it. */
  readonly moduleOf: (toolset: ToolsetIr) => string
}

/** A toolset of the design. */
export function toolsetNamed(design: DesignIr, name: string): ToolsetIr {
  const found = design.toolsets.find((toolset) => toolset.name === name)
  if (found === undefined) throw new Error(`There is no toolset '${name}' in the design.`)
  return found
}

/** Returns how types of a toolset are shown: definitions with fields, and recursive ones, have their own section. */
export function typeContext({ name, defs }: ToolsetIr): TypeContext {
  const bare: TypeContext = { defs, anchors: new Map() }
  const own = Object.entries(defs).filter(
    ([def, schema]) =>
      definitionsUsed(schema, defs).includes(def) || rootRows(definitionShape(def, defs), bare).length > 0,
  )
  return { defs, anchors: new Map(own.map(([def]) => [def, anchorOf('type', `${name}.${def}`)])) }
}

/** The agents that export a toolset. */
export function exportersOf(design: DesignIr, toolset: string): readonly AgentIr[] {
  return design.agents.filter(({ exports }) => exports.some((offer) => offer.toolset === toolset))
}

/** Returns the agents that can call a tool, and its provider for each, one sentence each. */
function usesOfTool(tool: ToolIr, design: DesignIr): readonly Line[] {
  return design.agents.flatMap((agent) =>
    agent.uses
      .filter(({ toolset }) => tool.id === `${toolset}.${tool.name}`)
      .flatMap((use) =>
        use.tools.flatMap((used, index): readonly Line[] => {
          if (used.tool !== tool.name) return []
          const other: Line = used.toolName === tool.toolName ? [] : [' as ', code(used.toolName)]
          const who = link(anchorOf('agent', agent.name), agent.name)
          return [['The agent ', who, ' calls it', ...other, '; ', ...serverOf(use, index), ' serves it.']]
        }),
      ),
  )
}

/** Returns the provider of a use: a client's method, an agent, or an MCP server's tool. */
export function serverOf(use: UseIr, index: number): Line {
  switch (use.provider) {
    case 'agent':
      return ['the agent ', agentLink(use.agent)]
    case 'mcp':
      return ['the tool ', code(use.tools[index]?.remote ?? ''), ' of an MCP server']
    case 'openapi':
      return ['an HTTP API']
    case 'service':
      return [code(`${use.client.path.join('.')}.${use.tools[index]?.method ?? ''}`)]
  }
}

function agentLink(name: string): Inline {
  return link(anchorOf('agent', name), name)
}
