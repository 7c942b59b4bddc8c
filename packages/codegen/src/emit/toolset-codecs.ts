import { type CodecSource, type CompiledSource, compileCodecs } from '../codec/compile-codecs.js'
import type { Schema, ToolIr, ToolsetIr } from '../ir/types.js'
import { definitionsUsed } from '../schema/canonical/definitions-used.js'
import { keyText, literalText } from '../text/literal.js'
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

/** The codecs of a toolset, after the schemas that they share; each after the functions that it needs. */
export function toolsetCodecsView(toolset: ToolsetIr, file: ImportingFile): ToolsetCodecsView {
  const imports = importSet(file)
  const parts = toolset.tools.flatMap((tool) => codecParts(tool, toolset, imports))
  const shared = new Set(parts.flatMap(({ schema }) => definitionsUsed(schema, toolset.defs)))
  const schemas = Object.keys(toolset.defs)
    .filter((name) => shared.has(name))
    .map((name) => {
      const type = imports.type(runtimeModule, 'JsonSchema')
      return `const ${schemaName(toolset, name)}: ${type} = ${schemaText(toolset.defs[name] ?? true, 0)}`
    })
  const compiled = compileCodecs(parts, {
    defs: toolset.defs,
    stemOf: (definition) => toolset.names.defs[definition]?.sent ?? definition,
    words: { is: 'is', json: 'json' },
    language: 'ts',
    taken: file.declares,
  })
  const codecs = parts.flatMap((part, index) => {
    const functions = compiled[index]
    importWords(functions, imports)
    const own =
      functions === undefined || functions.declarations.length === 0 ? [] : [functions.declarations.join('\n')]
    return [...own, codecText(part, functions, toolset)]
  })
  return { header: header(toolset.place), imports: imports.text(), declarations: [...schemas, ...codecs] }
}

/** One codec of a tool. */
interface CodecPart extends CodecSource {
  readonly name: string
  readonly type: string
  /** The function that makes it. */
  readonly make: string
  readonly serverOwned: readonly string[]
}

function codecParts(tool: ToolIr, toolset: ToolsetIr, imports: ImportSet): readonly CodecPart[] {
  const types = imports.types({ generated: `toolsets/${toolset.names.folder}/types` }, 'types')
  const { names, updates } = tool
  const codec = imports.type(runtimeModule, 'Codec')
  const ofResult = (name: string, stem: string, schema: Schema): CodecPart => ({
    name,
    stem,
    schema,
    type: `${codec}<${types}.${stem}>`,
    make: imports.value(runtimeModule, 'resultCodec'),
    serverOwned: [],
  })
  const payload: CodecPart = {
    name: names.payloadCodec,
    stem: names.arguments,
    schema: tool.arguments,
    type: `${codec}<${types}.${names.arguments}, ${decodedType(tool, types, imports)}>`,
    make: imports.value(runtimeModule, 'payloadCodec'),
    serverOwned: tool.serverOwned.map(({ field }) => field),
  }
  const result = ofResult(names.resultCodec, names.result, tool.result)
  return updates === undefined
    ? [payload, result]
    : [payload, result, ofResult(names.updateCodec, names.update, updates)]
}

/** Imports what the functions of a codec are made of. */
function importWords(functions: CompiledSource | undefined, imports: ImportSet): void {
  const text = [functions?.is, functions?.json, ...(functions?.declarations ?? [])].join('\n')
  for (const word of ['is', 'json']) if (new RegExp(`\\b${word}\\.`).test(text)) imports.value(runtimeModule, word)
}

function codecText(part: CodecPart, functions: CompiledSource | undefined, toolset: ToolsetIr): string {
  const call = `/* @__PURE__ */ ${part.make}(`
  const head = constantHead(part.name, part.type, `${call}{`)
  const used = definitionsUsed(part.schema, toolset.defs)
  const shared = used.length === 0 ? [] : [`$defs: ${sharedText(used, toolset, head.indent + 4)}`]
  const owned = literalText(part.serverOwned, { indent: head.indent + 2, used: head.indent + 16 })
  const entries = [
    `schema: ${schemaText(part.schema, head.indent + 2, shared)}`,
    ...(part.serverOwned.length === 0 ? [] : [`serverOwned: ${owned}`]),
  ]
  const compiled = functions === undefined ? '' : `, ${compiledText(functions, head.indent)}`
  return `${head.text}${call}${block(entries, head.indent)}${compiled})`
}

/** The functions of a codec as its last argument. */
function compiledText({ is, json, parts }: CompiledSource, indent: number): string {
  const entries = [`is: ${is}`, ...(json === undefined ? [] : [`json: ${json}`])]
  if (parts.length === 0) return `{ ${entries.join(', ')} }`
  const checks = block(
    parts.map(([pointer, name]) => `${keyText(pointer)}: ${name}`),
    indent + 2,
  )
  return block([...entries, `parts: ${checks}`], indent)
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
