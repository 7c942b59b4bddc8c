import type { Schema, ToolIr, ToolsetIr } from '../../ir/types.js'
import { closedSchema } from '../../schema/canonical/closed-schema.js'
import { resolveShape, shapeOf } from '../../schema/shape/shape.js'
import { fieldRows } from '../fields/field-rows.js'
import { fieldTable } from '../fields/field-table.js'
import { jsonCode, type TypeContext, typeWords } from '../fields/type-words.js'
import { anchorOf } from '../page/anchor.js'
import { type Block, code, type Item, joined, type Section, strong } from '../page/page.js'
import { callSnippet } from './call-snippet.js'
import { type Scene, typeContext } from './scene.js'
import { usesOfTool } from './tool-uses.js'

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
  const { wireName, annotations, tags, confirmation, serverOwned, callHint, resultHint, defaultLayers } = tool
  const marks = [
    ...(annotations.readOnly === true ? ['changes nothing'] : []),
    ...(annotations.destructive === true ? ['may destroy something'] : []),
    ...(annotations.idempotent === true ? ['may be repeated without further effect'] : []),
  ]
  return [
    { line: ['Models call it ', code(wireName), '.'] },
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
