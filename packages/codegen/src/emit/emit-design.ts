import type { CodecLanguage } from '../codecs/code.js'
import { type AgentIr, type ClientRef, type DesignIr, serviceUses, type ToolsetIr } from '../ir/types.js'
import { jsonText, KeyedResults } from '../keyed-results.js'
import type { EmittedFile } from '../output/files.js'
import { record, type ServicePlans } from '../services/plan.js'
import { agentIndex, agentIndexNames, agentSpecs } from './agent.js'
import { agentService } from './agent-service.js'
import { nestedNeeds, toolsetOf } from './design-queries.js'
import { GeneratedFile } from './generated-file.js'
import { agentExport, agentMcp, agentOpenApi, toolsetMcp, toolsetOpenApi } from './servers.js'
import { toolsetCalls, toolsetIndex, toolsetSpecs, toolsetTypes } from './toolset.js'
import { toolsetCodecs, toolsetCodecTypes } from './toolset-codecs.js'

/** Options for specifiers and codecs of generated files. */
export interface EmitOptions {
  /** The end of the specifier of a relative module: `.js`, `.ts` or empty. */
  readonly importExtension: string
  /** The language of codecs: `codecs.ts`, or `codecs.js` with `codecs.d.ts`. */
  readonly codecs: CodecLanguage
  /**
   * Returns the specifier by which a generated file imports the module of a client.
   *
   * @param fromFile the generated file's path below the output folder
   */
  readonly clientImport: (client: ClientRef, fromFile: string) => string
}

/** The texts of earlier runs of this process. */
export interface EmissionMemory {
  /** The files of a part of the design, by everything that their texts are made from. */
  readonly files: KeyedResults<readonly EmittedFile[]>
  /** The files of the last run that were parsed without a syntax error: path → text. */
  readonly parsed: Map<string, string>
}

export function createEmissionMemory(): EmissionMemory {
  return { files: new KeyedResults(), parsed: new Map() }
}

type NewFile = (path: string, declares: readonly string[]) => GeneratedFile

/**
 * Emits the generated files of a design, in a fixed order, without `toolgen.lock.json`. The same design, plans and options
 * give the same bytes.
 */
export function emitDesign(
  design: DesignIr,
  plans: ServicePlans,
  options: EmitOptions,
  memory: EmissionMemory = createEmissionMemory(),
): readonly EmittedFile[] {
  const codecs = design.toolsets.map(({ names }) => `toolsets/${names.folder}/codecs`)
  const scripts = new Set(options.codecs === 'js' ? codecs : [])
  const specifiers = { extension: options.importExtension, scripts }
  const newFile: NewFile = (path, declares) => new GeneratedFile(path, declares, specifiers)
  const optionsKey = JSON.stringify([options.importExtension, options.codecs, [...scripts]])
  const once = (key: string, make: () => readonly EmittedFile[]): readonly EmittedFile[] =>
    memory.files.get(optionsKey + key, make)
  const files = [
    ...design.toolsets.flatMap((toolset) => {
      const nested = nestedNeeds(design, toolset.name)
      return once(`${JSON.stringify(nested)}${jsonText(toolset)}`, () =>
        toolsetFiles(toolset, nested, options.codecs, newFile),
      )
    }),
    ...design.agents.flatMap((agent) => agentFiles(agent, design, plans, options, newFile, once)),
  ]
  memory.files.endRun()
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
  const file = (name: string, declares: readonly string[]): GeneratedFile =>
    newFile(`toolsets/${folder}/${name}.ts`, declares)
  const codecs = file('codecs', [
    ...names.flatMap(({ payloadCodec, resultCodec, updateCodec }) => [payloadCodec, resultCodec, updateCodec]),
    ...Object.values(defs).map(({ schema }) => schema),
  ])
  const types = [
    ...names.flatMap(({ arguments: args, payload, result, update }) => [args, payload, result, update]),
    ...Object.values(defs).flatMap(({ sent, read }) => [sent, read]),
  ]
  const calls = names.map(({ call }) => call)
  const codecFiles = [toolsetCodecs(toolset, language, codecs)]
  if (language === 'js') {
    const stem = codecs.path.slice(0, -'.ts'.length)
    const [script] = codecFiles.splice(0, 1)
    const declared = toolsetCodecTypes(toolset, file('codecs', codecs.declares))
    codecFiles.push({ ...declared, path: `${stem}.d.ts` }, { path: `${stem}.js`, text: script?.text ?? '' })
  }
  const mcpNames = [...Object.values(mcp), 'tools', 'caller', 'options', 'args']
  return [
    toolsetCalls(toolset, nested, file('calls', calls)),
    ...codecFiles,
    toolsetIndex(toolset, nested, file('index', [descriptor, specs, constant])),
    ...(toolset.mcp === undefined ? [] : [toolsetMcp(toolset, toolset.mcp, nested, file('mcp', mcpNames))]),
    ...(toolset.openapi === undefined
      ? []
      : [toolsetOpenApi(toolset, toolset.openapi, file('openapi', [...Object.values(openapi), 'options']))]),
    toolsetSpecs(
      toolset,
      file(
        'specs',
        names.map(({ spec }) => spec),
      ),
    ),
    toolsetTypes(toolset, file('types', types)),
  ]
}

function agentFiles(
  agent: AgentIr,
  design: DesignIr,
  plans: ServicePlans,
  options: EmitOptions,
  newFile: NewFile,
  once: (key: string, make: () => readonly EmittedFile[]) => readonly EmittedFile[],
): readonly EmittedFile[] {
  const file = (name: string, declares: readonly string[]): GeneratedFile =>
    newFile(`agents/${agent.names.folder}/${name}.ts`, declares)
  const services = serviceUses(agent).flatMap((use) => {
    const { client, executor, executorOptions, registration, registrationOptions } = use.names
    const service = file(use.names.file, [client, executor, executorOptions, registration, registrationOptions])
    const toolset = toolsetOf(design, use.toolset)
    // Nothing else is passed on, so nothing else decides the text.
    const context = {
      agent: { ...agent, uses: [use], exports: [] },
      use,
      design: { contract: design.contract, toolsets: [toolset], agents: [] },
      plans: plans[agent.name]?.[use.as] ?? record([]),
      clientModule: options.clientImport(use.client, service.path),
    }
    const rest = [context.agent, use.as, design.contract, Object.keys(context.plans), context.clientModule]
    const key = [JSON.stringify(rest), jsonText(toolset), ...Object.values(context.plans).map(jsonText)].join('')
    return once(key, () => [agentService(context, service)])
  })
  const servers = agent.uses.flatMap((use) => {
    if (use.provider === 'openapi') {
      const { openApiFile, registration, registrationOptions } = use.names
      return [agentOpenApi(use, agent, design, file(openApiFile, [registration, registrationOptions]))]
    }
    if (use.provider !== 'mcp') return []
    const { mcpFile, mcpExecutor, mcpImport, registration, registrationOptions } = use.names
    const declares = [mcpExecutor, mcpImport, registration, registrationOptions]
    return [agentMcp(use, agent, design, file(mcpFile, declares))]
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
    agentIndex(agent, design, plans, file('index', agentIndexNames(agent))),
    ...services,
    ...servers,
    ...exported,
    agentSpecs(agent, design, file('specs', specs)),
  ]
}
