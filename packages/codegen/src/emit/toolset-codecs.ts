import type { Schema, ToolIr, ToolsetIr } from '../ir/types.js'
import { keyText, literalText } from '../text/literal.js'
import { definitionsUsed } from './definitions.js'
import { constantHead } from './function-head.js'
import { header } from './header.js'
import { type ImportingFile, type ImportSet, importSet, runtimeModule } from './import-set.js'
import { block, schemaText } from './schema-text.js'
import { decodedType } from './tool-types.js'

/** What `toolset-codecs.hbs` shows. */
export interface ToolsetCodecsView {
  readonly header: string
  readonly imports: string
  /** Shared schemas and codecs, each a whole declaration. */
  readonly declarations: readonly string[]
}

/** The codecs of a toolset, after the schemas that they share. */
export function toolsetCodecsView(toolset: ToolsetIr, file: ImportingFile): ToolsetCodecsView {
  const imports = importSet(file)
  const codecs = toolset.tools.flatMap((tool) => codecTexts(tool, toolset, imports))
  const shared = [
    ...new Set(
      toolset.tools.flatMap((tool) => schemasOf(tool).flatMap((schema) => definitionsUsed(schema, toolset.defs))),
    ),
  ]
  const schemas = Object.keys(toolset.defs)
    .filter((name) => shared.includes(name))
    .map((name) => {
      const type = imports.type(runtimeModule, 'JsonSchema')
      return `const ${schemaName(toolset, name)}: ${type} = ${schemaText(toolset.defs[name] ?? true, 0)}`
    })
  return { header: header(toolset.place), imports: imports.text(), declarations: [...schemas, ...codecs] }
}

function schemasOf(tool: ToolIr): readonly Schema[] {
  return [tool.arguments, tool.result, ...(tool.updates === undefined ? [] : [tool.updates])]
}

function codecTexts(tool: ToolIr, toolset: ToolsetIr, imports: ImportSet): readonly string[] {
  const types = imports.types({ generated: `toolsets/${toolset.names.folder}/types` }, 'types')
  const { names } = tool
  const sent = `${types}.${names.arguments}`
  const result = `${types}.${names.result}`
  const decoded = decodedType(tool, types, imports)
  const codec = imports.type(runtimeModule, 'Codec')
  const payloadCodec = imports.value(runtimeModule, 'payloadCodec')
  const resultCodec = imports.value(runtimeModule, 'resultCodec')
  const owned = tool.serverOwned.map(({ field }) => field)
  const ownedText = (indent: number): readonly string[] =>
    owned.length === 0 ? [] : [`serverOwned: ${literalText(owned, { indent: indent + 2, used: indent + 16 })}`]
  return [
    codecText(names.payloadCodec, `${codec}<${sent}, ${decoded}>`, payloadCodec, tool.arguments, toolset, ownedText),
    codecText(names.resultCodec, `${codec}<${result}>`, resultCodec, tool.result, toolset),
    ...(tool.updates === undefined
      ? []
      : [codecText(names.updateCodec, `${codec}<${types}.${names.update}>`, resultCodec, tool.updates, toolset)]),
  ]
}

function codecText(
  name: string,
  type: string,
  make: string,
  schema: Schema,
  toolset: ToolsetIr,
  more: (indent: number) => readonly string[] = () => [],
): string {
  const call = `/* @__PURE__ */ ${make}(`
  const head = constantHead(name, type, `${call}{`)
  const used = definitionsUsed(schema, toolset.defs)
  const shared = used.length === 0 ? [] : [`$defs: ${sharedText(used, toolset, head.indent + 4)}`]
  const entries = [`schema: ${schemaText(schema, head.indent + 2, shared)}`, ...more(head.indent)]
  return `${head.text}${call}${block(entries, head.indent)})`
}

/** The shared schemas that one codec needs. */
function sharedText(definitions: readonly string[], toolset: ToolsetIr, indent: number): string {
  const entries = definitions.map((name) => `${keyText(name)}: ${schemaName(toolset, name)}`)
  const flat = `{ ${entries.join(', ')} }`
  return indent + flat.length + 8 <= 120 ? flat : block(entries, indent)
}

function schemaName(toolset: ToolsetIr, definition: string): string {
  const names = toolset.names.defs[definition]
  if (names === undefined) throw new Error(`The definition '${definition}' of toolset '${toolset.name}' has no name.`)
  return names.schema
}
