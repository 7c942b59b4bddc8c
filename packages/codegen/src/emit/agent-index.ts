import type {
  AgentIr,
  AgentUseIr,
  DesignIr,
  ExportIr,
  Json,
  McpUseIr,
  OpenApiUseIr,
  ServiceUseIr,
  ToolsetIr,
  UseIr,
} from '../ir/types.js'
import type { ServicePlans } from '../services/plan.js'
import { accessText, docComment, keyText, lineWidth, literalText, propertyNameText, stringText } from '../text.js'
import { envsOf, exportOf, needsApproval, toolOf, toolsetOf } from './design-parts.js'
import { type ImportingFile, type ImportSet, importSet, relativeSpecifier, runtimeModule } from './imports.js'
import { block, functionHead, header } from './templates.js'
import { openApiModule, openApiRuntime } from './toolset-clients.js'
import { type BindingScene, callText, genericMember, mcpImport, requirement, type UseBinding } from './use-binding.js'

/** What `agent-index.hbs` shows. */
interface AgentIndexView {
  readonly header: string
  readonly imports: string
  /** The specifiers of the folder's other files. */
  readonly exported: readonly string[]
  /** With the standard guards, then without any. */
  readonly builders: readonly {
    readonly comment: string
    readonly head: string
    readonly made: string
  }[]
  readonly binding: {
    readonly comment: string
    readonly head: string
    readonly members: readonly string[]
  }
  readonly register: {
    readonly comment: string
    readonly head: string
    readonly make: string
    readonly agent: string
    readonly bindings: readonly string[]
  }
}

/** The entry of an agent's folder: everything of its other files, its builder and its registration. */
export function agentIndexView(
  agent: AgentIr,
  design: DesignIr,
  plans: ServicePlans,
  file: ImportingFile,
): AgentIndexView {
  const imports = importSet(file)
  const { names } = agent
  const folder = `agents/${names.folder}`
  const specs = { generated: `${folder}/specs` }
  const files = [...agent.uses.flatMap(useFile), ...agent.exports.map((part) => part.names.file)]
  const runtime = imports.type(runtimeModule, 'Runtime')
  const bound = imports.type(runtimeModule, 'BoundAgent')
  const envs = [names.env, ...agent.uses.flatMap(envsOf)]
  const asks = agent.uses.some((use) => needsApproval(use, design))
  const needs = [...envs, ...(asks ? [imports.type(runtimeModule, 'HasApproval')] : [])]
  const descriptor = imports.value(specs, names.descriptor)
  const uses = agent.uses.map((use) => imports.value(specs, use.names.use))
  const scene = { agent, design, plans, imports }
  const bindings = agent.uses.map((use) => bindingOf(use, scene))
  return {
    exported: [...files, 'specs'].map((name) =>
      stringText(relativeSpecifier(file.path, `${folder}/${name}${file.extension}`)),
    ),
    builders: [
      {
        name: names.builder,
        make: 'standardAgent',
        says: `Begins a builder of \`${agent.name}\` with the standard guards: a run ends after 20 steps, 32,768 tokens or 300 seconds, except for limits that the policy of the design sets itself. \`${names.bareBuilder}\` begins one without guards.`,
      },
      {
        name: names.bareBuilder,
        make: 'designedAgent',
        says: `Begins a builder of \`${agent.name}\` without guards: only the policy of the design limits its runs.`,
      },
    ].map(({ name, make, says }) => ({
      comment: docComment(says, 0),
      head: functionHead(
        name,
        [`driver?: ${imports.type(runtimeModule, 'ModelDriver')}`],
        imports.type(runtimeModule, 'AgentBuilder'),
      ),
      made: callText(imports.value(runtimeModule, make), [descriptor, `[${uses.join(', ')}]`, 'driver'], 2),
    })),
    binding: {
      comment: docComment(`What serves the toolsets of \`${agent.name}\`.`, 0),
      head: interfaceHead(
        names.binding,
        envs.map((env) => `${env} = unknown`),
        `${imports.type(runtimeModule, 'AgentOptions')}<${names.env}>`,
      ),
      members: bindings.map(({ member }) => member),
    },
    register: {
      comment: docComment(
        `Registers \`${agent.name}\`. Throws one error that lists every toolset, client, agent, mapper and check that is missing.`,
        0,
      ),
      head: functionHead(
        `${names.register}<${envs.join(', ')}>`,
        [
          `runtime: ${runtime}`,
          `binding: ${names.binding}<${envs.join(', ')}>${agent.uses.length === 0 ? ' = {}' : ''}`,
        ],
        [`${bound}<${needs.join(' & ')}>`, ...namespacesText(agent, design, imports)].join(' & '),
      ),
      make: imports.value(runtimeModule, 'registerAgent'),
      agent: descriptor,
      bindings: bindings.map(({ bind }) => bind),
    },
    header: header(agent.location),
    imports: imports.text(),
  }
}

/** Namespaces of the tools of an agent as a type; the default one counts for every agent. */
function namespacesText({ uses }: AgentIr, design: DesignIr, imports: ImportSet): readonly string[] {
  const used = new Set(uses.map(({ toolset }) => toolset))
  const namespaces = design.toolsets
    .filter(({ name, namespace }) => used.has(name) && namespace !== 'default')
    .map(({ namespace }) => stringText(namespace))
  if (namespaces.length === 0) return []
  return [`${imports.type(runtimeModule, 'InNamespaces')}<${[...new Set(namespaces)].join(' | ')}>`]
}

function bindingOf(use: UseIr, scene: BindingScene): UseBinding {
  switch (use.provider) {
    case 'service':
      return serviceBinding(use, scene)
    case 'agent':
      return agentBinding(use, scene)
    case 'mcp':
      return mcpBinding(use, scene)
    case 'openapi':
      return openApiBinding(use, scene)
  }
}

/** The file of a use; one that an agent serves has its file there. */
function useFile(use: UseIr): readonly string[] {
  switch (use.provider) {
    case 'service':
      return [use.names.file]
    case 'agent':
      return []
    case 'mcp':
      return [use.names.mcpFile]
    case 'openapi':
      return [use.names.openApiFile]
  }
}

function interfaceHead(name: string, parameters: readonly string[], extended: string): string {
  const flat = `export interface ${name}<${parameters.join(', ')}> extends ${extended} {`
  if (flat.length <= lineWidth) return flat
  return `export interface ${name}<\n${parameters.map((one) => `  ${one}`).join(',\n')}\n> extends ${extended} {`
}

/**
 * How a use is bound that another agent serves. Of that agent only its specs are imported, and types: so two agents may
 * use each other.
 */
function agentBinding(use: AgentUseIr, { agent, design, imports }: BindingScene): UseBinding {
  const exported = exportOf(design, use)
  const exporter = `agents/${exported.agent.names.folder}`
  const toolset = toolsetOf(design, use.toolset)
  const options = imports.type({ generated: `${exporter}/${exported.names.file}` }, exported.names.registrationOptions)
  const required = use.tools.flatMap(({ tool }) => requirement(tool, toolOf(toolset, tool).needsCheck ? ['check'] : []))
  return {
    member: genericMember(
      propertyNameText(use.as),
      imports.type(runtimeModule, 'AgentBinding'),
      [optionsOfUse(options, use, toolset), use.names.agentEnv, use.names.env],
      4,
    ),
    bind: callText(
      imports.value(runtimeModule, 'bindAgentToolset'),
      [
        imports.value({ generated: `agents/${agent.names.folder}/specs` }, use.names.use),
        `binding?.toolsets${accessText(use.as, true)}`,
        imports.value({ generated: `${exporter}/specs` }, exported.names.export),
        ...(required.length === 0 ? [] : [`{ ${required.join(', ')} }`]),
      ],
      4,
    ),
  }
}

/** The options of the exporter, without the checks of tools that this agent leaves out. */
function optionsOfUse(options: string, use: AgentUseIr, toolset: ToolsetIr): string {
  const checked = toolset.tools.filter((tool) => tool.needsCheck).map(({ name }) => name)
  const kept = checked.filter((name) => use.tools.some(({ tool }) => tool === name))
  if (kept.length === checked.length) return options
  const others = `Omit<${options}, 'checks'>`
  if (kept.length === 0) return others
  return `${others} & { readonly checks: Pick<${options}['checks'], ${kept.map(stringText).join(' | ')}> }`
}

/** How a use is bound that an MCP server serves. */
function mcpBinding(use: McpUseIr, { agent, design, imports }: BindingScene): UseBinding {
  const folder = `agents/${agent.names.folder}`
  const toolset = toolsetOf(design, use.toolset)
  const imported = mcpImport(use, { agent, toolset })
  const required = use.tools.flatMap(({ tool }) => requirement(tool, toolOf(toolset, tool).needsCheck ? ['check'] : []))
  return {
    member: genericMember(
      propertyNameText(use.as),
      imports.type(runtimeModule, 'McpBinding'),
      [imports.type({ generated: `${folder}/${use.names.mcpFile}` }, use.names.registrationOptions), use.names.env],
      4,
    ),
    bind: callText(
      imports.value(runtimeModule, 'bindMcpToolset'),
      [
        imports.value({ generated: `${folder}/specs` }, use.names.use),
        `binding?.toolsets${accessText(use.as, true)}`,
        imports.value(imported.module, imported.name),
        ...(required.length === 0 ? [] : [`{ ${required.join(', ')} }`]),
      ],
      4,
    ),
  }
}

/** How a use is bound that an HTTP API serves. */
function openApiBinding(use: OpenApiUseIr, { agent, design, imports }: BindingScene): UseBinding {
  const folder = `agents/${agent.names.folder}`
  const toolset = toolsetOf(design, use.toolset)
  const module = openApiModule(toolset)
  const { api, options } = toolset.names.openapi
  const required = use.tools.flatMap(({ tool }) => requirement(tool, toolOf(toolset, tool).needsCheck ? ['check'] : []))
  return {
    member: genericMember(
      propertyNameText(use.as),
      imports.type(openApiRuntime, 'OpenApiBinding'),
      [
        imports.type({ generated: `${folder}/${use.names.openApiFile}` }, use.names.registrationOptions),
        imports.type(module, options),
        use.names.env,
      ],
      4,
    ),
    bind: callText(
      imports.value(openApiRuntime, 'bindOpenApiToolset'),
      [
        imports.value({ generated: `${folder}/specs` }, use.names.use),
        `binding?.toolsets${accessText(use.as, true)}`,
        imports.value(module, api),
        ...(required.length === 0 ? [] : [`{ ${required.join(', ')} }`]),
      ],
      4,
    ),
  }
}

/** How a use is bound that a service client serves. */
function serviceBinding(use: ServiceUseIr, scene: BindingScene): UseBinding {
  const { agent, imports } = scene
  const folder = `agents/${agent.names.folder}`
  const service = { generated: `${folder}/${use.names.file}` }
  const required = requirements(use, scene)
  return {
    member: genericMember(
      propertyNameText(use.as),
      imports.type(runtimeModule, 'ServiceBinding'),
      [
        imports.type(service, use.names.client),
        imports.type(service, use.names.executorOptions),
        imports.type(service, use.names.registrationOptions),
        use.names.env,
      ],
      4,
    ),
    bind: callText(
      imports.value(runtimeModule, 'bindToolset'),
      [
        imports.value({ generated: `${folder}/specs` }, use.names.use),
        `binding?.toolsets${accessText(use.as, true)}`,
        imports.value(service, use.names.executor),
        imports.value(service, use.names.registration),
        ...(required.length === 0 ? [] : [`{ ${required.join(', ')} }`]),
      ],
      4,
    ),
  }
}

/** What each tool cannot do without, as properties: mappers that its plan asks for, and its check. */
function requirements(use: ServiceUseIr, { agent, design, plans }: BindingScene): readonly string[] {
  const toolset = toolsetOf(design, use.toolset)
  return use.tools.flatMap(({ tool }) => {
    const plan = plans[agent.name]?.[use.as]?.[tool]
    const parts = [
      ...(plan?.payload.verdict === 'mapper' ? ['payload'] : []),
      ...(plan?.stream?.update.verdict === 'mapper' ? ['update'] : []),
      ...(plan?.result.verdict === 'mapper' ? ['result'] : []),
      ...(toolOf(toolset, tool).needsCheck ? ['check'] : []),
    ]
    return requirement(tool, parts)
  })
}

/** What `agent-specs.hbs` shows. */
interface AgentSpecsView {
  readonly header: string
  readonly imports: string
  readonly agent: { readonly comment: string; readonly name: string; readonly type: string; readonly entries: string }
  /** Its uses, then its exports. */
  readonly constants: readonly {
    readonly comment: string
    readonly name: string
    readonly type: string
    readonly entries: string
  }[]
  readonly specType: string
  readonly usedSpecs: string
  readonly offeredSpecs: string
  /** The names of the exported toolsets' descriptors. */
  readonly offered: string
  /** The names of the uses. */
  readonly used: string
}

/** The descriptor of an agent, its uses and exports, and the specs that it may call and that it offers. */
export function agentSpecsView(agent: AgentIr, design: DesignIr, file: ImportingFile): AgentSpecsView {
  const imports = importSet(file)
  const uses = agent.uses.map((use) => {
    const toolset = toolsetOf(design, use.toolset)
    return {
      comment: docComment(`How \`${agent.name}\` uses the toolset \`${toolset.name}\`.`, 0),
      name: use.names.use,
      type: imports.type(runtimeModule, 'ToolsetUse'),
      entries: block(useEntries(use, toolset, imports), 0),
    }
  })
  const exported = agent.exports.map((offer) => ({
    comment: docComment(`How \`${agent.name}\` serves the toolset \`${offer.toolset}\`.`, 0),
    name: offer.names.export,
    type: imports.type(runtimeModule, 'ToolsetExport'),
    entries: block(exportEntries(offer, agent, toolsetOf(design, offer.toolset), imports), 0),
  }))
  const offered = agent.exports.map((offer) => toolsetConstant(toolsetOf(design, offer.toolset), imports))
  return {
    agent: {
      comment: docComment(agent.description, 0),
      name: agent.names.descriptor,
      type: imports.type(runtimeModule, 'AgentDescriptor'),
      entries: block(agentEntries(agent), 0),
    },
    constants: [...uses, ...exported],
    specType: imports.type(runtimeModule, 'AgentToolSpec'),
    usedSpecs: imports.value(runtimeModule, 'usedSpecs'),
    offeredSpecs: imports.value(runtimeModule, 'offeredSpecs'),
    used: listText(agent.uses.map((use) => use.names.use)),
    offered: listText(offered),
    header: header(agent.location),
    imports: imports.text(),
  }
}

function agentEntries(agent: AgentIr): readonly string[] {
  return [
    entry('name', agent.name),
    entry('description', agent.description),
    ...(agent.instructions === undefined ? [] : [entry('instructions', agent.instructions)]),
    ...(agent.policy === undefined ? [] : [entry('policy', agent.policy)]),
  ]
}

function useEntries(use: UseIr, toolset: ToolsetIr, imports: ImportSet): readonly string[] {
  const selected = new Map(use.tools.map((tool) => [tool.tool, tool.toolName] as const))
  const plain = toolset.tools.every((tool) => selected.get(tool.name) === tool.toolName)
  const toolNames = [...selected].map(([tool, toolName]) => entry(tool, toolName, 4))
  return [
    `toolset: ${toolsetConstant(toolset, imports)}`,
    ...(use.as === use.toolset ? [] : [entry('as', use.as)]),
    // A request that generated code sends is served as a client of the application would serve it.
    entry('provider', use.provider === 'openapi' ? 'service' : use.provider),
    ...(plain ? [] : [`toolNames: ${block(toolNames, 2)}`]),
  ]
}

function exportEntries(offer: ExportIr, agent: AgentIr, toolset: ToolsetIr, imports: ImportSet): readonly string[] {
  const tools = offer.tools.map(({ tool, ...said }) => entry(tool, said, 4))
  return [
    `toolset: ${toolsetConstant(toolset, imports)}`,
    `agent: ${agent.names.descriptor}`,
    ...(tools.length === 0 ? [] : [`tools: ${block(tools, 2)}`]),
  ]
}

function toolsetConstant(toolset: ToolsetIr, imports: ImportSet): string {
  return imports.value({ generated: `toolsets/${toolset.names.folder}/index` }, toolset.names.toolset)
}

function listText(items: readonly string[]): string {
  const flat = `[${items.join(', ')}]`
  return flat.length <= 90 ? flat : `[\n${items.map((item) => `    ${item},\n`).join('')}  ]`
}

function entry(key: string, value: Json, indent = 2): string {
  const start = `${keyText(key)}: `
  return `${start}${literalText(value, { indent, used: indent + start.length + 1 })}`
}
