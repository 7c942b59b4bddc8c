import type { Agent, Toolset, ToolsetExport, ToolsetUse } from '@toolgen/dsl'
import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import type { LoadedDesign, Locations } from '../load/loaded-design.js'
import { byCodePoint } from '../text.js'
import { buildAgent, type UnnamedAgent, type UnnamedUse } from './build-agent.js'
import { buildMcpSource, buildOpenApiSource, mcpServed } from './build-tools.js'
import { type BuiltToolset, buildToolset, type UnnamedToolset } from './build-toolset.js'
import { exportersIn } from './exporters.js'
import { mcpNameFaults, nameFaults } from './name-rules.js'
import { type AnyUseNames, assignNames, type DesignNames } from './names.js'
import { knownElement } from './reserved-names.js'
import type { AgentIr, DesignIr, ToolsetIr, UseIr } from './types.js'

/** What earlier runs of this process built of the toolsets that are still in use. */
export interface BuildMemory {
  /** With the source that it was built from. */
  readonly built: WeakMap<Toolset, { readonly source: object; readonly built: BuiltToolset }>
  readonly named: WeakMap<UnnamedToolset, ToolsetIr>
}

/** A memory of nothing. */
export function createBuildMemory(): BuildMemory {
  return { built: new WeakMap(), named: new WeakMap() }
}

/**
 * Builds the design's IR and checks every rule of the design. All findings are reported together; with an error among
 * them there is no value.
 *
 * @param memory the toolsets of earlier runs of this process. Default: none
 */
export function compileDesign(loaded: LoadedDesign, memory: BuildMemory = createBuildMemory()): Checked<DesignIr> {
  const { locations } = loaded
  const rememberedSource = (toolset: Toolset): boolean => {
    const source = locations.sourceOf(toolset)
    return source !== undefined && memory.built.get(toolset)?.source === source
  }
  const misshapen = [
    ...loaded.toolsets.flatMap((toolset) => (rememberedSource(toolset) ? [] : toolsetFaults(toolset, locations))),
    ...loaded.agents.flatMap((agent) => agentFaults(agent, locations)),
  ]
  // What is not what its type says would only lead to errors that follow from it.
  if (misshapen.length > 0) return { diagnostics: misshapen }
  const byName = (a: { readonly name: string }, b: { readonly name: string }) => byCodePoint(a.name, b.name)
  const diagnostics: Diagnostic[] = [...nameFaults(loaded.toolsets, loaded.agents, locations)]
  const toolsets = new Map<string, UnnamedToolset>()
  const served = mcpServed(loaded.toolsets, loaded.agents)
  for (const value of [...loaded.toolsets].sort(byName)) {
    const built = builtToolset(value, locations, memory.built)
    diagnostics.push(...built.diagnostics, ...mcpNameFaults(value, locations))
    if (toolsets.has(value.name)) continue
    const tools = built.toolset.tools.map(({ name }) => name)
    const mcp = served.has(value.name) ? buildMcpSource(value, tools) : undefined
    const openapi = buildOpenApiSource(value, tools)
    const isServed = mcp !== undefined || openapi !== undefined
    const servers = { ...(mcp !== undefined && { mcp }), ...(openapi !== undefined && { openapi }) }
    toolsets.set(value.name, isServed ? { ...built.toolset, ...servers } : built.toolset)
  }
  const exporters = exportersIn(loaded.agents, locations)
  const agents = [...loaded.agents].sort(byName).map((value) => {
    const built = buildAgent(value, { loaded, toolsets, exporters })
    diagnostics.push(...built.diagnostics)
    return built.agent
  })
  if (diagnostics.some(({ severity }) => severity === 'error')) return { diagnostics }
  return { value: named([...toolsets.values()], agents, memory.named), diagnostics }
}

function builtToolset(value: Toolset, locations: Locations, memory: BuildMemory['built']): BuiltToolset {
  const source = locations.sourceOf(value)
  const known = memory.get(value)
  if (known !== undefined && known.source === source) return known.built
  const built = buildToolset(value, locations)
  if (source !== undefined) memory.set(value, { source, built })
  return built
}

function named(
  toolsets: readonly UnnamedToolset[],
  agents: readonly UnnamedAgent[],
  memory: BuildMemory['named'],
): DesignIr {
  const names = assignNames({
    toolsets: toolsets.map(({ name, tools, defs }) => ({ name, tools, defs: Object.keys(defs) })),
    agents,
  })
  return {
    contract: 1,
    toolsets: toolsets.map((toolset, index) => {
      const given = knownElement(names.toolsets, index)
      const known = memory.get(toolset)
      // The same object: whoever looks at what a run before saw need not look again.
      if (known !== undefined && isNamed(known, given)) return known
      const tools = toolset.tools.map((tool, position) => ({ ...tool, names: knownElement(given.tools, position) }))
      const ir: ToolsetIr = { ...toolset, tools, names: given.names }
      memory.set(toolset, ir)
      return ir
    }),
    agents: agents.map((agent, index): AgentIr => {
      const given = knownElement(names.agents, index)
      const uses = agent.uses.map((use, position) => namedUse(use, knownElement(given.uses, position)))
      const exported = agent.exports.map((offer, position) => ({
        ...offer,
        names: knownElement(given.exports, position),
      }))
      return { ...agent, uses, exports: exported, names: given.names }
    }),
  }
}

function isNamed({ names, tools }: ToolsetIr, given: DesignNames['toolsets'][number]): boolean {
  const known = { names, tools: tools.map((tool) => tool.names) }
  return JSON.stringify(known) === JSON.stringify(given)
}

/** The file of a use that an agent serves belongs to that agent. */
function namedUse(use: UnnamedUse, names: AnyUseNames): UseIr {
  const { agentEnv, mcpFile, mcpExecutor, mcpImport, openApiFile, ...own } = names
  const { use: constant, registration, registrationOptions, env } = own
  if (use.provider === 'service') return { ...use, names: own }
  if (use.provider === 'agent') return { ...use, names: { use: constant, env, agentEnv } }
  if (use.provider === 'openapi') {
    return { ...use, names: { use: constant, registration, registrationOptions, env, openApiFile } }
  }
  return {
    ...use,
    names: { use: constant, registration, registrationOptions, env, mcpFile, mcpExecutor, mcpImport },
  }
}

/** Says what a field must be; `undefined` when it is. */
type Test = (value: unknown) => string | undefined
type Fields = Readonly<Record<string, Test>>

const text: Test = (value) => (typeof value === 'string' ? undefined : 'a text')
const flag: Test = (value) => (typeof value === 'boolean' ? undefined : 'true or false')
const anything: Test = () => undefined
const resultOptions: Test = (value) => {
  const isResult =
    isObject(value) &&
    (ownValue(value, 'from') ?? 'data') === 'data' &&
    typeof (ownValue(value, 'checked') ?? false) === 'boolean'
  return isResult ? undefined : "an object with `from: 'data'`, `checked: true` or both"
}
const list: Test = (value) => (Array.isArray(value) ? undefined : 'a list')
const object: Test = (value) => (isObject(value) ? undefined : 'an object')
const texts: Test = (value) => (Array.isArray(value) && value.every(isText) ? undefined : 'a list of texts')
const textMap: Test = (value) =>
  isObject(value) && Object.values(value).every(isText) ? undefined : 'an object of texts'
/** As `defineTool` checks them. */
const defaultLayers: Test = (value) => {
  const isNumber = (name: string): boolean => {
    const number = isObject(value) ? ownValue(value, name) : undefined
    return number === undefined || (Number.isInteger(number) && Number(number) > 0)
  }
  return isObject(value) && isNumber('timeoutMs') && isNumber('attempts') ? undefined : 'an object of whole numbers'
}
const optional =
  (test: Test): Test =>
  (value) =>
    value === undefined ? undefined : test(value)
const kind =
  (name: string, what: string): Test =>
  (value) =>
    isObject(value) && ownValue(value, '~toolgen') === name ? undefined : what

const toolFields: Fields = {
  '~toolgen': (value) => (value === 'tool' ? undefined : 'what `defineTool` returns'),
  description: text,
  title: optional(text),
  payload: anything,
  result: anything,
  streaming: optional(object),
  examples: optional(list),
  callHint: optional(text),
  resultHint: optional(text),
  serverOwned: optional(textMap),
  tags: optional(texts),
  confirmation: optional(object),
  defaultLayers: optional(defaultLayers),
  idempotent: optional(flag),
  readOnly: optional(flag),
  destructive: optional(flag),
  toolName: optional(text),
  lint: optional(textMap),
}

const toolsetFields: Fields = {
  name: text,
  description: text,
  namespace: text,
  tools: object,
  definitions: optional(object),
  mcp: optional(object),
  openapi: optional(object),
  lint: optional(textMap),
}

const mcpFields: Fields = {
  server: optional(object),
  captured: optional(flag),
  names: textMap,
  unused: optional(texts),
}

const agentFields: Fields = {
  name: text,
  description: text,
  instructions: optional(text),
  uses: list,
  exports: list,
  policy: optional(object),
  lint: optional(textMap),
}

const useFields: Fields = {
  '~toolgen': (value) =>
    value === 'use' ? undefined : 'what `fromService`, `fromAgent`, `fromMcp` or `fromOpenApi` returns',
  provider: (value) =>
    ['service', 'agent', 'mcp', 'openapi'].some((known) => known === value)
      ? undefined
      : "'service', 'agent', 'mcp' or 'openapi'",
  toolset: kind('toolset', 'what `defineToolset` returns'),
  as: optional(text),
  only: optional(texts),
  rename: optional(textMap),
}

const serviceUseFields: Fields = {
  ...useFields,
  client: kind('client', 'what `serviceClient` returns'),
  tools: optional(object),
}

const mcpUseFields: Fields = { ...useFields, tools: optional(object) }

const mcpToolFields: Fields = { name: optional(text) }

const serviceToolFields: Fields = {
  method: optional(text),
  rename: optional(textMap),
  constants: optional(object),
  result: optional(resultOptions),
  collect: optional((value) => (value === 'list' || value === 'last' ? undefined : "'list' or 'last'")),
}

const exportFields: Fields = { toolset: kind('toolset', 'what `defineToolset` returns'), tools: object }

const exportedToolFields: Fields = {
  text: optional(text),
  template: optional(text),
  systemPrompt: optional(text),
  prose: optional(flag),
}

/** Whether the parts of a toolset have the types that the DSL gives them: JavaScript and casts can break them. */
function toolsetFaults(toolset: Toolset, locations: Locations): readonly Diagnostic[] {
  const faults = faultsIn(toolset, toolsetFields, [], toolset, locations)
  if (faults.length > 0) return faults
  const source = toolset.mcp === undefined ? [] : faultsIn(toolset.mcp, mcpFields, ['mcp'], toolset, locations)
  const tools = Object.entries(toolset.tools).flatMap(([name, tool]) => {
    const path = ['tools', name]
    const own = faultsIn(tool, toolFields, path, toolset, locations)
    if (own.length > 0 || tool.confirmation === undefined) return own
    return faultsIn(
      tool.confirmation,
      { prompt: text, deniedResult: anything },
      [...path, 'confirmation'],
      toolset,
      locations,
    )
  })
  return [...source, ...tools]
}

/** Likewise for an agent, its uses and its exports. */
function agentFaults(agent: Agent, locations: Locations): readonly Diagnostic[] {
  const faults = faultsIn(agent, agentFields, [], agent, locations)
  if (faults.length > 0) return faults
  return [
    ...agent.uses.flatMap((use, index) => useFaults(use, ['uses', index], agent, locations)),
    ...agent.exports.flatMap((offer, index) => exportFaults(offer, ['exports', index], agent, locations)),
  ]
}

type Path = readonly (string | number)[]

function useFaults(use: ToolsetUse, path: Path, agent: Agent, locations: Locations): readonly Diagnostic[] {
  const provider = isObject(use) ? ownValue(use, 'provider') : undefined
  const isPlain = provider === 'agent' || provider === 'openapi'
  const fields = isPlain ? useFields : provider === 'mcp' ? mcpUseFields : serviceUseFields
  const faults = faultsIn(use, fields, path, agent, locations)
  if (faults.length > 0 || use.provider === 'agent' || use.provider === 'openapi') return faults
  return Object.entries(use.tools ?? {}).flatMap(([name, tool]) =>
    faultsIn(tool, provider === 'mcp' ? mcpToolFields : serviceToolFields, [...path, 'tools', name], agent, locations),
  )
}

function exportFaults(
  offer: Toolset | ToolsetExport,
  path: Path,
  agent: Agent,
  locations: Locations,
): readonly Diagnostic[] {
  if (!isExport(offer)) {
    const toolset = kind('toolset', 'what `defineToolset` or `exportToolset` returns')
    return faultsIn({ toolset: offer }, { toolset }, path, agent, locations)
  }
  const faults = faultsIn(offer, exportFields, path, agent, locations)
  if (faults.length > 0) return faults
  return Object.entries(offer.tools).flatMap(([name, tool]) =>
    faultsIn(tool, exportedToolFields, [...path, 'tools', name], agent, locations),
  )
}

function isExport(offer: Toolset | ToolsetExport): offer is ToolsetExport {
  return isObject(offer) && ownValue(offer, '~toolgen') === 'export'
}

function faultsIn(
  value: unknown,
  fields: Fields,
  path: Path,
  definition: object,
  locations: Locations,
): readonly Diagnostic[] {
  if (!isObject(value)) return [fault(path.join('.'), 'an object', locations.locationOf(definition, ...path))]
  return Object.entries(fields).flatMap(([name, test]) => {
    const expected = test(ownValue(value, name))
    const label = name === '~toolgen' ? path.join('.') : [...path, name].join('.')
    return expected === undefined ? [] : [fault(label, expected, locations.locationOf(definition, ...path, name))]
  })
}

function fault(label: string, expected: string, location: Diagnostic['location']): Diagnostic {
  return {
    code: 'TG2005',
    severity: 'error',
    message: label === '' ? `This must be ${expected}.` : `\`${label}\` must be ${expected}.`,
    ...(location === undefined ? {} : { location }),
    next: 'Make it with the functions of @toolgen/dsl, and let TypeScript check the design.',
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function ownValue(value: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(value, key)?.value
}
