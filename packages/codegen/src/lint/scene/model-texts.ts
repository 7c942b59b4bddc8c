import type { Json, Schema } from '../../ir/types.js'
import { closedSchema } from '../../schema/canonical/closed-schema.js'
import { isObject } from '../../schema/json/json.js'
import { importOf } from './imported-toolset.js'
import { aboutField, aboutTool, type Subject } from './rule.js'
import type { Scene, ToolScene } from './scene.js'

/** A text that a model reads. */
export interface ModelText {
  readonly about: Subject
  /** What the text is, as a sentence begins, e.g. `` The description of `orders.find` ``. */
  readonly what: string
  readonly text: string
  /** Whether the text is a regular expression. */
  readonly isPattern: boolean
}

/** Returns every text that a model reads of a design: names, descriptions, values, instructions. */
export function modelTexts({ design, tools }: Scene): readonly ModelText[] {
  // No model reads of an import that no agent has.
  const read = design.toolsets.filter(
    (each) => importOf(each) === undefined || tools.some((tool) => tool.toolset === each),
  )
  const ofToolsets = read.map(({ name: toolset, description }) =>
    plainText({ kind: 'toolset', toolset, path: ['description'] }, `The description of \`${toolset}\``, description),
  )
  const ofAgents = design.agents.flatMap(({ name: agent, description, instructions = '', exports }) => {
    const about = { kind: 'agent', agent } as const
    const ofExports = exports.flatMap(({ toolset, tools: exported }) =>
      exported.flatMap(({ tool, text = '', template = '', systemPrompt = '' }) =>
        [text, template, systemPrompt].map((each) =>
          plainText({ ...about, path: ['exports'] }, `A message of \`${agent}\` for \`${toolset}.${tool}\``, each),
        ),
      ),
    )
    return [
      plainText({ ...about, path: ['description'] }, `The description of \`${agent}\``, description),
      plainText({ ...about, path: ['instructions'] }, `The instructions of \`${agent}\``, instructions),
      ...ofExports,
    ]
  })
  return [...ofToolsets, ...tools.flatMap(toolTexts), ...ofAgents].filter(({ text }) => text !== '')
}

/** Returns every text that a model reads of a tool. */
export function toolTexts(scene: ToolScene): readonly ModelText[] {
  const { tool, toolset } = scene
  return [
    plainText(aboutTool(scene), `The title of \`${tool.id}\``, tool.title),
    plainText(aboutTool(scene, 'description'), `The description of \`${tool.id}\``, tool.description),
    ...schemaTexts(scene, closedSchema(tool.arguments, toolset.defs), 'payload'),
    ...schemaTexts(scene, closedSchema(tool.result, toolset.defs), 'result'),
    ...tool.examples.flatMap((example) =>
      stringsIn(example).map((text) => plainText(aboutTool(scene, 'examples'), `An example of \`${tool.id}\``, text)),
    ),
  ]
}

function plainText(about: Subject, what: string, text: string): ModelText {
  return { about, what, text, isPattern: false }
}

function schemaTexts(scene: ToolScene, schema: Schema, side: 'payload' | 'result'): readonly ModelText[] {
  const found: ModelText[] = []
  const owner = side === 'payload' ? `\`${scene.tool.id}\`` : `the result of \`${scene.tool.id}\``
  const add = (names: readonly string[], kind: string, text: string, isPattern: boolean): void => {
    const field = side === 'payload' ? scene.fields.find((each) => sameNames(each.names, names)) : undefined
    const about = field === undefined ? aboutTool(scene, side) : aboutField(scene, field)
    const at = names.length === 0 ? owner : `\`${names.map(visible).join('.')}\` of ${owner}`
    found.push({ about, what: `${kind} of ${at}`, text, isPattern })
  }
  const visit = (value: Json, names: readonly string[]): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, names)
    if (!isObject(value)) return
    for (const [keyword, part] of Object.entries(value)) {
      if (dictionaries.has(keyword) && isObject(part)) {
        for (const [name, inner] of Object.entries(part)) {
          const path = keyword === 'properties' ? [...names, name] : names
          add(path, 'The name', name, keyword === 'patternProperties')
          visit(inner, path)
        }
      } else if (literals.has(keyword)) {
        for (const text of stringsIn(part)) add(names, 'A value', text, false)
      } else if (typeof part === 'string') {
        add(names, `\`${visible(keyword)}\``, part, keyword === 'pattern')
      } else visit(part, names)
    }
  }
  visit(schema, [])
  return found
}

/** Keywords whose values are schemas by name. */
const dictionaries: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas'])
/** Keywords whose values are data. */
const literals: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'required'])

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index])
}

/** Returns the strings of a value, with the keys of its objects. */
function stringsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap((item: Json) => stringsIn(item))
  return isObject(value) ? Object.entries(value).flatMap(([key, item]) => [key, ...stringsIn(item)]) : []
}

/** Returns a text with escapes for everything but printable characters. */
export function visible(text: string): string {
  const escaped = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16).toUpperCase()}}`
  return text.replace(/[\p{C}\p{Z}\p{Variation_Selector}]/gu, (character) =>
    character === ' ' ? ' ' : escaped(character),
  )
}
