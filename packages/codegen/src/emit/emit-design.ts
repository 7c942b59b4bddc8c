import type { CodecLanguage } from '../codecs/codec-scope.js'
import { type AgentIr, type ClientRef, type DesignIr, type MetaPath, serviceUses, type ToolsetIr } from '../ir/types.js'
import { jsonText } from '../keyed-results.js'
import type { EmittedFile } from '../output/files.js'
import { record } from '../services/cache.js'
import type { ServicePlans } from '../services/plan.js'
import { agentIndexView, agentSpecsView } from './agent-index.js'
import { type AgentServiceParts, agentServiceView } from './agent-service.js'
import { agentExportView, agentMcpView, agentOpenApiView } from './agent-toolsets.js'
import { createEmissionMemory, type EmissionMemory, envsOf, nestedNeeds, toolsetOf } from './design-parts.js'
import type { ImportingFile } from './imports.js'
import { loadTemplates, type PrintFile } from './templates.js'
import { toolsetMcpView, toolsetOpenApiView } from './toolset-clients.js'
import { toolsetCodecsView, toolsetCodecTypesView } from './toolset-codecs.js'
import { toolsetCallsView, toolsetIndexView, toolsetSpecsView, toolsetTypesView } from './toolset-index.js'

/** How generated files refer to others. */
export interface EmitOptions {
  /** What ends the specifier of a relative module: `.js`, `.ts` or nothing. */
  readonly importExtension: string
  /** What codecs are written in: `codecs.ts`, or `codecs.js` with `codecs.d.ts`. */
  readonly codecs: CodecLanguage
  /**
   * The specifier by which a generated file imports the module of a client.
   *
   * @param fromFile the generated file's path below the output folder
   */
  readonly clientImport: (client: ClientRef, fromFile: string) => string
}

/**
 * The generated files of a design, in a fixed order, without `toolgen.lock.json`. The same design, plans and options give
 * the same bytes.
 *
 * @param memory what earlier runs of this process wrote. Default: nothing
 */
export function emitDesign(
  design: DesignIr,
  plans: ServicePlans,
  options: EmitOptions,
  memory: EmissionMemory = createEmissionMemory(),
): readonly EmittedFile[] {
  const codecs = design.toolsets.map(({ names }) => `toolsets/${names.folder}/codecs`)
  const scripts = new Set(options.codecs === 'js' ? codecs : [])
  const emission: Emission = { ...options, scripts, print: loadTemplates(), memory }
  const files = [
    ...design.toolsets.flatMap((toolset) => {
      const nested = nestedNeeds(design, toolset.name)
      const key = `${JSON.stringify(nested)}${jsonText(toolset)}`
      return remembered(key, emission, (own) => toolsetFiles(toolset, nested, own))
    }),
    ...design.agents.flatMap((agent) => agentFiles(agent, design, plans, emission)),
  ]
  memory.files.endRun()
  return files
}

/** What all files of a design have in common. */
interface Emission extends EmitOptions {
  readonly scripts: ImportingFile['scripts']
  readonly print: PrintFile
  readonly memory: EmissionMemory
}

/**
 * The files that are made from a part of the design and the options alone, made anew only where one of these is new.
 *
 * @param part all that they are made from
 */
function remembered(
  part: string,
  emission: Emission,
  make: (emission: Emission) => readonly EmittedFile[],
): readonly EmittedFile[] {
  const { importExtension, codecs, scripts, memory } = emission
  const options = JSON.stringify([importExtension, codecs, codecs === 'js' ? [...scripts] : []])
  return memory.files.get(`${options}${part}`, () => make(emission))
}

function toolsetFiles(toolset: ToolsetIr, nested: readonly MetaPath[], emission: Emission): readonly EmittedFile[] {
  const { print } = emission
  const folder = `toolsets/${toolset.names.folder}`
  const { descriptor, specs, toolset: constant, defs } = toolset.names
  const file = (name: string, declares: readonly string[]): ImportingFile => ({
    path: `${folder}/${name}.ts`,
    extension: emission.importExtension,
    scripts: emission.scripts,
    declares,
  })
  const codecs = file('codecs', [
    ...toolset.tools.flatMap(({ names }) => [names.payloadCodec, names.resultCodec, names.updateCodec]),
    ...Object.values(defs).map((names) => names.schema),
  ])
  const specsFile = file(
    'specs',
    toolset.tools.map(({ names }) => names.spec),
  )
  const calls = file(
    'calls',
    toolset.tools.map(({ names }) => names.call),
  )
  const index = file('index', [descriptor, specs, constant])
  const types = file('types', [
    ...toolset.tools.flatMap(({ names }) => [names.arguments, names.payload, names.result, names.update]),
    ...Object.values(defs).flatMap((names) => [names.sent, names.read]),
  ])
  return [
    { path: calls.path, text: print('toolset-calls', toolsetCallsView(toolset, nested, calls)) },
    ...codecFiles(toolset, codecs, emission),
    { path: index.path, text: print('toolset-index', toolsetIndexView(toolset, nested, index)) },
    ...mcpFiles(toolset, nested, file, print),
    ...openApiFiles(toolset, file, print),
    { path: specsFile.path, text: print('toolset-specs', toolsetSpecsView(toolset, specsFile)) },
    { path: types.path, text: print('toolset-types', toolsetTypesView(toolset, types)) },
  ]
}

/** How an MCP server serves a toolset; none where nothing says that one does. */
function mcpFiles(
  toolset: ToolsetIr,
  nested: readonly MetaPath[],
  file: (name: string, declares: readonly string[]) => ImportingFile,
  print: PrintFile,
): readonly EmittedFile[] {
  if (toolset.mcp === undefined) return []
  const mcp = file('mcp', [...Object.values(toolset.names.mcp), 'tools', 'caller', 'options', 'args', 'given'])
  return [{ path: mcp.path, text: print('toolset-mcp', toolsetMcpView(toolset, { mcp: toolset.mcp, nested }, mcp)) }]
}

/** How an HTTP API serves a toolset; none where nothing says that one does. */
function openApiFiles(
  toolset: ToolsetIr,
  file: (name: string, declares: readonly string[]) => ImportingFile,
  print: PrintFile,
): readonly EmittedFile[] {
  if (toolset.openapi === undefined) return []
  const api = file('openapi', [...Object.values(toolset.names.openapi), 'options'])
  return [{ path: api.path, text: print('toolset-openapi', toolsetOpenApiView(toolset, toolset.openapi, api)) }]
}

/** @param file the codecs as TypeScript */
function codecFiles(
  toolset: ToolsetIr,
  file: ImportingFile,
  { codecs: language, print }: Emission,
): readonly EmittedFile[] {
  const text = print('toolset-codecs', toolsetCodecsView(toolset, file, language))
  if (language === 'ts') return [{ path: file.path, text }]
  const stem = file.path.slice(0, -'.ts'.length)
  return [
    { path: `${stem}.d.ts`, text: print('toolset-codec-types', toolsetCodecTypesView(toolset, file)) },
    { path: `${stem}.js`, text },
  ]
}

function agentFiles(agent: AgentIr, design: DesignIr, plans: ServicePlans, emission: Emission): readonly EmittedFile[] {
  const { print } = emission
  const folder = `agents/${agent.names.folder}`
  const file = (name: string, declares: readonly string[]): ImportingFile => ({
    path: `${folder}/${name}.ts`,
    extension: emission.importExtension,
    scripts: emission.scripts,
    declares,
  })
  const { descriptor, register, binding, builder, bareBuilder, env } = agent.names
  const index = file('index', [register, binding, builder, bareBuilder, env, ...agent.uses.flatMap(envsOf)])
  const specs = file('specs', [
    descriptor,
    'advertisedSpecs',
    'exportedSpecs',
    ...agent.uses.map(({ names }) => names.use),
    ...agent.exports.map(({ names }) => names.export),
  ])
  const exported = agent.exports.map((offer) => {
    const { names } = offer
    const offering = file(names.file, [names.registration, names.registrationOptions, 'Env'])
    return {
      path: offering.path,
      text: print('agent-export', agentExportView({ agent, offer, design }, offering)),
    }
  })
  const services = serviceUses(agent).flatMap((use) => {
    const { client, executor, executorOptions, registration, registrationOptions } = use.names
    const service = file(use.names.file, [client, executor, executorOptions, registration, registrationOptions])
    const toolset = toolsetOf(design, use.toolset)
    const plan = plans[agent.name]?.[use.as] ?? record([])
    // Nothing else is given, so nothing else decides the text.
    const parts: AgentServiceParts = {
      agent: { ...agent, uses: [use], exports: [] },
      use,
      design: { contract: design.contract, toolsets: [toolset], agents: [] },
      plans: record([[agent.name, record([[use.as, plan]])]]),
      clientModule: emission.clientImport(use.client, service.path),
    }
    const { contract } = design
    const rest = JSON.stringify([parts.agent, use.as, contract, Object.keys(plan), parts.clientModule])
    const key = [rest, jsonText(toolset), ...Object.values(plan).map(jsonText)].join('')
    return remembered(key, emission, () => [
      { path: service.path, text: print('agent-service', agentServiceView(parts, service)) },
    ])
  })
  const servers = agent.uses.flatMap((use) => {
    if (use.provider === 'openapi') {
      const { openApiFile, registration, registrationOptions } = use.names
      const served = file(openApiFile, [registration, registrationOptions])
      return [{ path: served.path, text: print('agent-openapi', agentOpenApiView({ agent, use, design }, served)) }]
    }
    if (use.provider !== 'mcp') return []
    const { mcpFile, mcpExecutor, mcpImport, registration, registrationOptions } = use.names
    const served = file(mcpFile, [mcpExecutor, mcpImport, registration, registrationOptions])
    return [{ path: served.path, text: print('agent-mcp', agentMcpView({ agent, use, design }, served)) }]
  })
  return [
    { path: index.path, text: print('agent-index', agentIndexView(agent, design, plans, index)) },
    ...services,
    ...servers,
    ...exported,
    { path: specs.path, text: print('agent-specs', agentSpecsView(agent, design, specs)) },
  ]
}
