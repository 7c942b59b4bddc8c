import { jsonHash, KeyedResults, type Once, onceIn } from '../cache.js'
import { type CodecLanguage, namespaces } from '../codecs/code.js'
import { type CodecSource, type CompiledSource, compileCodecs } from '../codecs/compile-codecs.js'
import { fillArrow } from '../codecs/fill.js'
import type { AgentIr, DesignIr, Json, MetaPath, Schema, ToolIr, ToolsetIr } from '../ir/types.js'
import { type ClientRef, serviceUses } from '../ir/uses.js'
import type { EmittedFile } from '../output/files.js'
import { closedSchema } from '../schema/definitions.js'
import { isObject } from '../schema/json-schema.js'
import { definitionsUsed } from '../schema/references.js'
import { record, type ServicePlans } from '../services/plan.js'
import { docComment, flatLiteral, keyText, lineWidth, literalText, propertyNameText, stringText } from '../text.js'
import { agentApi, agentIndex, agentIndexNames, agentSearchIndex, agentService, agentSpecs } from './agent.js'
import {
  acceptsNoArguments,
  decodedType,
  failureNames,
  failuresOf,
  needsType,
  nestedNeeds,
  toolsetModule,
  toolsetOf,
} from './design-queries.js'
import { failuresEntry, toolsetFailures } from './failures.js'
import { GeneratedFile } from './generated-file.js'
import { block, constantHead, entries, entry, functionHead, schemaText, typeMember } from './layout.js'
import { agentMcp, toolsetMcp } from './mcp.js'
import { toolsetOpenApi } from './openapi.js'
import { agentExport, agentPlainUse } from './registrations.js'
import { toolsetTypes } from './toolset-types.js'

export interface EmitOptions {
  /** `.js`, `.ts` or empty. */
  readonly importExtension: string
  readonly codecs: CodecLanguage
  readonly declarations?: boolean
  readonly searchIndex?: boolean
  /** The path `fromFile` is relative to the output folder. */
  readonly clientImport: (client: ClientRef, fromFile: string) => string
}

export interface EmissionMemory {
  /** A key must contain all data that affect the generated files of one part of the design, such as one toolset. */
  readonly files: KeyedResults<readonly EmittedFile[]>
  /** Parts of generated files, one for each toolset that an agent uses. */
  readonly parts: KeyedResults<readonly string[]>
  /** Texts of the previous run, by path. The next run checks the syntax only of changed texts. Empty after a syntax error. */
  readonly parsed: Map<string, string>
}

export function createEmissionMemory(): EmissionMemory {
  return { files: new KeyedResults(), parts: new KeyedResults(), parsed: new Map() }
}

type NewFile = (path: string, declares: readonly string[]) => GeneratedFile

interface Remembered {
  readonly files: Once<readonly EmittedFile[]>
  readonly parts: Once<readonly string[]>
}

/** The same input always results in the same bytes. */
export function emitDesign(
  design: DesignIr,
  plans: ServicePlans,
  options: EmitOptions,
  memory?: EmissionMemory,
): readonly EmittedFile[] {
  const codecs = design.toolsets.map(({ names }) => `toolsets/${names.folder}/codecs`)
  const scripts = new Set(options.codecs === 'js' ? codecs : [])
  const specifiers = { extension: options.importExtension, scripts }
  const newFile: NewFile = (path, declares) => new GeneratedFile(path, declares, specifiers)
  const shared = [options.importExtension, options.codecs, [...scripts]]
  const once = { files: onceIn(memory?.files, shared), parts: onceIn(memory?.parts, []) }
  const files = [
    ...design.toolsets.flatMap((toolset) => {
      const nested = nestedNeeds(design, toolset.name)
      return once.files(
        () => [nested, jsonHash(toolset)],
        () => toolsetFiles(toolset, nested, options.codecs, newFile),
      )
    }),
    ...design.agents.flatMap((agent) => agentFiles(agent, design, plans, options, newFile, once)),
  ]
  memory?.files.endRun()
  memory?.parts.endRun()
  return files
}

function toolsetFiles(
  toolset: ToolsetIr,
  nested: readonly string[],
  language: CodecLanguage,
  newFile: NewFile,
): readonly EmittedFile[] {
  const { descriptor, specs, toolset: constant, defs, folder, mcp, openapi } = toolset.names
  const names = toolset.tools.map((tool) => tool.names)
  const failures = Object.values(toolset.names.failures ?? {})
  const file = (name: string, declares: readonly string[]): GeneratedFile =>
    newFile(`toolsets/${folder}/${name}.ts`, declares)
  const codecs = file('codecs', [
    ...names.flatMap(({ payloadCodec, resultCodec, updateCodec, errors }) => [
      ...[payloadCodec, resultCodec, updateCodec, ...(errors === undefined ? [] : [errors.schemas])],
    ]),
    ...Object.values(defs).map(({ schema }) => schema),
    ...failures.map(({ codec }) => codec),
  ])
  const types = [
    ...names.flatMap(({ arguments: args, payload, result, update, errors, failures: declared }) => [
      ...[args, payload, result, update, ...(errors === undefined ? [] : [errors.type])],
      ...(declared === undefined ? [] : [declared.type]),
    ]),
    ...failures.map(({ data }) => data),
    ...Object.values(defs).flatMap(({ sent, read }) => [sent, read]),
  ]
  const calls = names.map(({ call }) => call)
  const specNames = names.map(({ spec }) => spec)
  const stem = codecs.path.slice(0, -'.ts'.length)
  const codecModule = toolsetCodecs(toolset, language, codecs)
  const codecFiles =
    language === 'ts'
      ? [codecModule]
      : [
          { ...toolsetCodecTypes(toolset, file('codecs', codecs.declares)), path: `${stem}.d.ts` },
          { ...codecModule, path: `${stem}.js` },
        ]
  const openApiNames = [...Object.values(openapi), 'options', 'method', 'args']
  const mcpNames = [...Object.values(mcp), 'tools', 'executor', 'caller', 'options', 'args']
  return [
    toolsetCalls(toolset, nested, file('calls', calls)),
    ...codecFiles,
    ...(failures.length === 0
      ? []
      : [
          toolsetFailures(
            toolset,
            file(
              'failures',
              failures.map(({ create }) => create),
            ),
          ),
        ]),
    toolsetIndex(toolset, nested, file('index', [descriptor, specs, constant])),
    ...(toolset.mcp === undefined ? [] : [toolsetMcp(toolset, toolset.mcp, nested, file('mcp', mcpNames))]),
    ...(toolset.openapi === undefined ? [] : [toolsetOpenApi(toolset, toolset.openapi, file('openapi', openApiNames))]),
    toolsetSpecs(toolset, file('specs', specNames)),
    toolsetTypes(toolset, file('types', types)),
  ]
}

function agentFiles(
  agent: AgentIr,
  design: DesignIr,
  plans: ServicePlans,
  options: EmitOptions,
  newFile: NewFile,
  once: Remembered,
): readonly EmittedFile[] {
  const file = (name: string, declares: readonly string[]): GeneratedFile =>
    newFile(`agents/${agent.names.folder}/${name}.ts`, declares)
  const services = serviceUses(agent).flatMap((use) => {
    const { client, executor, executorOptions, registration, registrationOptions } = use.names
    const service = file(use.names.file, [client, executor, executorOptions, registration, registrationOptions])
    const toolset = toolsetOf(design, use.toolset)
    // The cache key contains only these values, so the texts must not depend on any other value.
    const context = {
      agent: { ...agent, uses: [use], exports: [] },
      use,
      design: { contract: design.contract, toolsets: [toolset], agents: [] },
      plans: plans[agent.name]?.[use.as] ?? record([]),
      clientModule: options.clientImport(use.client, service.path),
    }
    const rest = [context.agent, use.as, design.contract, context.clientModule]
    const ofTools = Object.entries(context.plans).map(([tool, plan]) => [tool, jsonHash(plan)])
    return once.files(
      () => [...rest, jsonHash(toolset), ofTools],
      () => [agentService(context, service)],
    )
  })
  const servers = agent.uses.flatMap((use) => {
    if (use.provider === 'service' || use.provider === 'agent') return []
    const declares = [use.names.registration, use.names.registrationOptions]
    if (use.provider !== 'mcp') return [agentPlainUse(use, agent, design, file(use.names.file, declares))]
    const { mcpExecutor, mcpImport } = use.names
    return [agentMcp(use, agent, design, file(use.names.file, [mcpExecutor, mcpImport, ...declares]))]
  })
  const exported = agent.exports.map((offer) => {
    const { names } = offer
    return agentExport(offer, agent, design, file(names.file, [names.registration, names.registrationOptions, 'Env']))
  })
  const specs = [
    agent.names.descriptor,
    'advertisedSpecs',
    'exportedSpecs',
    ...agent.uses.map(({ names }) => names.use),
    ...agent.exports.map(({ names }) => names.export),
  ]
  return [
    ...toolFiles(agent, design, options, file, once),
    agentIndex(agent, design, plans, file('index', agentIndexNames(agent))),
    ...services,
    ...servers,
    ...exported,
    agentSpecs(agent, design, file('specs', specs)),
  ]
}

function toolFiles(
  agent: AgentIr,
  design: DesignIr,
  { declarations = true, searchIndex = false }: EmitOptions,
  file: (name: string, declares: readonly string[]) => GeneratedFile,
  once: Remembered,
): readonly EmittedFile[] {
  if (agent.uses.every(({ tools }) => tools.length === 0)) return []
  return [
    ...(declarations ? [agentApi(agent, design, file('api', []), once.parts)] : []),
    ...(searchIndex ? [agentSearchIndex(agent, design, file('search-index', ['searchIndex']), once.parts)] : []),
  ]
}

function toolsetIndex(toolset: ToolsetIr, nested: readonly MetaPath[], file: GeneratedFile): EmittedFile {
  const { names } = toolset
  const tools = toolset.tools.map((tool) => {
    const types = file.types('types', toolsetModule(toolset, 'types'))
    const [specs, codecs, calls] = ['specs', 'codecs', 'calls'].map((name) =>
      file.values(name, toolsetModule(toolset, name)),
    )
    const { names: own } = tool
    const descriptor = [
      `${types}.${own.arguments}`,
      decodedType(tool, types, file),
      `${types}.${own.result}`,
      needsType(tool, nested),
      ...(own.failures === undefined ? [] : [`${types}.${own.failures.type}`]),
    ]
    return {
      member: typeMember(propertyNameText(tool.name), file.type('ToolDescriptor'), descriptor, 2),
      value: descriptorText(keyText(tool.name), [
        `spec: ${specs}.${own.spec}`,
        `payload: ${codecs}.${own.payloadCodec}`,
        `result: ${codecs}.${own.resultCodec}`,
        `call: ${calls}.${own.call}`,
      ]),
    }
  })
  return file.print('toolset-index', toolset.location, {
    exported: ['calls', 'codecs', ...(names.failures === undefined ? [] : ['failures']), 'specs', 'types'].map((name) =>
      stringText(file.specifier(toolsetModule(toolset, name).generated)),
    ),
    comment: docComment(toolset.description),
    descriptor: names.descriptor,
    tools,
    freeze: file.value('toolDescriptors'),
    specs: { constant: names.specs, type: file.type('ToolSpec'), of: file.value('specsOf') },
    toolset: {
      comment: docComment(`Descriptor of the toolset \`${toolset.name}\` for the runtime.`),
      type: file.type('ToolsetDescriptor'),
      constant: names.toolset,
      name: stringText(toolset.name),
      namespace: stringText(toolset.namespace),
      description: stringText(toolset.description),
      toolsOf: file.value('toolsOf'),
    },
  })
}

function descriptorText(key: string, parts: readonly [string, string, string, string]): string {
  const [spec, payload, result, call] = parts
  const lines = [`${key}: { ${spec}, ${payload},`, `  ${result}, ${call} }`]
  // Lines are indented by two columns, and the last one is followed by a comma.
  if (lines.every((line) => line.length + 3 <= lineWidth)) return lines.join('\n  ')
  return `${key}: ${block(parts, 2)}`
}

function toolsetCalls(toolset: ToolsetIr, nested: readonly MetaPath[], file: GeneratedFile): EmittedFile {
  const calls = toolset.tools.map((tool) => {
    const types = file.types('types', toolsetModule(toolset, 'types'))
    const needs = needsType(tool, nested)
    const args = `args: ${types}.${tool.names.arguments}${acceptsNoArguments(tool, toolset) ? ' = {}' : ''}`
    const { result, failures } = tool.names
    const declared = failures === undefined ? [] : [needs, `${types}.${failures.type}`]
    const others = needs === 'never' ? declared : [needs, ...declared.slice(1)]
    const call = `${file.type('ToolCall')}<${[`${types}.${result}`, ...others].join(', ')}>`
    return {
      comment: docComment(tool.description),
      head: functionHead(tool.names.call, [args, `options?: ${file.type('ToolCallOptions')}`], call),
      make: file.value('newToolCall'),
      spec: `${file.values('specs', toolsetModule(toolset, 'specs'))}.${tool.names.spec}`,
      codec: `${file.values('codecs', toolsetModule(toolset, 'codecs'))}.${tool.names.payloadCodec}`,
    }
  })
  return file.print('toolset-calls', toolset.location, { calls })
}

function toolsetSpecs(toolset: ToolsetIr, file: GeneratedFile): EmittedFile {
  const specs = toolset.tools.map((tool) => {
    const { names, updates } = tool
    const codecs = file.values('codecs', toolsetModule(toolset, 'codecs'))
    const type = `${file.type('ToolSpec')}<${stringText(tool.id)}>`
    const call = `/* @__PURE__ */ ${file.value('toolSpec')}(`
    const head = constantHead(`${names.spec}: ${type}`, `${call}{`)
    const schemas = [names.payloadCodec, names.resultCodec, ...(updates === undefined ? [] : [names.updateCodec])]
    const declared = (tool.failures ?? []).map(({ name }) => {
      const module = file.values('failures', toolsetModule(toolset, 'failures'))
      return `${module}.${failureNames(toolset, name).create}`
    })
    const fields = [
      ...entries(specFields(tool, toolset), head.indent + 2),
      ...failuresEntry(tool, declared, codecs, file),
    ]
    const codecArguments = schemas.map((name) => `${codecs}.${name}`).join(', ')
    return `${head.text}${call}${block(fields, head.indent)}, ${codecArguments})`
  })
  return file.print('toolset-specs', toolset.location, { specs })
}

export function specFields(tool: ToolIr, toolset: ToolsetIr): Readonly<Record<string, Json | undefined>> {
  const { callHint, resultHint, confirmation, defaultLayers, maxResult, paging, annotations, meta } = tool
  const { sensitive, reads, writes } = tool
  // The runtime derives a toolset's name from a tool id: the text before the first dot. For a name with a dot, this is wrong.
  const dotted = toolset.name.includes('.')
  const serverOwned = tool.serverOwned.map(({ field, from, schema }) => ({
    field,
    from,
    schema: closedSchema(schema, toolset.defs),
  }))
  return {
    id: tool.id,
    ...(dotted && { toolset: toolset.name, name: tool.name }),
    namespace: unless(toolset.namespace === 'default', toolset.namespace),
    toolName: unless(tool.toolName === `${toolset.name}_${tool.name}`, tool.toolName),
    title: tool.title,
    description: tool.description,
    tags: unless(tool.tags.length === 0, tool.tags),
    meta: meta && { ...meta },
    examples: tool.examples,
    callHint,
    resultHint,
    serverOwned: unless(serverOwned.length === 0, serverOwned),
    annotations: unless(Object.keys(annotations).length === 0, { ...annotations }),
    reads: reads && [...reads],
    writes: writes && [...writes],
    confirmation: confirmation && { ...confirmation },
    defaultLayers: defaultLayers && { ...defaultLayers },
    maxResult: maxResult && { ...maxResult },
    paging: paging && { ...paging },
    sensitive: sensitive && { ...sensitive },
    hash: tool.hash,
  }
}

function unless<T>(isDefault: boolean, value: T): T | undefined {
  return isDefault ? undefined : value
}

function toolsetCodecs(toolset: ToolsetIr, language: CodecLanguage, file: GeneratedFile): EmittedFile {
  const codecs = codecsOf(toolset)
  const failing = toolset.tools.flatMap(({ errors = {} }) => Object.values(errors))
  const failures = failureCodecs(toolset)
  const ofFailures = failures.map(({ schema }) => schema)
  const shared = new Set(
    [...codecs.map(({ schema }) => schema), ...failing, ...ofFailures].flatMap((schema) =>
      definitionsUsed(schema, toolset.defs),
    ),
  )
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
  const unused = new Map(namespaces.map((name) => [name, new RegExp(`(?<![\\w$.])${name}\\.`)]))
  const declarations = codecs.map((codec, index) => {
    const functions = compiled[index]
    const own = functions?.declarations.join('\n') ?? ''
    const text = [functions?.is, functions?.serialize, functions?.strip, functions?.complete, own].join('\n')
    for (const [name, use] of unused) if (use.test(text) && unused.delete(name)) file.value(name)
    return `${own}${own === '' ? '' : '\n'}${codecText(codec, functions, toolset, language, file)}`
  })
  return file.print('toolset-codecs', toolset.location, {
    isScript: language === 'js',
    hasFunctions: compiled.some((functions) => functions !== undefined),
    declarations: [
      ...schemas,
      ...declarations,
      ...errorSchemas(toolset, language, file),
      ...failures.map((codec) => codecText(codec, undefined, toolset, language, file)),
    ],
  })
}

/** The codecs for the data of failures have no generated functions: the runtime interprets their schemas, because failures are rare. */
function failureCodecs(toolset: ToolsetIr): readonly ToolCodec[] {
  return failuresOf(toolset).flatMap(({ name, schema }): readonly ToolCodec[] => {
    const names = failureNames(toolset, name)
    return schema === undefined ? [] : [{ name: names.codec, stem: names.data, schema, drops: true, kind: 'result' }]
  })
}

function toolsetCodecTypes(toolset: ToolsetIr, file: GeneratedFile): EmittedFile {
  const declarations = [...codecsOf(toolset), ...failureCodecs(toolset)].map((codec) => {
    const { generic, args } = codecType(codec, toolset, file)
    const head = `export declare const ${codec.name}: ${generic}<`
    const flat = `${head}${args.join(', ')}>`
    return flat.length <= lineWidth ? flat : `${head}\n${args.map((arg) => `  ${arg}`).join(',\n')}\n>`
  })
  const errors = failingTools(toolset).map(
    ({ names }) => `export declare const ${names.schemas}: ${errorSchemasType(file)}`,
  )
  return file.print('toolset-codec-types', toolset.location, { declarations: [...declarations, ...errors] })
}

function failingTools({ tools }: ToolsetIr) {
  return tools.flatMap(({ errors, names }) =>
    errors === undefined || names.errors === undefined ? [] : [{ errors, names: names.errors }],
  )
}

function errorSchemasType(file: GeneratedFile): string {
  return `Readonly<Record<string, ${file.type('JsonSchema')}>>`
}

function errorSchemas(toolset: ToolsetIr, language: CodecLanguage, file: GeneratedFile): readonly string[] {
  return failingTools(toolset).map(({ errors, names }) => {
    const bodies = Object.entries(errors).map(([status, schema]) => {
      const used = definitionsUsed(schema, toolset.defs)
      const start = `${keyText(status)}: `
      if (!isObject(schema) || used.length === 0) return entry(status, schema, 2)
      const shared = `$defs: ${sharedText(used, toolset, 4)}`
      const flat = `${start}{ ${[...Object.entries(schema).map(([key, value]) => `${keyText(key)}: ${flatLiteral(value)}`), shared].join(', ')} }`
      return flat.length + 3 <= lineWidth && !flat.includes('\n') ? flat : `${start}${schemaText(schema, 2, [shared])}`
    })
    const type = language === 'ts' ? `: ${errorSchemasType(file)}` : ''
    return `export const ${names.schemas}${type} = ${block(bodies, 0)}`
  })
}

type ToolCodec = CodecSource & { readonly name: string } & (
    | { readonly kind: 'payload'; readonly tool: ToolIr }
    | { readonly kind: 'result' }
  )

function codecsOf({ tools }: ToolsetIr): readonly ToolCodec[] {
  return tools.flatMap((tool): readonly ToolCodec[] => {
    const { names, updates } = tool
    const ofResult = (name: string, stem: string, schema: Schema): ToolCodec => {
      return { name, stem, schema, drops: true, kind: 'result' }
    }
    return [
      { name: names.payloadCodec, stem: names.arguments, schema: tool.arguments, kind: 'payload', tool },
      ofResult(names.resultCodec, names.result, tool.result),
      ...(updates === undefined ? [] : [ofResult(names.updateCodec, names.update, updates)]),
    ]
  })
}

function codecType(
  codec: ToolCodec,
  toolset: ToolsetIr,
  file: GeneratedFile,
): { readonly generic: string; readonly args: readonly string[] } {
  const types = file.types('types', toolsetModule(toolset, 'types'))
  const sent = `${types}.${codec.stem}`
  const read = codec.kind === 'payload' ? [decodedType(codec.tool, types, file)] : []
  return { generic: file.type('Codec'), args: [sent, ...read] }
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

function functionsText({ is, serialize, strip, complete, parts }: CompiledSource, indent: number): string {
  const copy = strip ?? complete ?? ''
  const name = strip === undefined ? 'complete: ' : 'strip: '
  const entries = [`is: ${is}`, ...(serialize === undefined ? [] : [`serialize: ${serialize}`])]
  if (parts.length === 0) {
    const start = `{ ${entries.join(', ')}`
    if (copy === '') return `${start} }`
    const used = indent + `} }, ${start}, ${name}`.length
    return `${start}, ${name}${fillArrow(copy, { indent: indent + 2, used, after: ' })'.length })} }`
  }
  if (copy !== '') {
    const used = indent + 2 + name.length
    entries.push(`${name}${fillArrow(copy, { indent: indent + 4, used, after: ','.length })}`)
  }
  const guards = parts.map(([pointer, name]) => `${keyText(pointer)}: ${name}`)
  return block([...entries, `parts: ${block(guards, indent + 2)}`], indent)
}

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
