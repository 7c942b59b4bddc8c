import type { Agent, AgentUse, ServiceUse, Toolset, ToolsetExport, ToolsetUse } from '@toolgen/dsl'
import { defined } from '../defined.js'
import { type Diagnostic, errorAt, type SourceLocation } from '../diagnostics/diagnostic.js'
import { nearest } from '../diagnostics/near-names.js'
import type { LoadedDesign } from '../load/load-design.js'
import type { Locations } from '../load/source-positions.js'
import { isObject, own } from '../schema/json-schema.js'
import { toJson } from '../schema/json-values.js'
import type { UnnamedToolset } from './build-toolset.js'
import { type AdvertisedTool, toolNameClashes, toolNameErrors, unknownTool, useNameErrors } from './name-rules.js'
import { descriptionErrors, exportedToolErrors, notJson } from './text-rules.js'
import { defaultToolName } from './tool-names.js'
import { serverToolName } from './tool-sources.js'
import type { AgentIr, ExportedToolIr, ExportIr } from './types.js'
import type {
  AgentUseIr,
  BindingLocations,
  McpUseIr,
  PlainUseIr,
  ServiceToolIr,
  ServiceUseIr,
  UsedToolIr,
} from './uses.js'

export type UnnamedAgent = Omit<AgentIr, 'names' | 'uses' | 'exports'> & {
  readonly uses: readonly UnnamedUse[]
  readonly exports: readonly Omit<ExportIr, 'names'>[]
}

export type UnnamedUse =
  | Omit<ServiceUseIr, 'names'>
  | Omit<AgentUseIr, 'names'>
  | Omit<McpUseIr, 'names'>
  | Omit<PlainUseIr, 'names'>

type Exporters = ReadonlyMap<string, readonly { readonly agent: string; readonly location: SourceLocation }[]>

type Path = readonly (string | number)[]

export function exportersIn(agents: readonly Agent[], locations: Locations): Exporters {
  const found = new Map<string, Exporters extends ReadonlyMap<string, infer List> ? List : never>()
  for (const agent of agents) {
    for (const [name, index] of distinctExports(agent)) {
      const exporter = { agent: agent.name, location: locations.locationOf(agent, 'exports', index) }
      found.set(name, [...(found.get(name) ?? []), exporter])
    }
  }
  return found
}

function toolsetOfExport(exported: Toolset | ToolsetExport): Toolset {
  return exported['~toolgen'] === 'export' ? exported.toolset : exported
}

function distinctExports(agent: Agent): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const [index, exported] of agent.exports.entries()) {
    const { name } = toolsetOfExport(exported)
    if (!found.has(name)) found.set(name, index)
  }
  return found
}

interface DesignContext {
  readonly loaded: LoadedDesign
  readonly toolsets: ReadonlyMap<string, UnnamedToolset>
  readonly exporters: Exporters
}

export function buildAgent(
  agent: Agent,
  context: DesignContext,
): { readonly agent: UnnamedAgent; readonly diagnostics: readonly Diagnostic[] } {
  const builder = new AgentBuilder(agent, context)
  return { agent: builder.build(), diagnostics: builder.diagnostics }
}

class AgentBuilder {
  readonly diagnostics: Diagnostic[] = []
  readonly #agent: Agent
  readonly #context: DesignContext
  readonly #advertised: AdvertisedTool[] = []

  constructor(agent: Agent, context: DesignContext) {
    this.#agent = agent
    this.#context = context
  }

  #at(...path: Path): SourceLocation {
    return this.#context.loaded.locations.locationOf(this.#agent, ...path)
  }

  #valueAt(...path: Path): SourceLocation {
    return this.#context.loaded.locations.valueLocationOf(this.#agent, path)
  }

  build(): UnnamedAgent {
    const { name, description, instructions, policy, maxResult, lint } = this.#agent
    this.diagnostics.push(...descriptionErrors(`the agent \`${name}\``, description, () => this.#at('description')))
    const limits = policy === undefined ? undefined : toJson(policy)
    if (limits?.ok === false) this.diagnostics.push(notJson('policy', limits.message, this.#at('policy')))
    const uses = this.#agent.uses.flatMap((use, index) => this.#use(use, ['uses', index]) ?? [])
    const exported = this.#agent.exports.map((one, index) => this.#export(one, index))
    this.#checkRepetitions()
    this.diagnostics.push(
      ...toolNameClashes(name, 'uses', this.#advertised),
      ...toolNameClashes(name, 'exports', this.#exportedTools()),
    )
    return defined({
      name,
      description,
      instructions,
      policy: limits?.ok && isObject(limits.json) ? limits.json : undefined,
      maxResult: maxResult && { ...maxResult },
      uses,
      exports: exported,
      lint: lint && { ...lint },
      location: this.#at(),
    })
  }

  #exportedTools(): readonly AdvertisedTool[] {
    return [...distinctExports(this.#agent)].flatMap(([as, index]) => {
      const tools = this.#context.toolsets.get(as)?.tools ?? []
      return tools.map(({ name: tool, toolName }) => ({ as, tool, toolName, location: this.#at('exports', index) }))
    })
  }

  #checkRepetitions(): void {
    const { name: agent, uses, exports } = this.#agent
    const names = new Set<string>()
    for (const [index, use] of uses.entries()) {
      const as = use.as ?? use.toolset.name
      if (names.has(as)) {
        const uses = use.as === undefined ? `uses the toolset \`${as}\` twice` : `has two uses named \`${as}\``
        const next = `Set \`as\` of one of the uses, e.g. \`as: '${as}2'\`.`
        this.diagnostics.push(errorAt(this.#at('uses', index), 'TG2012', `\`${agent}\` ${uses}.`, next))
      }
      names.add(as)
    }
    const firsts = distinctExports(this.#agent)
    for (const [index, exported] of exports.entries()) {
      const { name } = toolsetOfExport(exported)
      if (firsts.get(name) === index) continue
      const message = `\`${agent}\` exports the toolset \`${name}\` twice.`
      this.diagnostics.push(
        errorAt(this.#at('exports', index), 'TG2013', message, 'Remove one of the two entries from `exports`.'),
      )
    }
  }

  #export(exported: Toolset | ToolsetExport, index: number): Omit<ExportIr, 'names'> {
    const path = ['exports', index] as const
    const toolset = toolsetOfExport(exported)
    const options = exported['~toolgen'] === 'export' ? exported.tools : {}
    const known = Object.keys(toolset.tools)
    for (const tool of Object.keys(options)) {
      if (known.includes(tool)) continue
      this.diagnostics.push(unknownTool('tools', tool, toolset.name, known, this.#at(...path, 'tools', tool)))
    }
    const built = this.#context.toolsets.get(toolset.name)
    const tools = (built?.tools ?? []).flatMap(({ name, payload, result }): readonly ExportedToolIr[] => {
      const exportedOptions = own(options, name)
      if (exportedOptions === undefined) return []
      const { locations } = this.#context.loaded
      this.diagnostics.push(
        ...exportedToolErrors(name, exportedOptions, { payload, result }, built?.defs ?? {}, {
          locationOf: (field) => this.#at(...path, 'tools', name, field),
          templatePart: (part) => locations.valueLocationOf(this.#agent, [...path, 'tools', name, 'template'], part),
        }),
      )
      const { text, template, systemPrompt, prose } = exportedOptions
      const differing = defined({ text, template, systemPrompt, prose: prose || undefined })
      return Object.keys(differing).length === 0 ? [] : [{ tool: name, ...differing }]
    })
    return { toolset: toolset.name, tools, location: this.#at(...path) }
  }

  #use(use: ToolsetUse, path: Path): UnnamedUse | undefined {
    const as = use.as ?? use.toolset.name
    const selected = this.#selectedTools(use, as)
    this.diagnostics.push(...useNameErrors(use, (...more) => this.#at(...path, ...more)))
    if (as.trim() === '') {
      const message = '`as` is empty.'
      this.diagnostics.push(errorAt(this.#at(...path, 'as'), 'TG2006', message, 'Set a name, or remove `as`.'))
    }
    for (const { tool } of selected) {
      const renamed = own(use.rename ?? {}, tool)
      if (renamed === undefined) continue
      this.diagnostics.push(...toolNameErrors(renamed, tool, () => this.#at(...path, 'rename', tool)))
    }
    const { toolset, maxResult } = use
    const common: CommonUse = {
      toolset: toolset.name,
      as,
      ...(maxResult !== undefined && { maxResult: { ...maxResult } }),
      location: this.#at(...path),
    }
    const built = this.#providedUse(use, common, selected, path)
    for (const { tool, toolName, location } of built?.tools ?? []) {
      const renamed = own(use.rename ?? {}, tool) !== undefined
      this.#advertised.push({ as, tool, toolName, location: renamed ? this.#at(...path, 'rename', tool) : location })
    }
    return built
  }

  #providedUse(
    use: ToolsetUse,
    common: CommonUse,
    selected: readonly SelectedTool[],
    path: Path,
  ): UnnamedUse | undefined {
    const { location } = common
    if (use.provider === 'service') return this.#serviceUse(use, common, selected, path)
    if (use.provider === 'mcp') {
      const tools = selected.map((selectedTool) => {
        const { tool } = selectedTool
        const options = own(use.tools ?? {}, tool)
        const remote = options?.name ?? serverToolName(use.toolset, tool)
        const maxResult = options?.maxResult
        const served = { remote, location: options ? this.#at(...path, 'tools', tool) : location }
        return { ...selectedTool, ...served, ...(maxResult !== undefined && { maxResult: { ...maxResult } }) }
      })
      return { provider: 'mcp', ...common, tools }
    }
    const tools = selected.map((tool): UsedToolIr => ({ ...tool, location }))
    if (use.provider !== 'agent') return { provider: use.provider, ...common, tools }
    const agent = this.#exporterOf(use, location)
    return agent === undefined ? undefined : { provider: 'agent', ...common, agent, tools }
  }

  #serviceUse(
    use: ServiceUse,
    common: CommonUse,
    selected: readonly SelectedTool[],
    path: Path,
  ): UnnamedUse | undefined {
    const client = this.#context.loaded.clients.get(use.client)
    if (client === undefined) {
      const message = `The service client of \`${common.as}\` is not exported, so generated code cannot refer to its type.`
      const next = 'Export the client from a separate module: `export const client = serviceClient<Client>()`.'
      this.diagnostics.push(errorAt(common.location, 'TG2060', message, next))
    }
    const tools = selected.map((tool) => this.#serviceTool(use, tool, path))
    if (client === undefined) return undefined
    return { provider: 'service', ...common, client: { module: client.module, path: client.path }, tools }
  }

  #serviceTool(use: ServiceUse, { tool: name, toolName }: SelectedTool, path: Path): ServiceToolIr {
    const options = own(use.tools ?? {}, name)
    const { method, rename = {}, constants = {}, result, collect, maxResult } = options ?? {}
    const at = [...path, 'tools', name]
    const copied = toJson(constants)
    if (!copied.ok) this.diagnostics.push(notJson('constants', copied.message, this.#at(...at, 'constants')))
    const entries = (field: 'rename' | 'constants', names: readonly string[]): BindingLocations['rename'] =>
      Object.fromEntries(
        names.map((one) => [one, { name: this.#at(...at, field, one), value: this.#valueAt(...at, field, one) }]),
      )
    const parts = defined({
      method: method === undefined ? undefined : this.#valueAt(...at, 'method'),
      collect: collect === undefined ? undefined : this.#valueAt(...at, 'collect'),
      rename: entries('rename', Object.keys(rename)),
      constants: entries('constants', Object.keys(constants)),
    })
    return defined({
      tool: name,
      method: method ?? name,
      rename: { ...rename },
      constants: copied.ok && isObject(copied.json) ? copied.json : {},
      result: defined({ from: result?.from, checked: result?.checked ?? false }),
      collect,
      maxResult: maxResult && { ...maxResult },
      location: options === undefined ? this.#at(...path) : this.#at(...at),
      parts: options && parts,
      toolName,
    })
  }

  #exporterOf({ toolset: { name } }: AgentUse, location: SourceLocation): string | undefined {
    const { exporters } = this.#context
    const [first, ...others] = exporters.get(name) ?? []
    if (first === undefined) {
      const near = nearest(name, exporters.keys())
      const step = 'Add the toolset to `exports` of the agent that serves it, and export that agent from the design.'
      const next = near[0] === undefined ? step : `Did you mean \`${near[0]}\`? Otherwise: ${step}`
      const message = `No agent exports the toolset \`${name}\`.`
      this.diagnostics.push(errorAt(location, 'TG2070', message, next, near.length === 0 ? {} : { near }))
      return undefined
    }
    if (others.length > 0) {
      const all = [first, ...others]
      const names = all.map(({ agent }) => `\`${agent}\``).join(' and ')
      const message = `The toolset \`${name}\` is exported by several agents: ${names}.`
      const next = 'Keep one of the exports, and define another toolset for the other agent.'
      const related = all.map((one) => ({ message: `\`${one.agent}\` exports it here.`, location: one.location }))
      this.diagnostics.push(errorAt(location, 'TG2071', message, next, { related }))
      return undefined
    }
    if (first.agent !== this.#agent.name) return first.agent
    const message = `\`${first.agent}\` both uses and exports the toolset \`${name}\`.`
    const next = 'Remove the use, or export the toolset from another agent.'
    const related = [{ message: 'The export is here.', location: first.location }]
    this.diagnostics.push(errorAt(location, 'TG2072', message, next, { related }))
    return undefined
  }

  #selectedTools(use: ToolsetUse, as: string): readonly SelectedTool[] {
    return (this.#context.toolsets.get(use.toolset.name)?.tools ?? [])
      .filter(({ name }) => use.only === undefined || use.only.includes(name))
      .map(({ name }) => {
        const override = own(use.toolset.tools, name)?.toolName
        return { tool: name, toolName: own(use.rename ?? {}, name) ?? override ?? defaultToolName(as, name) }
      })
  }
}

type SelectedTool = Omit<UsedToolIr, 'location'>

type CommonUse = Pick<PlainUseIr, 'toolset' | 'as' | 'maxResult' | 'location'>
