import type { CodecLanguage } from '../codecs/codec-scope.js'
import { type CodecSource, type CompiledSource, compileCodecs } from '../codecs/compile-codecs.js'
import { fillPicker } from '../codecs/fill.js'
import type { Schema, ToolIr, ToolsetIr } from '../ir/types.js'
import { definitionsUsed } from '../schema/references.js'
import { flatLiteral, keyText, lineWidth, literalText } from '../text.js'
import { type ImportingFile, type ImportSet, importSet, runtimeModule } from './imports.js'
import { decodedType } from './members.js'
import { block, constantHead, header, schemaText } from './templates.js'

/** What `toolset-codecs.hbs` shows. */
interface ToolsetCodecsView {
  readonly header: string
  readonly imports: string
  /** Shared schemas and codecs, each a whole declaration. */
  readonly declarations: readonly string[]
}

/** Compilers that check JavaScript would miss the types that are left out. */
const scriptNote = '// @ts-nocheck The types of this module stand in codecs.d.ts.'

/** What a reader of the functions has to know. */
const functionsNote = [
  '// A type guard (`isX`) accepts only valid values; the schema below it decides about what it refuses. `m` says how to treat',
  '// undeclared fields: `is.closed` counts the keys of an object. `serializeX` writes a value that its guard has accepted;',
  '// `stripX` copies it without undeclared fields.',
]

/**
 * The codecs of a toolset, after the schemas that they share; each after the functions that it needs.
 *
 * @param language JavaScript has no types, not even imported ones
 */
export function toolsetCodecsView(toolset: ToolsetIr, file: ImportingFile, language: CodecLanguage): ToolsetCodecsView {
  const imports = importSet(file)
  const parts = codecParts(toolset)
  const shared = new Set(parts.flatMap(({ schema }) => definitionsUsed(schema, toolset.defs)))
  const schemas = Object.keys(toolset.defs)
    .filter((name) => shared.has(name))
    .map((name) => {
      const type = language === 'ts' ? `: ${imports.type(runtimeModule, 'JsonSchema')}` : ''
      return `const ${schemaName(toolset, name)}${type} = ${schemaText(toolset.defs[name] ?? true, 0)}`
    })
  const compiled = compileCodecs(parts, {
    defs: toolset.defs,
    stemOf: (definition) => toolset.names.defs[definition]?.sent ?? definition,
    words: { is: 'is', serialize: 'serialize', strip: 'strip' },
    language,
    taken: file.declares,
  })
  const codecs = parts.flatMap((part, index) => {
    const functions = compiled[index]
    importWords(functions, imports)
    const own =
      functions === undefined || functions.declarations.length === 0 ? [] : [functions.declarations.join('\n')]
    const type = language === 'ts' ? typeText(codecType(part, toolset, imports)) : ''
    const make = imports.value(runtimeModule, part.kind === 'payload' ? 'payloadCodec' : 'resultCodec')
    return [...own, codecText(part, functions, { toolset, type, make })]
  })
  const head = [
    header(toolset.location),
    ...(language === 'ts' ? [] : [scriptNote]),
    ...(compiled.some((functions) => functions !== undefined) ? functionsNote : []),
  ]
  return { header: head.join('\n'), imports: imports.text(), declarations: [...schemas, ...codecs] }
}

function typeText({ codec, parameters }: CodecType): string {
  return `: ${codec}<${parameters.join(', ')}>`
}

/** Imports what the functions of a codec are made of. */
function importWords(functions: CompiledSource | undefined, imports: ImportSet): void {
  const text = [functions?.is, functions?.serialize, functions?.strip, ...(functions?.declarations ?? [])].join('\n')
  for (const word of ['is', 'serialize', 'strip']) {
    if (new RegExp(`\\b${word}\\.`).test(text)) imports.value(runtimeModule, word)
  }
}

/** How a codec stands in its file. */
interface CodecScene {
  readonly toolset: ToolsetIr
  /** The annotation of its type; empty in JavaScript. */
  readonly type: string
  /** The function that makes it. */
  readonly make: string
}

function codecText(part: CodecPart, functions: CompiledSource | undefined, scene: CodecScene): string {
  const { toolset, type, make } = scene
  const serverOwned = part.kind === 'payload' ? part.tool.serverOwned.map(({ field }) => field) : []
  const options = (owned: string): string => `${serverOwned.length > 0 ? `serverOwned: ${owned}, ` : ''}schema: `
  const call = `/* @__PURE__ */ ${make}({ `
  const firstLine = `${call}${options(flatLiteral(serverOwned))}{`
  const head = constantHead(`${part.name}${type}`, firstLine)
  const owned = literalText(serverOwned, {
    indent: head.indent,
    used: head.indent + call.length + options('').length + 1,
  })
  const used = definitionsUsed(part.schema, toolset.defs)
  const shared = used.length === 0 ? [] : [`$defs: ${sharedText(used, toolset, head.indent + 2)}`]
  const schema = schemaText(part.schema, head.indent, shared)
  const compiled =
    functions === undefined ? '' : `, ${compiledText(functions, head.indent, head.indent + '} }, '.length)}`
  return `${head.text}${call}${options(owned)}${schema} }${compiled})`
}

/**
 * The functions of a codec as its last argument.
 *
 * @param used how many columns are taken on the line where it begins
 */
function compiledText({ is, serialize, strip, parts }: CompiledSource, indent: number, used: number): string {
  const entries = [`is: ${is}`, ...(serialize === undefined ? [] : [`serialize: ${serialize}`])]
  if (parts.length === 0) {
    const start = `{ ${entries.join(', ')}`
    const location = {
      indent: indent + 2,
      used: used + start.length + ', '.length + stripKey.length,
      after: ' })'.length,
    }
    return strip === undefined ? `${start} }` : `${start}, ${stripKey}${fillPicker(strip, location)} }`
  }
  const stripping = strip === undefined ? [] : [stripEntry(strip, indent + 2)]
  const checks = block(
    parts.map(([pointer, name]) => `${keyText(pointer)}: ${name}`),
    indent + 2,
  )
  return block([...entries, ...stripping, `parts: ${checks}`], indent)
}

const stripKey = 'strip: '

function stripEntry(strip: string, indent: number): string {
  return `${stripKey}${fillPicker(strip, { indent: indent + 2, used: indent + stripKey.length, after: ','.length })}`
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

/** One codec of a tool. */
interface CodecPart extends CodecSource {
  readonly name: string
  readonly kind: 'payload' | 'result'
  readonly tool: ToolIr
}

/** The codecs of a toolset in the order of the design: of each tool the payload's, the result's and the updates'. */
function codecParts({ tools }: ToolsetIr): readonly CodecPart[] {
  return tools.flatMap((tool): readonly CodecPart[] => {
    const { names, updates } = tool
    const ofResult = (name: string, stem: string, schema: Schema): CodecPart => ({
      name,
      stem,
      schema,
      drops: true,
      kind: 'result',
      tool,
    })
    const payload: CodecPart = {
      name: names.payloadCodec,
      stem: names.arguments,
      schema: tool.arguments,
      kind: 'payload',
      tool,
    }
    const result = ofResult(names.resultCodec, names.result, tool.result)
    return updates === undefined
      ? [payload, result]
      : [payload, result, ofResult(names.updateCodec, names.update, updates)]
  })
}

/** The type of a codec: the generic type, and what it is given. */
interface CodecType {
  readonly codec: string
  readonly parameters: readonly string[]
}

/** The type of a codec, as the file writes it that has these imports. */
function codecType({ kind, stem, tool }: CodecPart, toolset: ToolsetIr, imports: ImportSet): CodecType {
  const types = imports.types({ generated: `toolsets/${toolset.names.folder}/types` }, 'types')
  const codec = imports.type(runtimeModule, 'Codec')
  const sent = `${types}.${stem}`
  return { codec, parameters: kind === 'payload' ? [sent, decodedType(tool, types, imports)] : [sent] }
}

/** What `toolset-codec-types.hbs` shows. */
interface ToolsetCodecTypesView {
  readonly header: string
  readonly imports: string
  /** The codecs, each a whole declaration. */
  readonly declarations: readonly string[]
}

/** The types of a toolset's codecs, for codecs that are written in JavaScript. */
export function toolsetCodecTypesView(toolset: ToolsetIr, file: ImportingFile): ToolsetCodecTypesView {
  const imports = importSet(file)
  const declarations = codecParts(toolset).map((part) => declaration(part.name, codecType(part, toolset, imports)))
  return { header: header(toolset.location), imports: imports.text(), declarations }
}

/** A declaration on one line where it fits, else with one parameter of its type per line. */
function declaration(name: string, { codec, parameters }: CodecType): string {
  const head = `export declare const ${name}: ${codec}<`
  const flat = `${head}${parameters.join(', ')}>`
  if (flat.length <= lineWidth) return flat
  return `${head}\n${parameters.map((parameter) => `  ${parameter}`).join(',\n')}\n>`
}
