import type {
  Json,
  McpServedToolIr,
  McpSourceIr,
  MetaPath,
  OpenApiSourceIr,
  SchemaObject,
  ToolIr,
  ToolsetIr,
} from '../ir/types.js'
import { isObject } from '../schema/json-schema.js'
import { docComment, flatLiteral, keyText, lineWidth, literalText, propertyNameText } from '../text.js'
import { type ImportedModule, type ImportingFile, type ImportSet, importSet, runtimeModule } from './imports.js'
import { needsType, requiresNothing, typedEntry } from './members.js'
import { block, functionHead, header, schemaText } from './templates.js'
import { callText, checkMember } from './use-binding.js'

/** What `toolset-mcp.hbs` shows. */
interface ToolsetMcpView {
  readonly header: string
  readonly imports: string
  readonly imported: {
    readonly comment: string
    readonly name: string
    readonly type: string
    readonly entries: string
  }
  readonly executor: { readonly comment: string; readonly head: string; readonly make: string }
  readonly client: {
    readonly comment: string
    readonly name: string
    readonly methods: readonly { readonly comment: string; readonly member: string; readonly value: string }[]
    readonly options: string
    readonly extended: string
    readonly checks: readonly string[]
    readonly head: string
    readonly tools: string
  }
}

/**
 * How an MCP server serves a toolset, and the client of the toolset that needs no agent.
 *
 * The argument `nested` holds the meta fields that agents need which serve the toolset too: call builders ask for them.
 */
export function toolsetMcpView(
  toolset: ToolsetIr,
  { mcp, nested }: { readonly mcp: McpSourceIr; readonly nested: readonly MetaPath[] },
  file: ImportingFile,
): ToolsetMcpView {
  const imports = importSet(file)
  const { names } = toolset
  const folder = `toolsets/${names.folder}`
  const caller = `caller: ${imports.type(runtimeModule, 'McpCallerSource')}`
  const executorOptions = imports.type(runtimeModule, 'McpExecutorOptions')
  const mustCheck = toolset.tools.filter(({ needsCheck }) => needsCheck)
  const make = imports.value(runtimeModule, 'mcpExecutor')
  const unused = toolset.tools.length === 0 ? '_' : ''
  const registrationOptions = imports.type(runtimeModule, 'RegistrationOptions')
  return {
    imported: {
      comment: docComment(`How an MCP server serves \`${toolset.name}\`.`, 0),
      name: names.mcp.import,
      type: imports.type(runtimeModule, 'ToolsetImport'),
      entries: block(
        [
          `toolset: ${imports.value({ generated: `${folder}/index` }, names.toolset)}`,
          ...(mcp.server === undefined ? [] : [`server: ${flatLiteral({ ...mcp.server })}`]),
          `tools: ${block(mcp.tools.map(servedText), 2)}`,
          ...(mcp.unused.length === 0 ? [] : [entry('unused', mcp.unused, 2)]),
        ],
        0,
      ),
    },
    executor: {
      comment: docComment(`Serves \`${toolset.name}\` through an MCP server.`, 0),
      head: functionHead(
        names.mcp.executor,
        [caller, `options: ${executorOptions} = {}`],
        imports.type(runtimeModule, 'McpExecutor'),
      ),
      make,
    },
    client: {
      comment: docComment(
        `The tools of \`${toolset.name}\` without an agent. A method rejects when its arguments do not fit; whatever happens then is an outcome.`,
        0,
      ),
      name: names.mcp.client,
      methods: toolset.tools.map((tool) => clientMethod(tool, { toolset, nested }, imports)),
      options: names.mcp.clientOptions,
      extended: `${executorOptions}, ${registrationOptions}`,
      checks: mustCheck.map((tool) => checkMember(tool, imports)),
      head: functionHead(
        names.mcp.newClient,
        [`${unused}${caller}`, `${unused}options: ${names.mcp.clientOptions}${mustCheck.length > 0 ? '' : ' = {}'}`],
        names.mcp.client,
      ),
      tools: callText(
        imports.value(runtimeModule, 'mcpTools'),
        [names.mcp.import, `${make}(${names.mcp.import}, caller, options)`, 'options'],
        2,
      ),
    },
    header: header(toolset.location),
    imports: imports.text(),
  }
}

/** What is known of a tool of the server, as an entry. */
function servedText({ tool, name, description, inputSchema, outputSchema }: McpServedToolIr): string {
  const facts = [
    entry('name', name, 6),
    ...(description === undefined ? [] : [entry('description', description, 6)]),
    ...(inputSchema === undefined ? [] : [`inputSchema: ${schemaText(inputSchema, 6)}`]),
    ...(outputSchema === undefined ? [] : [`outputSchema: ${schemaText(outputSchema, 6)}`]),
  ]
  const [only] = facts
  return `${keyText(tool)}: ${facts.length === 1 ? `{ ${only} }` : block(facts, 4)}`
}

function entry(key: string, value: Json, indent: number): string {
  return `${key}: ${literalText(value, { indent, used: indent + key.length + 3 })}`
}

/** A method of a toolset's client. */
interface ClientMethod {
  readonly comment: string
  /** As a member of the client's type, indented by two. */
  readonly member: string
  /** As an entry of the client, indented by four. */
  readonly value: string
}

/** The method that calls a tool: it builds the call and executes it. */
function clientMethod(
  tool: ToolIr,
  { toolset, nested }: { readonly toolset: ToolsetIr; readonly nested: readonly MetaPath[] },
  imports: ImportSet,
): ClientMethod {
  const folder = `toolsets/${toolset.names.folder}`
  const types = imports.types({ generated: `${folder}/types` }, 'types')
  const calls = imports.values({ generated: `${folder}/calls` }, 'calls')
  const options = optionsOf(tool, nested, imports)
  const args = `args${requiresNothing(tool, toolset) && options.optional ? '?' : ''}: ${types}.${tool.names.arguments}`
  const outcome = `${imports.type(runtimeModule, 'ToolOutcome')}<${types}.${tool.names.result}>`
  const parameters = [args, `options${options.optional ? '?' : ''}: ${options.type}`]
  const start = `readonly ${propertyNameText(tool.name)}: (`
  const end = `) => Promise<${outcome}>`
  const flat = `${start}${parameters.join(', ')}${end}`
  return {
    comment: docComment(tool.description, 2),
    member: 2 + flat.length <= lineWidth ? flat : `${start}\n    ${parameters.join(',\n    ')},\n  ${end}`,
    value: valueText(
      `${keyText(tool.name)}: async (args, given) =>`,
      `tools.execute(${calls}.${tool.names.call}(args), given)`,
    ),
  }
}

/** What a call needs beside its arguments: what server-owned fields are filled from, and somebody who confirms. */
function optionsOf(
  tool: ToolIr,
  nested: readonly MetaPath[],
  imports: ImportSet,
): { readonly type: string; readonly optional: boolean } {
  const needs = needsType(tool, nested)
  const asks = tool.confirmation !== undefined
  const type =
    needs === 'never'
      ? imports.type(runtimeModule, 'CallOptions')
      : `${imports.type(runtimeModule, 'OptionsFor')}<${needs}>`
  return {
    type: asks ? `${type} & { readonly env: ${imports.type(runtimeModule, 'HasApproval')} }` : type,
    optional: !asks && needs.split(' | ').every((field) => field === 'never' || field === "'toolCallId'"),
  }
}

function valueText(head: string, body: string): string {
  return 4 + head.length + 1 + body.length + 1 <= lineWidth ? `${head} ${body}` : `${head}\n      ${body}`
}

/** What `toolset-openapi.hbs` shows. */
interface ToolsetOpenApiView {
  readonly header: string
  readonly imports: string
  readonly api: { readonly comment: string; readonly name: string; readonly type: string; readonly entries: string }
  readonly options: {
    readonly comment: string
    readonly name: string
    readonly extended: string
    readonly members: readonly { readonly comment: string; readonly member: string }[]
  }
  readonly executor: { readonly comment: string; readonly head: string; readonly make: string }
}

/** How an HTTP API serves a toolset: a table of its operations, and the executor that sends their requests. */
export function toolsetOpenApiView(
  toolset: ToolsetIr,
  source: OpenApiSourceIr,
  file: ImportingFile,
): ToolsetOpenApiView {
  const imports = importSet(file)
  const names = toolset.names.openapi
  const { server, security, operations } = source
  const needsBase = server === undefined && operations.some(({ operation }) => !Object.hasOwn(operation, 'server'))
  return {
    api: {
      comment: docComment(`How \`${toolset.name}\` is served by an HTTP API.`, 0),
      name: names.api,
      type: imports.type(openApiRuntime, 'ToolsetApi'),
      entries: block(
        [
          `toolset: ${imports.value({ generated: `toolsets/${toolset.names.folder}/index` }, toolset.names.toolset)}`,
          ...(server === undefined ? [] : [typedEntry('server', server, 2)]),
          ...(security === undefined ? [] : [typedEntry('security', security, 2)]),
          `operations: ${block(
            operations.map(({ tool, operation }) => typedEntry(tool, operation, 4)),
            2,
          )}`,
        ],
        0,
      ),
    },
    options: {
      comment: docComment(`How the API of \`${toolset.name}\` is reached, and who asks.`, 0),
      name: names.options,
      extended: imports.type(openApiRuntime, 'OpenApiExecutorOptions'),
      members: [
        ...(needsBase ? [baseUrl(imports)] : []),
        security === undefined ? noAuth : authMember(security, imports),
      ],
    },
    executor: {
      comment: docComment(`Serves \`${toolset.name}\` through its HTTP API.`, 0),
      head: functionHead(
        names.executor,
        [`options: ${names.options}${needsBase ? '' : ' = {}'}`],
        imports.type(runtimeModule, 'ToolExecutor'),
      ),
      make: imports.value(openApiRuntime, 'openApiExecutor'),
    },
    header: header(toolset.location),
    imports: imports.text(),
  }
}

/** Without it any credentials would be taken, and none be sent. */
const noAuth: ToolsetOpenApiView['options']['members'][number] = {
  comment: docComment('No operation says how credentials are sent; `headers` can send them.', 2),
  member: 'readonly auth?: never',
}

function baseUrl(imports: ImportSet): ToolsetOpenApiView['options']['members'][number] {
  return {
    comment: docComment('Where the API is: its document does not say so.', 2),
    member: `readonly baseUrl: ${imports.type(openApiRuntime, 'PerCall')}<string>`,
  }
}

function authMember(security: SchemaObject, imports: ImportSet): ToolsetOpenApiView['options']['members'][number] {
  const perCall = imports.type(openApiRuntime, 'PerCall')
  const members = Object.entries(security).map(([name, scheme]) => {
    const isBasic = isObject(scheme) && scheme.type === 'basic'
    const credential = isBasic ? imports.type(openApiRuntime, 'BasicCredential') : 'string'
    return `    readonly ${propertyNameText(name)}?: ${perCall}<${credential} | undefined>\n`
  })
  return {
    comment: docComment('The credentials, by the way in which they are sent. Default: none are sent.', 2),
    member: `readonly auth?: {\n${members.join('')}  }`,
  }
}

/** The part of the runtime that sends the requests of tools. */
export const openApiRuntime: ImportedModule = { specifier: '@toolgen/runtime/openapi' }

/** The file of a toolset that says how an HTTP API serves it. */
export function openApiModule({ names }: ToolsetIr): ImportedModule & { readonly generated: string } {
  return { generated: `toolsets/${names.folder}/openapi` }
}
