import {
  checkedFields,
  type FieldCheck,
  type FieldChecks,
  fault,
  frozenDictionary,
  frozenJson,
  frozenNames,
  hasFields,
  isAnything,
  isDictionaryOf,
  isFlag,
  isListOf,
  isMade,
  isName,
  isOneOf,
  plainCopy,
  quoted,
} from './checks.js'
import type { Toolset } from './toolset.js'
import type {
  AgentUseValue,
  DemandFor,
  Json,
  McpToolOptions,
  McpToolValue,
  McpUseOptions,
  McpUseValue,
  NoMethodNamed,
  OpenApiUseValue,
  SchemaValue,
  ServiceClient,
  ServiceToolOptions,
  ServiceToolValue,
  ServiceUseOptions,
  ServiceUseValue,
  ToolsetValue,
  ToolValue,
  UseOptions,
  UseValue,
  WithoutMethod,
} from './types.js'

/**
 * Gives a toolset to an agent, served by the agent that exports it. The exporter is not named: the generator finds it,
 * so that two agents can use each other without importing each other. `only` selects tools and `rename` changes the
 * names that this agent's model sees. Throws a TypeError when an argument is evidently wrong.
 *
 * @example
 * fromAgent(investigation, { only: ['investigate'], rename: { investigate: 'find_out' } })
 */
export function fromAgent<
  Used extends Readonly<Record<string, ToolValue>>,
  const Selected extends keyof Used & string = keyof Used & string,
  const Renamed extends string = never,
>(toolset: Toolset<Used>, options?: UseOptions<Selected, Renamed>): AgentUseValue
export function fromAgent(toolset: ToolsetValue, options: UseOptions<string, string> = {}): AgentUseValue {
  isMade('toolset', 'Pass what defineToolset(...) returned')(toolset, 'fromAgent: first argument')
  const where = `fromAgent(${quoted(toolset.name)})`
  const parts = checkedFields(options, { required: {}, optional: usePartChecks }, where)
  return Object.freeze<AgentUseValue>({
    '~toolgen': 'use',
    provider: 'agent',
    toolset,
    ...frozenUseParts(parts, where),
  })
}

/** The options that every use has, whoever serves it. */
type UseParts = Pick<UseValue, 'as' | 'only' | 'rename'>

/** The checks of {@link UseParts}. */
const usePartChecks: Readonly<Record<keyof UseParts, FieldCheck>> = {
  as: isName,
  only: isListOf(isName),
  rename: isDictionaryOf(isName),
}

/** Frozen copies of those that are given. */
function frozenUseParts({ as, only, rename }: UseParts, where: string): UseParts {
  return {
    ...(as !== undefined && { as }),
    ...(only && { only: Object.freeze([...only]) }),
    ...(rename && { rename: frozenDictionary(rename, `${where}: rename`) }),
  }
}

const toolChecks: FieldChecks = { required: {}, optional: { name: isName } }

const useChecks: FieldChecks = {
  required: {},
  optional: { ...usePartChecks, tools: isDictionaryOf(hasFields(toolChecks)) },
}

/**
 * Gives a toolset to an agent, served by an MCP server: one that `toolgen import mcp` wrote, or one that was declared by
 * hand. `tools` says what the server calls single tools; a toolset that was imported says it itself. `only` selects tools
 * and `rename` changes the names that this agent's model sees. Throws a TypeError when an argument is evidently wrong.
 *
 * @example
 * fromMcp(files, { only: ['readFile'], tools: { readFile: { name: 'read_file' } } })
 */
export function fromMcp<
  Used extends Readonly<Record<string, ToolValue>>,
  const Selected extends keyof Used & string = keyof Used & string,
  const Renamed extends string = never,
  const Named extends string = never,
>(toolset: Toolset<Used>, options?: McpUseOptions<Selected, Renamed, Named>): McpUseValue
export function fromMcp(toolset: ToolsetValue, options: McpUseOptions<string, string, string> = {}): McpUseValue {
  isMade('toolset', 'Pass what defineToolset(...) returned')(toolset, 'fromMcp: first argument')
  const where = `fromMcp(${quoted(toolset.name)})`
  const { tools, ...parts } = checkedFields(options, useChecks, where)
  return Object.freeze<McpUseValue>({
    '~toolgen': 'use',
    provider: 'mcp',
    toolset,
    ...frozenUseParts(parts, where),
    ...(tools && { tools: frozenTools(tools, `${where}: tools`) }),
  })
}

function frozenTools(
  tools: Readonly<Record<string, McpToolOptions>>,
  where: string,
): Readonly<Record<string, McpToolValue>> {
  const entries = Object.entries(plainCopy(tools, where)).map(([tool, options]): [string, McpToolValue] => [
    tool,
    Object.freeze<McpToolValue>(plainCopy(options, `${where}[${quoted(tool)}]`)),
  ])
  return frozenDictionary(Object.fromEntries(entries), where)
}

/**
 * Gives a toolset to an agent, served by an HTTP API: one that `toolgen import openapi` wrote, or one whose `openapi` was
 * declared by hand. `only` selects tools and `rename` changes the names that this agent's model sees. Throws a TypeError
 * when an argument is evidently wrong.
 *
 * @example
 * fromOpenApi(pets, { only: ['getPetById'], rename: { getPetById: 'look_at_pet' } })
 */
export function fromOpenApi<
  Used extends Readonly<Record<string, ToolValue>>,
  const Selected extends keyof Used & string = keyof Used & string,
  const Renamed extends string = never,
>(toolset: Toolset<Used>, options?: UseOptions<Selected, Renamed>): OpenApiUseValue
export function fromOpenApi(toolset: ToolsetValue, options: UseOptions<string, string> = {}): OpenApiUseValue {
  isMade('toolset', 'Pass what defineToolset(...) returned')(toolset, 'fromOpenApi: first argument')
  const where = `fromOpenApi(${quoted(toolset.name)})`
  if (toolset.openapi === undefined) {
    throw fault(
      where,
      'the toolset has no `openapi`',
      'Import it with `toolgen import openapi`, or declare its operations',
    )
  }
  const parts = checkedFields(options, { required: {}, optional: usePartChecks }, where)
  return Object.freeze<OpenApiUseValue>({
    '~toolgen': 'use',
    provider: 'openapi',
    toolset,
    ...frozenUseParts(parts, where),
  })
}

type Tools = Readonly<Record<string, ToolValue>>

const resultChecks: FieldChecks = { required: {}, optional: { from: isOneOf(['data']), checked: isFlag } }

/** Options of a result; a name alone would leave no place for the other option. */
const isResult: FieldCheck = (value, where) => {
  if (typeof value === 'string') {
    const next = 'Write { from: "data" }, { checked: true } or both in one object'
    throw fault(where, `expected an object, got ${quoted(value)}`, next)
  }
  hasFields(resultChecks)(value, where)
}

const serviceToolChecks: FieldChecks = {
  required: {},
  optional: {
    method: isName,
    rename: isDictionaryOf(isName),
    constants: isDictionaryOf(isAnything),
    result: isResult,
    collect: isOneOf(['list', 'last']),
  },
}

const serviceUseChecks: FieldChecks = {
  required: {},
  optional: { ...usePartChecks, tools: isDictionaryOf(hasFields(serviceToolChecks)) },
}

/**
 * Gives a toolset to an agent, served by a service client. A tool calls the client's method of the same name unless
 * `tools` names another; `only` selects tools and `rename` changes the names that this agent's model sees. Throws a
 * TypeError when an argument is evidently wrong.
 *
 * @example
 * fromService(orders, ordersClient, { tools: { getOrder: { method: 'fetchOrder' } } })
 */
export function fromService<Used extends Tools, Client>(
  toolset: Toolset<Used>,
  client: ServiceClient<Client> &
    DemandFor<WithoutMethod<Client, keyof Used & string>, NoMethodNamed<WithoutMethod<Client, keyof Used & string>>>,
): ServiceUseValue
export function fromService<
  Used extends Tools,
  Client,
  const Selected extends keyof Used & string = keyof Used & string,
  const Renamed extends string = never,
  const Methods = Record<never, never>,
>(
  toolset: Toolset<Used>,
  client: ServiceClient<Client>,
  options: ServiceUseOptions<Used, Client, Selected, Renamed, Methods>,
): ServiceUseValue
export function fromService(
  toolset: ToolsetValue,
  client: ServiceClient<unknown>,
  options: ServiceUseOptions<Tools, unknown, string, string, Readonly<Record<string, string>>> = {},
): ServiceUseValue {
  isMade('toolset', 'Pass what defineToolset(...) returned')(toolset, 'fromService: first argument')
  const where = `fromService(${quoted(toolset.name)})`
  isMade('client', 'Pass an exported serviceClient<Client>()')(client, `${where}: second argument`)
  const { tools, ...parts } = checkedFields(options, serviceUseChecks, where)
  return Object.freeze<ServiceUseValue>({
    '~toolgen': 'use',
    provider: 'service',
    toolset,
    client,
    ...frozenUseParts(parts, where),
    ...(tools && { tools: frozenServiceTools(tools, `${where}: tools`) }),
  })
}

type ToolOptions = ServiceToolOptions<SchemaValue, string>

function frozenServiceTools(
  tools: Readonly<Record<string, ToolOptions>>,
  where: string,
): Readonly<Record<string, ServiceToolValue>> {
  const entries = Object.entries(plainCopy(tools, where)).map(([tool, options]): [string, ServiceToolValue] => [
    tool,
    frozenTool(options, `${where}[${quoted(tool)}]`),
  ])
  return frozenDictionary(Object.fromEntries(entries), where)
}

function frozenTool(options: ToolOptions, where: string): ServiceToolValue {
  const { rename, constants, result, ...texts } = plainCopy(options, where)
  return Object.freeze<ServiceToolValue>({
    ...texts,
    ...(result && { result: Object.freeze(plainCopy(result, `${where}.result`)) }),
    ...(rename && { rename: frozenNames(rename, `${where}.rename`) }),
    ...(constants && { constants: frozenConstants(constants, `${where}.constants`) }),
  })
}

function frozenConstants(constants: Readonly<Record<string, Json>>, where: string): Readonly<Record<string, Json>> {
  const copies = Object.entries(plainCopy(constants, where)).map(([name, value]): [string, Json] => [
    name,
    frozenJson(value, `${where}[${quoted(name)}]`),
  ])
  return frozenDictionary(Object.fromEntries(copies), where)
}

/**
 * Stands for a service's TypeScript client: it carries the client's type to the generator and nothing at run time.
 * Export it from a module of its own that imports no schemas, since generated code refers to its type.
 *
 * @example
 * import type { OrdersClient } from '../src/orders-client.js'
 * export const ordersClient: ServiceClient<OrdersClient> = serviceClient<OrdersClient>()
 */
export function serviceClient<Client = unknown>(): ServiceClient<Client> {
  return Object.freeze<ServiceClient<Client>>({ '~toolgen': 'client' })
}
