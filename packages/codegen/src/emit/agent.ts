import {
  apiDeclarations,
  type DeclaredTool,
  namespaceDeclaration,
  namespaceNames,
  type SearchedTool,
  toolSearchIndex,
} from '@toolgen/runtime/projections'
import { jsonHash, type Once } from '../cache.js'
import { elementAt } from '../defined.js'
import type { AgentIr, DesignIr, ToolsetIr } from '../ir/types.js'
import type { AgentUseIr, ClientRef, ServiceUseIr, UseIr } from '../ir/uses.js'
import type { EmittedFile } from '../output/files.js'
import { closedSchema } from '../schema/definitions.js'
import type { ServicePlans, ToolPlan } from '../services/plan.js'
import {
  accessText,
  docComment,
  flatLiteral,
  keyText,
  lineComment,
  lineWidth,
  propertyNameText,
  stringText,
} from '../text.js'
import { readsName } from './conversion-text.js'
import { exportOf, needsApproval, toolOf, toolsetModule, toolsetOf } from './design-queries.js'
import {
  type ExecutorText,
  executorText,
  type NamedPlan,
  type ServiceToolText,
  type TransformText,
} from './executor-text.js'
import { type GeneratedFile, openApiRuntime } from './generated-file.js'
import { block, callText, entries, entry, functionHead, isInheritedName, typeMember } from './layout.js'
import { mcpImport } from './mcp.js'
import { registrationOptionsType, registrationView } from './registrations.js'
import { readDefinitions } from './toolset-types.js'

function useEnvs(use: UseIr): readonly string[] {
  return use.provider === 'agent' ? [use.names.agentEnv, use.names.env] : [use.names.env]
}

export function agentIndexNames({ names, uses }: AgentIr): readonly string[] {
  return [
    names.register,
    names.binding,
    names.builder,
    names.bareBuilder,
    names.tools,
    names.env,
    ...uses.flatMap(useEnvs),
  ]
}

export function agentIndex(agent: AgentIr, design: DesignIr, plans: ServicePlans, file: GeneratedFile): EmittedFile {
  const { names } = agent
  const folder = `agents/${names.folder}`
  const specs = { generated: `${folder}/specs` }
  const files = [
    ...agent.uses.flatMap((use) => (use.provider === 'agent' ? [] : [use.names.file])),
    ...agent.exports.map((offer) => offer.names.file),
  ]
  const envs = [names.env, ...agent.uses.flatMap(useEnvs)]
  const asks = agent.uses.some((use) => needsApproval(use, design))
  const needs = [...envs, ...(asks ? [file.type('HasApproval')] : [])]
  const descriptor = file.value(names.descriptor, specs)
  const uses = agent.uses.map((use) => file.value(use.names.use, specs))
  const bindings = agent.uses.map((use) => useBinding(use, agent, design, plans, file))
  const builder = (name: string, make: string, comment: string): object => ({
    comment: docComment(comment),
    head: functionHead(name, [`driver?: ${file.type('ModelDriver')}`], file.type('AgentBuilder')),
    made: callText(file.value(make), [descriptor, `[${uses.join(', ')}]`, 'driver'], 2),
  })
  const parameters = envs.map((env) => `${env} = unknown`)
  const hasTools = agent.uses.some(({ tools }) => tools.length > 0)
  const bound = [
    `${file.type('BoundAgent')}<${needs.join(' & ')}>`,
    ...namespaces(agent, design, file),
    ...(hasTools ? [`${file.type('WithTools')}<${names.tools}>`] : []),
  ]
  return file.print('agent-index', agent.location, {
    exported: [...files, 'specs'].map((name) => stringText(file.specifier(`${folder}/${name}`))),
    ...(hasTools && {
      tools: {
        comment: docComment(`Tools of \`${agent.name}\`, under the names that its model sees.`),
        name: names.tools,
        type: intersection(toolsTypes(agent, design, file), `export type ${names.tools} = `.length),
      },
    }),
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
      comment: docComment(`Options of \`${names.register}\`, with the provider of each toolset.`),
      head: interfaceHead(names.binding, parameters, `${file.type('AgentOptions')}<${names.env}>`),
      members: bindings.map(({ member }) => member),
    },
    register: {
      comment: docComment(
        `Registers \`${agent.name}\`. Throws one error that lists every toolset, client, agent, mapper and check that is missing.`,
      ),
      head: functionHead(
        `${names.register}<${envs.join(', ')}>`,
        [
          `runtime: ${file.type('Runtime')}`,
          `binding: ${names.binding}<${envs.join(', ')}>${agent.uses.length === 0 ? ' = {}' : ''}`,
        ],
        intersection(bound, '): '.length + ' {'.length),
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

function toolsTypes({ uses }: AgentIr, design: DesignIr, file: GeneratedFile): readonly string[] {
  const parts: string[] = []
  const members: string[] = []
  for (const use of uses.filter(({ tools }) => tools.length > 0)) {
    const toolset = toolsetOf(design, use.toolset)
    const descriptors = `typeof ${file.type(toolset.names.descriptor, toolsetModule(toolset, 'index'))}`
    const prefix = use.tools.length === toolset.tools.length ? commonPrefix(use) : undefined
    if (prefix !== undefined) parts.push(`${file.type('PrefixedTools')}<${stringText(prefix)}, ${descriptors}>`)
    else {
      for (const { tool, toolName } of use.tools)
        members.push(`  readonly ${propertyNameText(toolName)}: (${descriptors})[${stringText(tool)}]\n`)
    }
  }
  if (members.length > 0) parts.push(`{\n${members.join('')}}`)
  return parts
}

function intersection(types: readonly string[], used: number): string {
  const flat = types.join(' & ')
  return used + flat.length <= lineWidth ? flat : types.join('\n  & ')
}

function commonPrefix({ tools }: UseIr): string | undefined {
  const [prefix, ...others] = new Set(
    tools.map(({ tool, toolName }) => (toolName.endsWith(tool) ? toolName.slice(0, -tool.length) : undefined)),
  )
  return others.length === 0 ? prefix : undefined
}

function namespaces({ uses }: AgentIr, design: DesignIr, file: GeneratedFile): readonly string[] {
  const used = new Set(uses.map(({ toolset }) => toolset))
  const found = design.toolsets
    .filter(({ name, namespace }) => used.has(name) && namespace !== 'default')
    .map(({ namespace }) => stringText(namespace))
  return found.length === 0 ? [] : [`${file.type('InNamespaces')}<${[...new Set(found)].join(' | ')}>`]
}

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

/**
 * If the provider is a second agent, the code imports only the tool specifications of this agent, so that two agents can use each other without
 * circular imports.
 */
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
  if (use.provider === 'executor') {
    // The options type does not require the checks, because the executor may already have them.
    const typeArguments = [file.type('RegistrationOptions')]
    return { type: file.type('ExecutorBinding'), typeArguments, bind: file.value('bindExecutor'), args: [] }
  }
  const module = { generated: `agents/${agent.names.folder}/${use.names.file}` }
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
  if (use.provider === 'service') {
    const { client, executorOptions, executor, registration } = use.names
    return {
      type: file.type('ServiceBinding'),
      typeArguments: [file.type(client, module), file.type(executorOptions, module), options],
      bind: file.value('bindToolset'),
      args: [file.value(executor, module), file.value(registration, module)],
    }
  }
  const api = toolsetModule(toolset, 'openapi')
  const { names } = toolset
  return {
    type: file.type('OpenApiBinding', openApiRuntime),
    typeArguments: [options, file.type(names.openapi.options, api)],
    bind: file.value('bindOpenApiToolset', openApiRuntime),
    args: [file.value(names.openapi.api, api)],
  }
}

function selectedChecks(options: string, use: AgentUseIr, toolset: ToolsetIr): string {
  const checked = toolset.tools.filter((tool) => tool.needsCheck).map(({ name }) => name)
  const selected = checked.filter((name) => use.tools.some(({ tool }) => tool === name))
  if (selected.length === checked.length) return options
  const others = `Omit<${options}, 'checks'>`
  if (selected.length === 0) return others
  return `${others} & { readonly checks: Pick<${options}['checks'], ${selected.map(stringText).join(' | ')}> }`
}

const providers = { service: 'service', openapi: 'service', mcp: 'mcp', agent: 'agent', executor: 'function' } as const

export function agentSpecs(agent: AgentIr, design: DesignIr, file: GeneratedFile): EmittedFile {
  const { names, description, instructions, policy, maxResult } = agent
  const toolsetConstant = (name: string): string => {
    const toolset = toolsetOf(design, name)
    return file.value(toolset.names.toolset, toolsetModule(toolset, 'index'))
  }
  const uses = agent.uses.map((use) => {
    const { toolset, as, provider } = use
    const selected = new Map(use.tools.map(({ tool, toolName }) => [tool, toolName] as const))
    const isPlain = toolsetOf(design, toolset).tools.every(({ name, toolName }) => selected.get(name) === toolName)
    const toolNames = [...selected].map(([tool, toolName]) => entry(tool, toolName, 4))
    const maxResults = use.tools.flatMap(({ tool, maxResult }) => (maxResult ? [entry(tool, { ...maxResult }, 4)] : []))
    const fields = [
      `toolset: ${toolsetConstant(toolset)}`,
      ...entries({ as: as === toolset ? undefined : as, provider: providers[provider] }, 2),
      ...(isPlain ? [] : [`toolNames: ${block(toolNames, 2)}`]),
      ...entries({ maxResult: use.maxResult && { ...use.maxResult } }, 2),
      ...(maxResults.length === 0 ? [] : [`maxResults: ${block(maxResults, 2)}`]),
    ]
    return {
      comment: docComment(`The use of the toolset \`${toolset}\` by \`${agent.name}\`.`),
      name: use.names.use,
      type: file.type('ToolsetUse'),
      entries: block(fields, 0),
    }
  })
  const exported = agent.exports.map((offer) => {
    const tools = offer.tools.map(({ tool, ...options }) => entry(tool, options, 4))
    const fields = [
      `toolset: ${toolsetConstant(offer.toolset)}`,
      `agent: ${names.descriptor}`,
      ...(tools.length === 0 ? [] : [`tools: ${block(tools, 2)}`]),
    ]
    return {
      comment: docComment(`The export of the toolset \`${offer.toolset}\` by \`${agent.name}\`.`),
      name: offer.names.export,
      type: file.type('ToolsetExport'),
      entries: block(fields, 0),
    }
  })
  return file.print('agent-specs', agent.location, {
    agent: {
      comment: docComment(description),
      name: names.descriptor,
      type: file.type('AgentDescriptor'),
      entries: block(
        entries({ name: agent.name, description, instructions, policy, maxResult: maxResult && { ...maxResult } }, 2),
        0,
      ),
    },
    constants: [...uses, ...exported],
    specType: file.type('AgentToolSpec'),
    usedSpecs: file.value('usedSpecs'),
    offeredSpecs: file.value('offeredSpecs'),
    used: `${arrayText(agent.uses.map((use) => use.names.use))}${maxResult === undefined ? '' : `, ${names.descriptor}.maxResult`}`,
    offered: arrayText(agent.exports.map(({ toolset }) => toolsetConstant(toolset))),
  })
}

function arrayText(items: readonly string[]): string {
  const flat = `[${items.join(', ')}]`
  return flat.length <= 90 ? flat : `[\n${items.map((item) => `    ${item},\n`).join('')}  ]`
}

interface ServiceUseContext {
  readonly agent: AgentIr
  readonly use: ServiceUseIr
  readonly design: DesignIr
  readonly plans: Readonly<Record<string, ToolPlan>>
  readonly clientModule: string
}

export function agentService(context: ServiceUseContext, file: GeneratedFile): EmittedFile {
  const { agent, use, design } = context
  const { names } = use
  const clients = file.types('clients', { specifier: context.clientModule })
  const { tools, functions } = boundTools(context, file)
  const mustMap = tools.some(needsMapper)
  const unused = tools.length === 0 ? '_' : ''
  const options = `${unused}options: ${names.executorOptions}${mustMap ? '' : ' = {}'}`
  return file.print('agent-service', use.location, {
    client: {
      comment: docComment(`The client that serves \`${use.toolset}\` to \`${agent.name}\`.`),
      name: names.client,
      type: `${file.type('ClientOf')}<${clientType(clients, use.client)}>`,
    },
    aliases: tools.flatMap(({ aliases }) => aliases),
    options: {
      comment: docComment(`Options of \`${names.executor}\`.`),
      name: names.executorOptions,
      mappers: mustMap ? 'mappers' : 'mappers?',
      members: tools.map((tool) => mapperMember(tool, file)),
    },
    functions,
    executor: {
      comment: docComment(
        `Returns an executor of \`${use.toolset}\` for \`${agent.name}\` that calls the methods of a client.`,
      ),
      head: functionHead(names.executor, [`${unused}client: ${names.client}`, options], file.type('ToolExecutor')),
      make: file.value('serviceExecutor'),
      toolset: stringText(use.toolset),
      service: stringText(use.client.path.join('.')),
    },
    tools: tools.map((tool) => toolView(tool, mustMap, file)),
    registration: registrationView(use, agent, design, file),
  })
}

const stepIndent = 6

function toolView(text: ServiceToolText, mustMap: boolean, file: GeneratedFile): object {
  const { name, payload, collect, update, result } = text
  const steps = [
    ...transformStep('payload', 'payload', payload, file),
    arrowProperty({ name: 'call', parameters: [`args: ${payload.to}`], body: text.call, indent: stepIndent }),
    ...(update === undefined ? [] : transformStep('update', 'value', update, file)),
    ...(collect === undefined ? [] : [`collect: ${stringText(collect)}`]),
    ...transformStep('result', 'value', result, file),
    `mappers: options.mappers${accessText(name, !mustMap)}`,
  ]
  return {
    key: keyText(name),
    make: file.value(update === undefined ? 'serviceTool' : 'serviceStream'),
    steps: steps.map((step) => step.replaceAll('\n', '\n      ')),
  }
}

function transformStep(
  name: string,
  variable: string,
  { body, from, to: returns, readsMeta }: TransformText,
  file: GeneratedFile,
): readonly string[] {
  if (body === undefined) return []
  const meta = readsMeta ? [`{ meta }: ${file.type('MetaSource')}`] : []
  // The variable may be unused: in a method without parameters, or in a tool that returns null.
  const value = readsName(body, variable) ? [`${variable}: ${from}`] : readsMeta ? [`_${variable}: ${from}`] : []
  return [arrowProperty({ name, parameters: [...value, ...meta], returns, body, indent: stepIndent })]
}

function clientType(clients: string, { path }: ClientRef): string {
  const named = path.findIndex((name) => !isIdentifier(name))
  const dotted = named === -1 ? path : path.slice(0, named)
  const indexed = path.slice(dotted.length).map((name) => `[${stringText(name)}]`)
  const query = `typeof ${[clients, ...dotted].join('.')}`
  return indexed.length === 0 ? query : `(${query})${indexed.join('')}`
}

function isIdentifier(name: string): boolean {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)
}

interface ArrowProperty {
  readonly name: string
  readonly parameters?: readonly string[]
  readonly returns?: string
  /** The indentation of later lines is relative to the first line. */
  readonly body: string
  readonly indent: number
}

export function arrowProperty({ name, parameters = [], returns, body, indent }: ArrowProperty): string {
  const type = returns === undefined ? '' : `: ${returns}`
  const head = `${name}: (${parameters.join(', ')})${type} =>`
  const [firstLine = ''] = body.split('\n')
  // The line also needs space for a comma.
  const fits = (line: string): boolean => indent + line.length + 1 <= lineWidth
  if (fits(`${head} ${firstLine}`)) return `${head} ${body}`
  if (fits(head) && (firstLine === body || !/[[({]$/.test(firstLine))) {
    return `${head}\n  ${body.replaceAll('\n', '\n  ')}`
  }
  const broken = `${name}: (\n${parameters.map((parameter) => `  ${parameter},\n`).join('')})${type} =>`
  if (parameters.length === 0) return `${head}\n  ${body.replaceAll('\n', '\n  ')}`
  return fits(`)${type} => ${firstLine}`) ? `${broken} ${body}` : `${broken}\n  ${body.replaceAll('\n', '\n  ')}`
}

function boundTools({ agent, use, design, plans }: ServiceUseContext, file: GeneratedFile): ExecutorText {
  const toolset = toolsetOf(design, use.toolset)
  const types = file.types('types', toolsetModule(toolset, 'types'))
  const named = use.tools.map(({ tool: name }): NamedPlan => {
    const tool = toolOf(toolset, name)
    const stem = tool.names.arguments.replace(/Arguments_?$/, '')
    const plan = plans[tool.name]
    if (plan === undefined) throw new Error(`There is no plan for '${tool.id}' in agent '${agent.name}'.`)
    const names = {
      client: use.names.client,
      payload: `${types}.${tool.names.payload}`,
      result: `${types}.${tool.names.result}`,
      update: `${types}.${tool.names.update}`,
      stem,
      args: `${stem}Args`,
      response: plan.stream === undefined ? `${stem}Response` : `${stem}Item`,
    }
    return { plan, names }
  })
  const definitions = readDefinitions(toolset)
  return executorText(named, (definition, form) => `${types}.${definitions.nameOf(definition, form)}`, file)
}

function mapperMember(tool: ServiceToolText, file: GeneratedFile): string {
  const name = propertyNameText(tool.name)
  const transforms = transformsOf(tool)
  if (!needsMapper(tool)) {
    const type = file.type(tool.update === undefined ? 'ToolMappers' : 'StreamMappers')
    const args = transforms.flatMap(([, { from, to }]) => [from, to])
    return typeMember(`${name}?`, type, args, 4)
  }
  const sides = transforms.map(([side, { body, reason, from, to }]) => {
    const required = body === undefined
    const comment = reason === undefined ? '' : `${docComment(`A mapper is required: ${reason}.`, 6)}\n      `
    const type = file.type(required ? 'Mapper' : 'WrappingMapper')
    const made = side === 'update' ? (required ? [`${to} | undefined`] : [`${to} | undefined`, to]) : [to]
    return `${comment}${typeMember(`${side}${required ? '' : '?'}`, type, [from, ...made], 6)}`
  })
  return `readonly ${name}: {\n${sides.map((line) => `      ${line}\n`).join('')}    }`
}

function needsMapper(tool: ServiceToolText): boolean {
  return transformsOf(tool).some(([, { body }]) => body === undefined)
}

/** In the order of execution. */
function transformsOf({ payload, update, result }: ServiceToolText): readonly (readonly [string, TransformText])[] {
  return Object.entries({ payload, ...(update && { update }), result })
}

/** `once` keeps the declarations of each use between runs. */
export function agentApi(
  agent: AgentIr,
  design: DesignIr,
  file: GeneratedFile,
  once: Once<readonly string[]>,
): EmittedFile {
  const namespaces = namespaceNames(agent.uses.map(({ as }) => as))
  const declarations = agent.uses.flatMap((use, index) => {
    if (use.tools.length === 0) return []
    const toolset = toolsetOf(design, use.toolset)
    const namespace = elementAt(namespaces, index)
    return once(
      () => ['declarations', namespace, ...useKey(use, toolset)],
      () => [namespaceDeclaration(namespace, declaredTools(use, toolset))],
    )
  })
  const text = [apiDeclarations([]).text, ...declarations].join('\n')
  return file.print('agent-api', agent.location, {
    about: lineComment(
      `Declarations of the tools of \`${agent.name}\`, as \`codeMode\` shows them to models with \`comments: 'short'\`.`,
    ),
    declarations: text.replaceAll(/^(?=type Json |declare namespace )/gm, 'export '),
  })
}

/** The key of all data of a use that affect the declarations and the search terms of its tools. */
function useKey({ as, tools }: UseIr, toolset: ToolsetIr): readonly unknown[] {
  return [as, jsonHash(toolset), tools.map(({ tool, toolName }) => [tool, toolName])]
}

function declaredTools(use: UseIr, toolset: ToolsetIr): readonly DeclaredTool[] {
  return use.tools.map(({ tool: name, toolName }) => {
    const { description, arguments: args, result, failures } = toolOf(toolset, name)
    const [sent, returned] = [args, result].map((schema) => closedSchema(schema, toolset.defs))
    const declared = failures?.map((failure) =>
      failure.schema === undefined ? failure : { ...failure, schema: closedSchema(failure.schema, toolset.defs) },
    )
    const schemas = { arguments: sent ?? true, result: returned ?? true }
    return { toolset: use.as, name, toolName, description, ...schemas, ...(declared && { failures: declared }) }
  })
}

export function agentSearchIndex(
  agent: AgentIr,
  design: DesignIr,
  file: GeneratedFile,
  once: Once<readonly string[]>,
): EmittedFile {
  const entries = agent.uses.flatMap((use) => {
    const toolset = toolsetOf(design, use.toolset)
    return once(
      () => ['search terms', ...useKey(use, toolset)],
      () => {
        const { tools } = toolSearchIndex(searchedTools(use, toolset))
        return Object.entries(tools).map(([hash, terms]) => `${keyText(hash)}: ${stringText(terms)}`)
      },
    )
  })
  return file.print('agent-search-index', agent.location, {
    comment: docComment(
      `Search index of the tools of \`${agent.name}\`. Pass it to \`useToolSearch\`, \`codeMode\` or \`toolIndex\` as \`index\`.`,
    ),
    type: file.type('ToolSearchIndex'),
    version: toolSearchIndex([]).version,
    // Uses of the same toolset can have equal entries.
    tools: [...new Set(entries)],
  })
}

function searchedTools(use: UseIr, toolset: ToolsetIr): readonly SearchedTool[] {
  return use.tools.map(({ tool: name, toolName }) => {
    const { title, description, arguments: args, meta } = toolOf(toolset, name)
    return { name, toolName, title, description, arguments: closedSchema(args, toolset.defs), ...(meta && { meta }) }
  })
}
