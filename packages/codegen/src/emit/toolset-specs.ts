import type { Json, Schema, ToolIr, ToolsetIr } from '../ir/types.js'
import { definitionsUsed } from '../schema/canonical/definitions-used.js'
import { keyText, literalText, stringText } from '../text/literal.js'
import { header } from './header.js'
import { type ImportingFile, importSet, runtimeModule } from './import-set.js'
import { block } from './schema-text.js'

/** What `toolset-specs.hbs` shows. */
export interface ToolsetSpecsView {
  readonly header: string
  readonly imports: string
  readonly specType: string
  readonly specs: readonly { readonly name: string; readonly id: string; readonly entries: string }[]
  /** The name of the list of all specs. */
  readonly all: string
}

/** The specs of a toolset in the order of the design. */
export function toolsetSpecsView(toolset: ToolsetIr, file: ImportingFile): ToolsetSpecsView {
  const imports = importSet(file)
  const specType = imports.type(runtimeModule, 'ToolSpec')
  const codecs =
    toolset.tools.length === 0 ? '' : imports.values({ generated: `toolsets/${toolset.names.folder}/codecs` }, 'codecs')
  const specs = toolset.tools.map((tool) => ({
    name: tool.names.spec,
    id: stringText(tool.id),
    entries: block(specEntries(tool, toolset, codecs), 0),
  }))
  return { header: header(toolset.place), imports: imports.text(), specType, specs, all: toolset.names.specs }
}

function specEntries(tool: ToolIr, toolset: ToolsetIr, codecs: string): readonly string[] {
  const { confirmation, names } = tool
  return [
    entry('id', tool.id),
    entry('toolset', toolset.name),
    entry('name', tool.name),
    entry('namespace', toolset.namespace),
    entry('wireName', tool.wireName),
    entry('title', tool.title),
    entry('description', tool.description),
    entry('tags', tool.tags),
    `arguments: ${codecs}.${names.payloadCodec}.schema`,
    `result: ${codecs}.${names.resultCodec}.schema`,
    ...(tool.updates === undefined ? [] : [`updates: ${codecs}.${names.updateCodec}.schema`]),
    entry('examples', tool.examples),
    ...(tool.callHint === undefined ? [] : [entry('callHint', tool.callHint)]),
    ...(tool.resultHint === undefined ? [] : [entry('resultHint', tool.resultHint)]),
    entry(
      'serverOwned',
      tool.serverOwned.map(({ field, from, schema }) => ({ field, from, schema: closed(schema, toolset) })),
    ),
    entry('annotations', { ...tool.annotations }),
    ...(confirmation === undefined ? [] : [entry('confirmation', { ...confirmation })]),
    entry('hash', tool.hash),
  ]
}

function entry(key: string, value: Json): string {
  const start = `${keyText(key)}: `
  return `${start}${literalText(value, { indent: 2, used: start.length + 3 })}`
}

/** A schema together with the definitions that it needs. */
function closed(schema: Schema, toolset: ToolsetIr): Schema {
  const used = definitionsUsed(schema, toolset.defs)
  if (used.length === 0 || typeof schema === 'boolean') return schema
  return { ...schema, $defs: Object.fromEntries(used.map((name) => [name, toolset.defs[name] ?? true])) }
}
