import type { CodecLanguage } from '../codecs/code.js'
import { type CodecSource, type CompiledSource, compileCodecs } from '../codecs/compile-codecs.js'
import { fillArrow } from '../codecs/fill.js'
import type { Schema, ToolIr, ToolsetIr } from '../ir/types.js'
import type { EmittedFile } from '../output/files.js'
import { definitionsUsed } from '../schema/references.js'
import { flatLiteral, keyText, lineWidth, literalText } from '../text.js'
import type { GeneratedFile } from './generated-file.js'
import { block, constantHead, schemaText } from './layout.js'
import { decodedType, toolsetModule } from './tool-types.js'

/** Compilers that check JavaScript would report the missing types. */
const scriptNote = '// @ts-nocheck The types of this module are in codecs.d.ts.'

const functionsNote = [
  '// A type guard (`isX`) accepts only valid values; the schema below it decides about what it refuses. `m` says how to treat',
  '// undeclared fields: `is.closed` counts the keys of an object. `serializeX` writes a value that its guard has accepted;',
  '// `stripX` copies it without undeclared fields.',
]

/**
 * Emits the codecs of a toolset, after the schemas that they share; each after the functions that it needs.
 *
 * @param language JavaScript has no types, not even imported ones
 */
export function toolsetCodecs(toolset: ToolsetIr, language: CodecLanguage, file: GeneratedFile): EmittedFile {
  const codecs = codecsOf(toolset)
  const shared = new Set(codecs.flatMap(({ schema }) => definitionsUsed(schema, toolset.defs)))
  const schemas = Object.keys(toolset.defs)
    .filter((name) => shared.has(name))
    .map((name) => {
      const type = language === 'ts' ? `: ${file.type('JsonSchema')}` : ''
      return `const ${schemaName(toolset, name)}${type} = ${schemaText(toolset.defs[name] ?? true, 0)}`
    })
  const compiled = compileCodecs(codecs, {
    defs: toolset.defs,
    stemOf: (definition) => toolset.names.defs[definition]?.sent ?? definition,
    language,
    taken: file.declares,
  })
  const declarations = codecs.map((codec, index) => {
    const functions = compiled[index]
    const own = functions?.declarations.join('\n') ?? ''
    const text = [functions?.is, functions?.serialize, functions?.strip, own].join('\n')
    for (const name of ['is', 'serialize', 'strip']) if (new RegExp(`\\b${name}\\.`).test(text)) file.value(name)
    return `${own}${own === '' ? '' : '\n'}${codecText(codec, functions, toolset, language, file)}`
  })
  return file.print('toolset-codecs', toolset.location, {
    notes: [
      ...(language === 'ts' ? [] : [scriptNote]),
      ...(compiled.some((functions) => functions !== undefined) ? functionsNote : []),
    ],
    declarations: [...schemas, ...declarations],
  })
}

/** Emits the types of a toolset's codecs, for codecs that are written in JavaScript. */
export function toolsetCodecTypes(toolset: ToolsetIr, file: GeneratedFile): EmittedFile {
  const declarations = codecsOf(toolset).map((codec) => {
    const { generic, args } = codecType(codec, toolset, file)
    const head = `export declare const ${codec.name}: ${generic}<`
    const flat = `${head}${args.join(', ')}>`
    return flat.length <= lineWidth ? flat : `${head}\n${args.map((arg) => `  ${arg}`).join(',\n')}\n>`
  })
  return file.print('toolset-codec-types', toolset.location, { declarations })
}

interface ToolCodec extends CodecSource {
  readonly name: string
  readonly kind: 'payload' | 'result'
  readonly tool: ToolIr
}

/** Returns the codecs of a toolset in the order of the design: of each tool the payload's, the result's and the updates'. */
function codecsOf({ tools }: ToolsetIr): readonly ToolCodec[] {
  return tools.flatMap((tool): readonly ToolCodec[] => {
    const { names, updates } = tool
    const ofResult = (name: string, stem: string, schema: Schema): ToolCodec => {
      return { name, stem, schema, drops: true, kind: 'result', tool }
    }
    return [
      { name: names.payloadCodec, stem: names.arguments, schema: tool.arguments, kind: 'payload', tool },
      ofResult(names.resultCodec, names.result, tool.result),
      ...(updates === undefined ? [] : [ofResult(names.updateCodec, names.update, updates)]),
    ]
  })
}

function codecType(
  { kind, stem, tool }: ToolCodec,
  toolset: ToolsetIr,
  file: GeneratedFile,
): { readonly generic: string; readonly args: readonly string[] } {
  const types = file.types('types', toolsetModule(toolset, 'types'))
  const sent = `${types}.${stem}`
  return { generic: file.type('Codec'), args: kind === 'payload' ? [sent, decodedType(tool, types, file)] : [sent] }
}

function codecText(
  codec: ToolCodec,
  functions: CompiledSource | undefined,
  toolset: ToolsetIr,
  language: CodecLanguage,
  file: GeneratedFile,
): string {
  const { generic, args } = language === 'ts' ? codecType(codec, toolset, file) : { generic: '', args: [] }
  const type = language === 'ts' ? `: ${generic}<${args.join(', ')}>` : ''
  const serverOwned = codec.kind === 'payload' ? codec.tool.serverOwned.map(({ field }) => field) : []
  const options = (owned: string): string => `${serverOwned.length > 0 ? `serverOwned: ${owned}, ` : ''}schema: `
  const call = `/* @__PURE__ */ ${file.value(codec.kind === 'payload' ? 'payloadCodec' : 'resultCodec')}({ `
  const { text, indent } = constantHead(`${codec.name}${type}`, `${call}${options(flatLiteral(serverOwned))}{`)
  const owned = literalText(serverOwned, { indent, used: indent + call.length + options('').length + 1 })
  const used = definitionsUsed(codec.schema, toolset.defs)
  const shared = used.length === 0 ? [] : [`$defs: ${sharedText(used, toolset, indent + 2)}`]
  const compiled = functions === undefined ? '' : `, ${functionsText(functions, indent)}`
  return `${text}${call}${options(owned)}${schemaText(codec.schema, indent, shared)} }${compiled})`
}

/** Returns the functions of a codec as its last argument, which begins after `} }, `. */
function functionsText({ is, serialize, strip, parts }: CompiledSource, indent: number): string {
  const entries = [`is: ${is}`, ...(serialize === undefined ? [] : [`serialize: ${serialize}`])]
  if (parts.length === 0) {
    const start = `{ ${entries.join(', ')}`
    if (strip === undefined) return `${start} }`
    const used = indent + `} }, ${start}, strip: `.length
    return `${start}, strip: ${fillArrow(strip, { indent: indent + 2, used, after: ' })'.length })} }`
  }
  if (strip !== undefined) {
    const used = indent + 2 + 'strip: '.length
    entries.push(`strip: ${fillArrow(strip, { indent: indent + 4, used, after: ','.length })}`)
  }
  const guards = parts.map(([pointer, name]) => `${keyText(pointer)}: ${name}`)
  return block([...entries, `parts: ${block(guards, indent + 2)}`], indent)
}

/** Returns the shared schemas that one codec needs. */
function sharedText(definitions: readonly string[], toolset: ToolsetIr, indent: number): string {
  const entries = definitions.map((name) => `${keyText(name)}: ${schemaName(toolset, name)}`)
  const flat = `{ ${entries.join(', ')} }`
  return indent + flat.length + 8 <= lineWidth ? flat : block(entries, indent)
}

function schemaName(toolset: ToolsetIr, definition: string): string {
  const names = toolset.names.defs[definition]
  if (names === undefined) throw new Error(`The definition '${definition}' of toolset '${toolset.name}' has no name.`)
  return names.schema
}
