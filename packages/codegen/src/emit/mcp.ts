import type {
  AgentIr,
  DesignIr,
  McpPromptIr,
  McpResourceTemplateIr,
  McpServedToolIr,
  McpSourceIr,
  MetaPath,
  ToolIr,
  ToolsetIr,
} from '../ir/types.js'
import type { McpToolIr, McpUseIr } from '../ir/uses.js'
import type { EmittedFile } from '../output/files.js'
import { docComment, flatLiteral, keyText, lineWidth, propertyNameText, stringText } from '../text.js'
import { acceptsNoArguments, checkMembers, needsType, toolsetModule, toolsetOf } from './design-queries.js'
import type { GeneratedFile } from './generated-file.js'
import { block, callText, entries, functionHead, schemaText } from './layout.js'
import { registrationView } from './registrations.js'

export function toolsetMcp(
  toolset: ToolsetIr,
  mcp: McpSourceIr,
  nested: readonly MetaPath[],
  file: GeneratedFile,
): EmittedFile {
  const names = toolset.names.mcp
  const caller = `caller: ${file.type('McpCallerSource')}`
  const executorOptions = file.type('McpExecutorOptions')
  const checks = checkMembers(toolset.tools, file)
  const make = file.value('mcpExecutor')
  const extras = clientExtras(toolset, mcp, file)
  const executor = `${make}(${names.import}, caller, options)`
  const tools = [names.import, extras === undefined ? executor : 'executor', 'options']
  const methods = toolset.tools.map((tool) => clientMethod(tool, toolset, nested, file))
  const unused = methods.length === 0 && extras === undefined ? '_' : ''
  return file.print('toolset-mcp', toolset.location, {
    imported: {
      comment: docComment(`The tools of the MCP server that runs the toolset \`${toolset.name}\`.`),
      name: names.import,
      type: file.type('ToolsetImport'),
      entries: block(
        [
          `toolset: ${file.value(toolset.names.toolset, toolsetModule(toolset, 'index'))}`,
          ...(mcp.server === undefined ? [] : [`server: ${flatLiteral({ ...mcp.server })}`]),
          `tools: ${block(mcp.tools.map(servedText), 2)}`,
          ...entries({ unused: mcp.unused.length === 0 ? undefined : mcp.unused }, 2),
        ],
        0,
      ),
    },
    executor: {
      comment: docComment(`Returns an executor of \`${toolset.name}\` that calls an MCP server.`),
      head: functionHead(names.executor, [caller, `options: ${executorOptions} = {}`], file.type('McpExecutor')),
      make,
    },
    client: {
      comment: docComment(
        `Client of the tools of \`${toolset.name}\` without an agent. A method rejects if its arguments are invalid; every other failure is an outcome.`,
      ),
      name: names.client,
      methods,
      bases: extras?.bases ?? '',
      executor: extras !== undefined && executor,
      groups: extras?.groups ?? [],
      values: [...(extras?.spread ?? []), ...methods.map(({ value }) => value), ...(extras?.groupValues ?? [])],
      options: names.clientOptions,
      optionsComment: docComment(`Options of \`${names.newClient}\`: those of the executor and of the registration.`),
      extended: `${executorOptions}, ${file.type('RegistrationOptions')}`,
      checks,
      head: functionHead(
        names.newClient,
        [`${unused}${caller}`, `${unused}options: ${names.clientOptions}${checks.length > 0 ? '' : ' = {}'}`],
        names.client,
      ),
      tools: callText(file.value('mcpTools'), tools, 2),
    },
  })
}

function servedText({ tool, name, description, inputSchema, outputSchema }: McpServedToolIr): string {
  const fields = [
    ...entries({ name, description }, 6),
    ...(inputSchema === undefined ? [] : [`inputSchema: ${schemaText(inputSchema, 6)}`]),
    ...(outputSchema === undefined ? [] : [`outputSchema: ${schemaText(outputSchema, 6)}`]),
  ]
  return `${keyText(tool)}: ${fields.length === 1 ? `{ ${fields[0]} }` : block(fields, 4)}`
}

interface ClientGroup {
  readonly comment: string
  readonly name: string
  readonly members: readonly { readonly comment: string; readonly member: string }[]
}

function clientExtras(
  toolset: ToolsetIr,
  { prompts = [], resources, resourceTemplates: templates = [] }: McpSourceIr,
  file: GeneratedFile,
):
  | {
      readonly bases: string
      readonly spread: readonly string[]
      readonly groups: readonly ClientGroup[]
      readonly groupValues: readonly string[]
    }
  | undefined {
  if (prompts.length === 0 && resources === undefined && templates.length === 0) return undefined
  const taken = new Set(toolset.tools.map(({ name }) => name))
  // A tool with such a name keeps its method.
  const replaced = ['listResources', 'listResourceTemplates', 'readResource']
    .filter((name) => taken.has(name))
    .map(stringText)
  const reading = resources === undefined ? undefined : file.type('McpResources')
  const base = replaced.length === 0 ? reading : reading && `Omit<${reading}, ${replaced.join(' | ')}>`
  const groupName = (name: string): string => (taken.has(name) ? groupName(`${name}_`) : name)
  const ofTemplates = templates.map(({ method, uriTemplate }) => {
    const call = `${file.value('mcpResource')}(executor, ${stringText(uriTemplate)}, variables, options)`
    return arrowText(`${keyText(method)}: async (variables, options) =>`, call)
  })
  const ofPrompts = prompts.map(({ method, name }) => {
    const call = `${file.value('mcpPrompt')}(executor, ${stringText(name)}, args, options)`
    return arrowText(`${keyText(method)}: async (args, options) =>`, call)
  })
  const groups = [
    {
      comment: docComment(
        'Reads resources whose URIs have variables. A method rejects if a variable is invalid or its request fails.',
        2,
      ),
      name: groupName('resources'),
      members: templates.map((template) => templateMember(template, file)),
      values: ofTemplates,
    },
    {
      comment: docComment('Prompts of the server as chat messages. A method rejects if its request fails.', 2),
      name: groupName('prompts'),
      members: prompts.map((prompt) => promptMember(prompt, file)),
      values: ofPrompts,
    },
  ].filter(({ values }) => values.length > 0)
  return {
    bases: base === undefined ? '' : ` extends ${base}`,
    spread: reading === undefined ? [] : [`...${file.value('mcpResources')}(executor)`],
    groups,
    groupValues: groups.map(({ name, values }) => `${name}: ${block(values, 4)}`),
  }
}

function arrowText(head: string, body: string): string {
  return 6 + head.length + 1 + body.length + 1 <= lineWidth ? `${head} ${body}` : `${head}\n        ${body}`
}

function templateMember(
  { method, uriTemplate, description, variables }: McpResourceTemplateIr,
  file: GeneratedFile,
): ClientGroup['members'][number] {
  const type = (isList: boolean): string => (isList ? 'string | readonly string[]' : 'string')
  const member = methodMember(method, {
    parameter: 'variables',
    fields: variables.map(({ name, isList, isOptional }) => ({ name, type: type(isList), isOptional })),
    options: file.type('McpReadOptions'),
    result: `readonly ${file.type('McpResourceContents')}[]`,
  })
  const about = description === undefined ? '' : `${description.trimEnd()}\n\n`
  return { comment: docComment(`${about}URI: \`${uriTemplate}\``, 4), member }
}

function promptMember(
  { method, name, description, arguments: args }: McpPromptIr,
  file: GeneratedFile,
): ClientGroup['members'][number] {
  const member = methodMember(method, {
    parameter: 'args',
    fields: args.map((field) => {
      const { name, description: about, required } = field
      return { name, type: 'string', isOptional: !required, ...(about !== undefined && { about }) }
    }),
    options: file.type('McpRequestOptions'),
    result: `readonly ${file.type('McpPromptMessage')}[]`,
  })
  return { comment: docComment(description ?? `The prompt \`${name}\`.`, 4), member }
}

function methodMember(
  method: string,
  {
    parameter: name,
    fields,
    ...types
  }: {
    readonly parameter: string
    readonly fields: readonly {
      readonly name: string
      readonly type: string
      readonly isOptional: boolean
      readonly about?: string
    }[]
    readonly options: string
    readonly result: string
  },
): string {
  const lines = fields.flatMap(({ name: field, type, isOptional, about }) => [
    ...(about === undefined ? [] : [`        ${docComment(about, 8)}`]),
    `        readonly ${propertyNameText(field)}${isOptional ? `?: ${type} | undefined` : `: ${type}`}`,
  ])
  const isOptional = fields.every((field) => field.isOptional)
  const type = lines.length === 0 ? 'Readonly<Record<string, never>>' : `{\n${lines.join('\n')}\n      }`
  const options = `options?: ${types.options}`
  const end = `) => Promise<${types.result}>`
  const start = `readonly ${propertyNameText(method)}: (`
  const parameter = `${name}${isOptional ? '?' : ''}: ${type}`
  const flat = `${start}${parameter}, ${options}${end}`
  const isFlat = lines.length === 0 && 4 + flat.length <= lineWidth
  return isFlat ? flat : `${start}\n      ${parameter},\n      ${options},\n    ${end}`
}

/** The runtime creates these metadata fields for each call, so callers do not pass the fields. */
const createdByRuntime: ReadonlySet<string> = new Set(["'toolCallId'", "'idempotencyKey'"])

function clientMethod(
  tool: ToolIr,
  toolset: ToolsetIr,
  nested: readonly MetaPath[],
  file: GeneratedFile,
): { readonly comment: string; readonly member: string; readonly value: string } {
  const types = file.types('types', toolsetModule(toolset, 'types'))
  const calls = file.values('calls', toolsetModule(toolset, 'calls'))
  const needs = needsType(tool, nested)
  const asks = tool.confirmation !== undefined
  const options = needs === 'never' ? file.type('CallOptions') : `${file.type('OptionsFor')}<${needs}>`
  const isOptional = !asks && needs.split(' | ').every((field) => field === 'never' || createdByRuntime.has(field))
  const args = `args${acceptsNoArguments(tool, toolset) && isOptional ? '?' : ''}: ${types}.${tool.names.arguments}`
  const approval = asks ? ` & { readonly env: ${file.type('HasApproval')} }` : ''
  const parameters = [args, `options${isOptional ? '?' : ''}: ${options}${approval}`]
  const start = `readonly ${propertyNameText(tool.name)}: (`
  const { result, failures } = tool.names
  const outcome = [result, ...(failures === undefined ? [] : [failures.type])].map((name) => `${types}.${name}`)
  const end = `) => Promise<${file.type('ToolOutcome')}<${outcome.join(', ')}>>`
  const flat = `${start}${parameters.join(', ')}${end}`
  const head = `${keyText(tool.name)}: async (args, options) =>`
  const body = `tools.execute(${calls}.${tool.names.call}(args), options)`
  return {
    comment: docComment(tool.description, 2),
    member: 2 + flat.length <= lineWidth ? flat : `${start}\n    ${parameters.join(',\n    ')},\n  ${end}`,
    value: 4 + head.length + 1 + body.length + 1 <= lineWidth ? `${head} ${body}` : `${head}\n      ${body}`,
  }
}

export function mcpImport(
  use: McpUseIr,
  agent: AgentIr,
  toolset: ToolsetIr,
): {
  readonly module: { readonly generated: string }
  readonly name: string
  readonly renamed: readonly McpToolIr[]
} {
  const served = new Map((toolset.mcp?.tools ?? []).map(({ tool, name }) => [tool, name] as const))
  const renamed = use.tools.filter(({ tool, remote }) => served.get(tool) !== remote)
  return renamed.length > 0
    ? { module: { generated: `agents/${agent.names.folder}/${use.names.file}` }, name: use.names.mcpImport, renamed }
    : { module: toolsetModule(toolset, 'mcp'), name: toolset.names.mcp.import, renamed }
}

export function agentMcp(use: McpUseIr, agent: AgentIr, design: DesignIr, file: GeneratedFile): EmittedFile {
  const toolset = toolsetOf(design, use.toolset)
  const { names } = use
  const { renamed } = mcpImport(use, agent, toolset)
  const ofToolset = file.value(toolset.names.mcp.import, toolsetModule(toolset, 'mcp'))
  const tools = renamed.map(({ tool, remote }) => `${keyText(tool)}: { name: ${stringText(remote)} }`)
  return file.print('agent-mcp', use.location, {
    renamed: renamed.length > 0 && {
      comment: docComment(
        `The tools of the MCP server that runs the toolset \`${toolset.name}\` for \`${agent.name}\`.`,
      ),
      name: names.mcpImport,
      type: file.type('ToolsetImport'),
      entries: block([`...${ofToolset}`, `tools: ${block([`...${ofToolset}.tools`, ...tools], 2)}`], 0),
    },
    executor: {
      comment: docComment(`Returns an executor of \`${toolset.name}\` for \`${agent.name}\` that calls an MCP server.`),
      head: functionHead(
        names.mcpExecutor,
        [`caller: ${file.type('McpCallerSource')}`, `options: ${file.type('McpExecutorOptions')} = {}`],
        file.type('McpExecutor'),
      ),
      make: file.value('mcpExecutor'),
      imported: renamed.length > 0 ? names.mcpImport : ofToolset,
    },
    registration: registrationView(use, agent, design, file),
  })
}
