import type { AgentIr, AgentUseIr, DesignIr, ToolsetIr, UseIr } from '../ir/types.js'
import type { EmittedFile } from '../output/files.js'
import type { ServicePlans } from '../services/plan.js'
import { accessText, docComment, flatLiteral, keyText, lineWidth, propertyNameText, stringText } from '../text.js'
import { exportOf, needsApproval, toolOf, toolsetOf } from './design-queries.js'
import type { GeneratedFile } from './generated-file.js'
import { block, callText, entry, functionHead, isInheritedName, typeMember } from './layout.js'
import { mcpImport, openApiRuntime, registrationOptionsType } from './servers.js'
import { toolsetModule } from './tool-types.js'

/** Returns the file of a use without its extension; `undefined` where the agent that serves it has the file. */
function useFile(use: UseIr): string | undefined {
  if (use.provider === 'service') return use.names.file
  if (use.provider === 'mcp') return use.names.mcpFile
  return use.provider === 'openapi' ? use.names.openApiFile : undefined
}

/** Returns the type parameters of a use: for the agent that serves it, and for the layers around it. */
function useEnvs(use: UseIr): readonly string[] {
  return use.provider === 'agent' ? [use.names.agentEnv, use.names.env] : [use.names.env]
}

/** Returns the names that the entry of an agent's folder declares. */
export function agentIndexNames({ names, uses }: AgentIr): readonly string[] {
  return [names.register, names.binding, names.builder, names.bareBuilder, names.env, ...uses.flatMap(useEnvs)]
}

/** Emits the entry of an agent's folder: the exports of its other files, its builders and its registration. */
export function agentIndex(agent: AgentIr, design: DesignIr, plans: ServicePlans, file: GeneratedFile): EmittedFile {
  const { names } = agent
  const folder = `agents/${names.folder}`
  const specs = { generated: `${folder}/specs` }
  const files = [...agent.uses.flatMap((use) => useFile(use) ?? []), ...agent.exports.map((offer) => offer.names.file)]
  const envs = [names.env, ...agent.uses.flatMap(useEnvs)]
  const asks = agent.uses.some((use) => needsApproval(use, design))
  const needs = [...envs, ...(asks ? [file.type('HasApproval')] : [])]
  const descriptor = file.value(names.descriptor, specs)
  const uses = agent.uses.map((use) => file.value(use.names.use, specs))
  const bindings = agent.uses.map((use) => useBinding(use, agent, design, plans, file))
  const builder = (name: string, make: string, comment: string): object => ({
    comment: docComment(comment, 0),
    head: functionHead(name, [`driver?: ${file.type('ModelDriver')}`], file.type('AgentBuilder')),
    made: callText(file.value(make), [descriptor, `[${uses.join(', ')}]`, 'driver'], 2),
  })
  const parameters = envs.map((env) => `${env} = unknown`)
  return file.print('agent-index', agent.location, {
    exported: [...files, 'specs'].map((name) => stringText(file.specifier(`${folder}/${name}`))),
    builders: [
      builder(
        names.builder,
        'standardAgent',
        `Returns a builder of \`${agent.name}\` with the standard guards: a run ends after 20 steps, 32,768 tokens or 300 seconds, except for limits that the policy of the design sets itself. \`${names.bareBuilder}\` returns one without guards.`,
      ),
      builder(
        names.bareBuilder,
        'designedAgent',
        `Returns a builder of \`${agent.name}\` without guards: only the policy of the design limits its runs.`,
      ),
    ],
    binding: {
      comment: docComment(`Options of \`${names.register}\`, with the provider of each toolset.`, 0),
      head: interfaceHead(names.binding, parameters, `${file.type('AgentOptions')}<${names.env}>`),
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
          `runtime: ${file.type('Runtime')}`,
          `binding: ${names.binding}<${envs.join(', ')}>${agent.uses.length === 0 ? ' = {}' : ''}`,
        ],
        [`${file.type('BoundAgent')}<${needs.join(' & ')}>`, ...namespaces(agent, design, file)].join(' & '),
      ),
      make: file.value('registerAgent'),
      agent: descriptor,
      bindings: bindings.map(({ bind }) => bind),
    },
  })
}

function interfaceHead(name: string, parameters: readonly string[], extended: string): string {
  const flat = `export interface ${name}<${parameters.join(', ')}> extends ${extended} {`
  if (flat.length <= lineWidth) return flat
  return `export interface ${name}<\n${parameters.map((one) => `  ${one}`).join(',\n')}\n> extends ${extended} {`
}

/** Returns the namespaces of the tools of an agent as a type; the default one counts for every agent. */
function namespaces({ uses }: AgentIr, design: DesignIr, file: GeneratedFile): readonly string[] {
  const used = new Set(uses.map(({ toolset }) => toolset))
  const found = design.toolsets
    .filter(({ name, namespace }) => used.has(name) && namespace !== 'default')
    .map(({ namespace }) => stringText(namespace))
  return found.length === 0 ? [] : [`${file.type('InNamespaces')}<${[...new Set(found)].join(' | ')}>`]
}

/** Returns the member of an agent's binding for a use, and the call that binds what the application passes there. */
function useBinding(
  use: UseIr,
  agent: AgentIr,
  design: DesignIr,
  plans: ServicePlans,
  file: GeneratedFile,
): { readonly member: string; readonly bind: string } {
  const folder = `agents/${agent.names.folder}`
  const { type, typeArguments, bind, args } = providerBinding(use, agent, design, file)
  const required = use.tools.flatMap(({ tool }) => {
    const needs = requirements(use, tool, agent, design, plans)
    if (needs.length === 0) return []
    return [`${keyText(tool)}: ${flatLiteral(needs)}${isInheritedName(tool) ? ' as const' : ''}`]
  })
  return {
    member: typeMember(propertyNameText(use.as), type, [...typeArguments, use.names.env], 4),
    bind: callText(
      bind,
      [
        file.value(use.names.use, { generated: `${folder}/specs` }),
        `binding?.toolsets${accessText(use.as, true)}`,
        ...args,
        ...(required.length === 0 ? [] : [`{ ${required.join(', ')} }`]),
      ],
      4,
    ),
  }
}

/** Returns what a tool requires of the application: mappers that its plan asks for, and its check. */
function requirements(
  use: UseIr,
  tool: string,
  agent: AgentIr,
  design: DesignIr,
  plans: ServicePlans,
): readonly string[] {
  const plan = use.provider === 'service' ? plans[agent.name]?.[use.as]?.[tool] : undefined
  return [
    ...(plan?.payload.verdict === 'mapper' ? ['payload'] : []),
    ...(plan?.stream?.update.verdict === 'mapper' ? ['update'] : []),
    ...(plan?.result.verdict === 'mapper' ? ['result'] : []),
    ...(toolOf(toolsetOf(design, use.toolset), tool).needsCheck ? ['check'] : []),
  ]
}

interface ProviderBinding {
  readonly type: string
  readonly typeArguments: readonly string[]
  readonly bind: string
  readonly args: readonly string[]
}

/** Returns how a use is bound. Of another agent only its specs and types are imported: so two agents can use each other. */
function providerBinding(use: UseIr, agent: AgentIr, design: DesignIr, file: GeneratedFile): ProviderBinding {
  const toolset = toolsetOf(design, use.toolset)
  if (use.provider === 'agent') {
    const exported = exportOf(design, use)
    const exporter = `agents/${exported.agent.names.folder}`
    const module = { generated: `${exporter}/${exported.names.file}` }
    const options = selectedChecks(file.type(exported.names.registrationOptions, module), use, toolset)
    return {
      type: file.type('AgentBinding'),
      typeArguments: [options, use.names.agentEnv],
      bind: file.value('bindAgentToolset'),
      args: [file.value(exported.names.export, { generated: `${exporter}/specs` })],
    }
  }
  const module = { generated: `agents/${agent.names.folder}/${useFile(use)}` }
  const options = registrationOptionsType(use, module, design, file)
  if (use.provider === 'mcp') {
    const imported = mcpImport(use, agent, toolset)
    return {
      type: file.type('McpBinding'),
      typeArguments: [options],
      bind: file.value('bindMcpToolset'),
      args: [file.value(imported.name, imported.module)],
    }
  }
  if (use.provider === 'openapi') {
    const api = toolsetModule(toolset, 'openapi')
    const { names } = toolset
    return {
      type: file.type('OpenApiBinding', openApiRuntime),
      typeArguments: [options, file.type(names.openapi.options, api)],
      bind: file.value('bindOpenApiToolset', openApiRuntime),
      args: [file.value(names.openapi.api, api)],
    }
  }
  const { client, executorOptions, executor, registration } = use.names
  return {
    type: file.type('ServiceBinding'),
    typeArguments: [file.type(client, module), file.type(executorOptions, module), options],
    bind: file.value('bindToolset'),
    args: [file.value(executor, module), file.value(registration, module)],
  }
}

/** Returns the options of the exporter, without the checks of tools that this agent leaves out. */
function selectedChecks(options: string, use: AgentUseIr, toolset: ToolsetIr): string {
  const checked = toolset.tools.filter((tool) => tool.needsCheck).map(({ name }) => name)
  const kept = checked.filter((name) => use.tools.some(({ tool }) => tool === name))
  if (kept.length === checked.length) return options
  const others = `Omit<${options}, 'checks'>`
  if (kept.length === 0) return others
  return `${others} & { readonly checks: Pick<${options}['checks'], ${kept.map(stringText).join(' | ')}> }`
}

/** Emits the descriptor of an agent, its uses and exports, and the specs that it may call and that it offers. */
export function agentSpecs(agent: AgentIr, design: DesignIr, file: GeneratedFile): EmittedFile {
  const { names, description, instructions, policy } = agent
  const toolsetConstant = (name: string): string => {
    const toolset = toolsetOf(design, name)
    return file.value(toolset.names.toolset, toolsetModule(toolset, 'index'))
  }
  const uses = agent.uses.map((use) => {
    const { toolset, as, provider } = use
    const selected = new Map(use.tools.map(({ tool, toolName }) => [tool, toolName] as const))
    const isPlain = toolsetOf(design, toolset).tools.every(({ name, toolName }) => selected.get(name) === toolName)
    const toolNames = [...selected].map(([tool, toolName]) => entry(tool, toolName, 4))
    const entries = [
      `toolset: ${toolsetConstant(toolset)}`,
      ...(as === toolset ? [] : [entry('as', as, 2)]),
      // A request that generated code sends is served as a client of the application would serve it.
      entry('provider', provider === 'openapi' ? 'service' : provider, 2),
      ...(isPlain ? [] : [`toolNames: ${block(toolNames, 2)}`]),
    ]
    return {
      comment: docComment(`The use of the toolset \`${toolset}\` by \`${agent.name}\`.`, 0),
      name: use.names.use,
      type: file.type('ToolsetUse'),
      entries: block(entries, 0),
    }
  })
  const exported = agent.exports.map((offer) => {
    const tools = offer.tools.map(({ tool, ...options }) => entry(tool, options, 4))
    const entries = [
      `toolset: ${toolsetConstant(offer.toolset)}`,
      `agent: ${names.descriptor}`,
      ...(tools.length === 0 ? [] : [`tools: ${block(tools, 2)}`]),
    ]
    return {
      comment: docComment(`The export of the toolset \`${offer.toolset}\` by \`${agent.name}\`.`, 0),
      name: offer.names.export,
      type: file.type('ToolsetExport'),
      entries: block(entries, 0),
    }
  })
  const entries = [
    entry('name', agent.name, 2),
    entry('description', description, 2),
    ...(instructions === undefined ? [] : [entry('instructions', instructions, 2)]),
    ...(policy === undefined ? [] : [entry('policy', policy, 2)]),
  ]
  return file.print('agent-specs', agent.location, {
    agent: {
      comment: docComment(description, 0),
      name: names.descriptor,
      type: file.type('AgentDescriptor'),
      entries: block(entries, 0),
    },
    constants: [...uses, ...exported],
    specType: file.type('AgentToolSpec'),
    usedSpecs: file.value('usedSpecs'),
    offeredSpecs: file.value('offeredSpecs'),
    used: arrayText(agent.uses.map((use) => use.names.use)),
    offered: arrayText(agent.exports.map(({ toolset }) => toolsetConstant(toolset))),
  })
}

function arrayText(items: readonly string[]): string {
  const flat = `[${items.join(', ')}]`
  return flat.length <= 90 ? flat : `[\n${items.map((item) => `    ${item},\n`).join('')}  ]`
}
