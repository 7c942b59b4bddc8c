import type { Json, ToolIr, ToolsetIr } from '../ir/types.js'
import { closedSchema } from '../schema/canonical/closed-schema.js'
import { literalText, stringText } from '../text/literal.js'
import { constantHead } from './function-head.js'
import { header } from './header.js'
import { type ImportingFile, type ImportSet, importSet, runtimeModule } from './import-set.js'
import { block } from './schema-text.js'

/** What `toolset-specs.hbs` shows. */
export interface ToolsetSpecsView {
  readonly header: string
  readonly imports: string
  /** Each a whole declaration. */
  readonly specs: readonly string[]
}

/** The specs of a toolset in the order of the design. */
export function toolsetSpecsView(toolset: ToolsetIr, file: ImportingFile): ToolsetSpecsView {
  const imports = importSet(file)
  const specs = toolset.tools.map((tool) => specText(tool, toolset, imports))
  return { header: header(toolset.place), imports: imports.text(), specs }
}

function specText(tool: ToolIr, toolset: ToolsetIr, imports: ImportSet): string {
  const { names } = tool
  const codecs = imports.values({ generated: `toolsets/${toolset.names.folder}/codecs` }, 'codecs')
  const type = `${imports.type(runtimeModule, 'ToolSpec')}<${stringText(tool.id)}>`
  const call = `/* @__PURE__ */ ${imports.value(runtimeModule, 'toolSpec')}(`
  const head = constantHead(`${names.spec}: ${type}`, `${call}{`)
  const described = [names.payloadCodec, names.resultCodec, ...(tool.updates === undefined ? [] : [names.updateCodec])]
  const schemas = described.map((name) => `${codecs}.${name}`).join(', ')
  const entries = specParts(tool, toolset).map(([key, value]) => entry(key, value, head.indent))
  return `${head.text}${call}${block(entries, head.indent)}, ${schemas})`
}

/** What the runtime does not fill in. */
function specParts(tool: ToolIr, toolset: ToolsetIr): readonly (readonly [key: string, value: Json])[] {
  const { confirmation, defaultLayers } = tool
  const annotations = { ...tool.annotations }
  const optional = (key: string, value: Json | undefined, implied?: Json): [string, Json][] =>
    value === undefined || value === implied ? [] : [[key, value]]
  const list = (key: string, value: readonly Json[]): [string, Json][] => (value.length === 0 ? [] : [[key, value]])
  // The runtime takes the toolset's name to end at the first dot.
  const dotted = toolset.name.includes('.')
  return [
    ['id', tool.id],
    ...optional('toolset', dotted ? toolset.name : undefined),
    ...optional('name', dotted ? tool.name : undefined),
    ...optional('namespace', toolset.namespace, 'default'),
    ...optional('wireName', tool.wireName, `${toolset.name}_${tool.name}`),
    ['title', tool.title],
    ['description', tool.description],
    ...list('tags', tool.tags),
    ['examples', tool.examples],
    ...optional('callHint', tool.callHint),
    ...optional('resultHint', tool.resultHint),
    ...list(
      'serverOwned',
      tool.serverOwned.map(({ field, from, schema }) => ({ field, from, schema: closedSchema(schema, toolset.defs) })),
    ),
    ...optional('annotations', Object.keys(annotations).length === 0 ? undefined : annotations),
    ...optional('confirmation', confirmation === undefined ? undefined : { ...confirmation }),
    ...optional('defaultLayers', defaultLayers === undefined ? undefined : { ...defaultLayers }),
    ['hash', tool.hash],
  ]
}

function entry(key: string, value: Json, indent: number): string {
  const start = `${key}: `
  return `${start}${literalText(value, { indent: indent + 2, used: indent + start.length + 3 })}`
}
