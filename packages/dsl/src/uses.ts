import {
  array,
  boolean,
  type Check,
  definition,
  invalid,
  json,
  made,
  maxResult,
  name,
  object,
  oneOf,
  quoted,
  record,
} from './checks.js'
import type { Json, MaxResult, SchemaInput } from './tool.js'
import { type Suggested, type Tools, type Toolset, toolsetArgument, type UnknownTool } from './toolset.js'

/** Placeholder for a service client in a design. The generator reads the client's type. The placeholder has no data at run time. */
export interface ServiceClient<Client> {
  readonly '~toolgen': 'client'
  /**
   * Type of the client, for TypeScript only. Never set at run time. The type includes `undefined`, because TypeScript would otherwise report
   * unrelated errors for a client that lacks a method.
   */
  readonly '~client'?: Client | undefined
}

interface Use {
  readonly '~toolgen': 'use'
  readonly toolset: Toolset
  readonly as?: string
  readonly only?: readonly string[]
  /** New names of tools for the agent's model, by tool name in the toolset. */
  readonly rename?: Readonly<Record<string, string>>
  readonly maxResult?: MaxResult
}

/** Toolset of an agent, with tools that a service client runs. Returned by `fromService`. */
export interface ServiceUse extends Use {
  readonly provider: 'service'
  readonly client: ServiceClient<unknown>
  readonly tools?: Readonly<
    Record<
      string,
      Omit<ServiceToolOptions<unknown, string>, 'rename'> & { readonly rename?: Readonly<Record<string, string>> }
    >
  >
}

/** Toolset of an agent, with tools that another agent exports and runs. Returned by `fromAgent`. */
export interface AgentUse extends Use {
  readonly provider: 'agent'
}

/** Toolset of an agent, with tools that an MCP server runs. Returned by `fromMcp`. */
export interface McpUse extends Use {
  readonly provider: 'mcp'
  readonly tools?: Readonly<Record<string, McpToolOptions>>
}

/** Toolset of an agent, with tools that an HTTP API runs. Returned by `fromOpenApi`. */
export interface OpenApiUse extends Use {
  readonly provider: 'openapi'
}

/** Toolset of an agent, with tools that an executor of the application runs. Returned by `fromExecutor`. */
export interface ExecutorUse extends Use {
  readonly provider: 'executor'
}

/** Toolset of an agent, with the provider that runs the tools. Returned by the `from...` functions. */
export type ToolsetUse = ServiceUse | AgentUse | McpUse | OpenApiUse | ExecutorUse

/**
 * Options of all `from...` functions. TypeScript infers the type parameters from the names in the options, so that each wrong name is a
 * compile error.
 */
export interface UseOptions<Selected extends string, Renamed extends string> {
  /** Name of the toolset in this agent. Required if the agent uses the toolset twice. Default: the toolset's name. */
  readonly as?: string
  /** Names of the tools that the agent uses. Default: all tools. */
  readonly only?: readonly Selected[]
  /** New tool names for the agent's model, by tool name in the toolset. Default: no new names. */
  readonly rename?: {
    readonly [Name in Renamed]: Name extends Selected ? string : string & UnknownTool<Name, Selected>
  } & Suggested<NoInfer<Selected>>
  /** Maximum size of each result of the toolset's tools. Overrides `maxResult` of the agent and of the tools. Default: no override. */
  readonly maxResult?: MaxResult
}

const useOptions = { as: name, only: array(name), rename: record(name), maxResult }
const useFields = definition<Pick<Use, 'as' | 'only' | 'rename' | 'maxResult'>>({}, useOptions)

/**
 * Lets an agent use a toolset that a second agent exports. Pass only the toolset, because the generator finds the exporting agent. Two agents can use
 * each other without circular imports if their toolsets are in separate modules. `only` selects tools. `rename` changes the tool names that the model
 * receives.
 *
 * @throws {TypeError} if an argument is invalid
 * @example
 * fromAgent(investigation, { only: ['investigate'], rename: { investigate: 'find_out' } })
 */
export function fromAgent<
  Used extends Tools,
  const Selected extends keyof Used & string = keyof Used & string,
  const Renamed extends string = never,
>(toolset: Toolset<Used>, options?: UseOptions<Selected, Renamed>): AgentUse
export function fromAgent(toolset: Toolset, options: UseOptions<string, string> = {}): AgentUse {
  const fields = useFields(options, toolsetArgument('fromAgent', toolset))
  return Object.freeze<AgentUse>({ '~toolgen': 'use', provider: 'agent', toolset, ...fields })
}

/**
 * Lets an agent use a toolset whose tools call an HTTP API. Create the toolset with `toolgen import openapi`, or with the option `openapi`
 * of `defineToolset`. `only` selects tools. `rename` changes the tool names that the model receives.
 *
 * @throws {TypeError} if an argument is invalid
 * @example
 * fromOpenApi(pets, { only: ['getPetById'], rename: { getPetById: 'look_at_pet' } })
 */
export function fromOpenApi<
  Used extends Tools,
  const Selected extends keyof Used & string = keyof Used & string,
  const Renamed extends string = never,
>(toolset: Toolset<Used>, options?: UseOptions<Selected, Renamed>): OpenApiUse
export function fromOpenApi(toolset: Toolset, options: UseOptions<string, string> = {}): OpenApiUse {
  const at = toolsetArgument('fromOpenApi', toolset)
  if (toolset.openapi === undefined && toolset.imported?.snapshot.kind !== 'openapi') {
    const next = 'Import the toolset with `toolgen import openapi`, or set `openapi` in defineToolset'
    throw invalid(at, 'the toolset has no `openapi`', next)
  }
  return Object.freeze<OpenApiUse>({ '~toolgen': 'use', provider: 'openapi', toolset, ...useFields(options, at) })
}

/**
 * Lets an agent use a toolset whose tools run in an executor of the application, such as `aiSdkExecutor(tools)`. `only` selects tools.
 * `rename` changes the tool names that the model receives.
 *
 * @throws {TypeError} if an argument is invalid
 * @example
 * fromExecutor(orders, { only: ['getOrder'] })
 */
export function fromExecutor<
  Used extends Tools,
  const Selected extends keyof Used & string = keyof Used & string,
  const Renamed extends string = never,
>(toolset: Toolset<Used>, options?: UseOptions<Selected, Renamed>): ExecutorUse
export function fromExecutor(toolset: Toolset, options: UseOptions<string, string> = {}): ExecutorUse {
  const fields = useFields(options, toolsetArgument('fromExecutor', toolset))
  return Object.freeze<ExecutorUse>({ '~toolgen': 'use', provider: 'executor', toolset, ...fields })
}

interface McpToolOptions {
  /** Name of the tool on the MCP server. Default: the name in the toolset's `mcp.names`, or else the tool's own name. */
  readonly name?: string
  /**
   * Maximum size of each result of the tool for this agent. Overrides `maxResult` of the toolset, the agent and the tool. Default: no
   * override.
   */
  readonly maxResult?: MaxResult
}

type McpUseOptions<Selected extends string, Renamed extends string, Named extends string> = UseOptions<
  Selected,
  Renamed
> & {
  readonly tools?: {
    readonly [Name in Named]: Name extends Selected ? McpToolOptions : McpToolOptions & UnknownTool<Name, Selected>
  } & Suggested<NoInfer<Selected>>
}

const mcpUseFields = definition<Pick<McpUse, 'as' | 'only' | 'rename' | 'maxResult' | 'tools'>>(
  {},
  { ...useOptions, tools: record(object({}, { name, maxResult })) },
)

/**
 * Lets an agent use a toolset whose tools run on an MCP server. Create the toolset with `toolgen import mcp`, or with `defineToolset`.
 * `tools` contains the name of each tool on the server; an imported toolset already contains these names. `only` selects tools. `rename` changes the
 * tool names that the model receives.
 *
 * @throws {TypeError} if an argument is invalid
 * @example
 * fromMcp(files, { only: ['readFile'], tools: { readFile: { name: 'read_file' } } })
 */
export function fromMcp<
  Used extends Tools,
  const Selected extends keyof Used & string = keyof Used & string,
  const Renamed extends string = never,
  const Named extends string = never,
>(toolset: Toolset<Used>, options?: McpUseOptions<Selected, Renamed, Named>): McpUse
export function fromMcp(toolset: Toolset, options: McpUseOptions<string, string, string> = {}): McpUse {
  const fields = mcpUseFields(options, toolsetArgument('fromMcp', toolset))
  return Object.freeze<McpUse>({ '~toolgen': 'use', provider: 'mcp', toolset, ...fields })
}

type AnyFunction = (...args: never) => unknown

/** TypeScript cannot check the method names of a client of the type `unknown` or `any`. */
type IsUntyped<Client> = unknown extends Client ? true : false

type MethodNames<Owner> = keyof {
  [Name in keyof Owner & string as NonNullable<Owner[Name]> extends AnyFunction ? Name : never]: unknown
}

export type ToolsWithoutMethod<Client, ToolName extends string> =
  IsUntyped<Client> extends true
    ? never
    : ToolName extends keyof Client
      ? NonNullable<Client[ToolName]> extends AnyFunction
        ? never
        : ToolName
      : string extends ToolName
        ? never
        : ToolName

/**
 * Becomes the possible paths for a wrong path, so that editors suggest these paths. Checks up to three names, one after the other, because a list of
 * all paths of a large client would take ten times as long.
 */
export type MethodPath<Client, Path extends string> =
  IsUntyped<Client> extends true ? Path : string extends Path ? Path : NoInfer<Step<Client, Path, '', [1, 1, 1]>>

/** `Rest` is the part of the path that is not checked yet. Each item of `Left` allows one more name. */
type Step<Owner, Rest extends string, Prefix extends string, Left extends readonly 1[]> = Left extends readonly [
  1,
  ...infer Further extends readonly 1[],
]
  ? IsUntyped<Owner> extends true
    ? `${Prefix}${Rest}`
    : Rest extends `${infer Head}.${infer Tail}`
      ? Head extends keyof Owner
        ? Step<NonNullable<Owner[Head]>, Tail, `${Prefix}${Head}.`, Further>
        : MethodProposals<Owner, Prefix>
      : Rest extends keyof Owner
        ? NonNullable<Owner[Rest]> extends AnyFunction
          ? `${Prefix}${Rest}`
          : NonNullable<Owner[Rest]> extends object
            ? MethodProposals<NonNullable<Owner[Rest]>, `${Prefix}${Rest}.`>
            : MethodProposals<Owner, Prefix>
        : MethodProposals<Owner, Prefix>
  : 'a method path has at most three names'

type MethodProposals<Owner, Prefix extends string> = [MethodNames<Owner>] extends [never]
  ? `there is no method at '${Prefix}'`
  : `${Prefix}${MethodNames<Owner>}`

/** Options of a tool that calls a client method. */
export interface ServiceToolOptions<Payload, Method> {
  /** Name of the client method, or a path of up to three names such as `customers.retrieve`. Default: the tool's name. */
  readonly method?: Method
  /** Maps a payload field to a field or parameter of the method. Needed only for different names. Default: equal names. */
  readonly rename?: { readonly [Field in FieldOfAnyVariant<SchemaInput<Payload>>]?: string }
  /** Constants that every call sends, by field or parameter of the method. Default: no constants. */
  readonly constants?: Readonly<Record<string, Json>>
  /**
   * Conversion of the method's response to the tool's result. Default: the response is the result, and the TypeScript types must match.
   *
   * @example
   * result: { from: 'data', checked: true }
   */
  readonly result?: {
    /** `data` returns the property `data` of the response. Default: the whole response. */
    readonly from?: 'data'
    /**
     * `true` validates the response at run time. The client method may then declare a wider return type than the types of the result and the
     * updates. For an invalid response, the call fails with the reason `malformed_result`. Default: `false`.
     */
    readonly checked?: boolean
  }
  /**
   * Result of a method that returns an async iterable: `list` (default) is an array of all items, `last` is the last item.
   */
  readonly collect?: 'list' | 'last'
  /**
   * Maximum size of each result of the tool for this agent. Overrides `maxResult` of the toolset, the agent and the tool. Default: no
   * override.
   */
  readonly maxResult?: MaxResult
}

type FieldOfAnyVariant<T> = T extends object ? keyof T & string : never

interface MethodRequired<ToolName extends string> {
  readonly tools: { readonly [Name in ToolName]: { readonly method: unknown } }
}

interface MethodNotFound<ToolName extends string> {
  readonly '~error': 'no such method on the client: name one in the options, `tools: { TOOL: { method } }`'
  readonly methods: ToolName
}

type ServiceUseOptions<Used, Client, Selected extends string, Renamed extends string, Methods> = UseOptions<
  Selected,
  Renamed
> & {
  readonly tools?: {
    readonly [Name in keyof Methods]: Name extends Selected
      ? ServiceToolOptions<PayloadOfTool<Used, Name>, MethodOf<Client, Methods[Name]>>
      : string & UnknownTool<Name, Selected>
  } & Suggested<NoInfer<Selected>>
} & IfAny<ToolsWithoutMethod<Client, NoInfer<Selected>>, MethodRequired<ToolsWithoutMethod<Client, NoInfer<Selected>>>>

type IfAny<Names, Then> = [Names] extends [never] ? unknown : Then

type PayloadOfTool<Used, Name> = Name extends keyof Used
  ? Used[Name] extends { readonly payload: infer Payload }
    ? Payload
    : unknown
  : unknown

type MethodOf<Client, Method> = Method extends string ? MethodPath<Client, Method> : string

const resultFields = object({}, { from: oneOf(['data']), checked: boolean })

const result: Check = (value, at) => {
  if (typeof value !== 'string') return resultFields(value, at)
  // A string is a likely mistake, so the message shows the valid forms.
  throw invalid(
    at,
    `expected an object, got ${quoted(value)}`,
    'Write { from: "data" }, { checked: true } or both in one object',
  )
}

const serviceTool = object(
  {},
  { method: name, rename: record(name), constants: record(json), result, collect: oneOf(['list', 'last']), maxResult },
)

const serviceUseFields = definition<Pick<ServiceUse, 'as' | 'only' | 'rename' | 'maxResult' | 'tools'>>(
  {},
  { ...useOptions, tools: record(serviceTool) },
)

/**
 * Lets an agent use a toolset whose tools call a service client. Each tool calls the client method of the same name, or the method in the
 * option `tools`. `only` selects tools. `rename` changes the tool names that the model receives.
 *
 * @throws {TypeError} if an argument is invalid
 * @example
 * fromService(orders, ordersClient, { tools: { getOrder: { method: 'fetchOrder' } } })
 */
export function fromService<Used extends Tools, Client>(
  toolset: Toolset<Used>,
  client: ServiceClient<Client> &
    IfAny<
      ToolsWithoutMethod<Client, keyof Used & string>,
      MethodNotFound<ToolsWithoutMethod<Client, keyof Used & string>>
    >,
): ServiceUse
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
): ServiceUse
export function fromService(
  toolset: Toolset,
  client: ServiceClient<unknown>,
  options: ServiceUseOptions<Tools, unknown, string, string, Readonly<Record<string, string>>> = {},
): ServiceUse {
  const at = toolsetArgument('fromService', toolset)
  made('client', 'Pass an exported serviceClient<Client>()')(client, `${at}: second argument`)
  const fields = serviceUseFields(options, at)
  return Object.freeze<ServiceUse>({ '~toolgen': 'use', provider: 'service', toolset, client, ...fields })
}

/**
 * Creates a placeholder for a TypeScript client of a service. The generator reads the client's type. The placeholder has no data at run
 * time. Export the placeholder from a separate module without schemas, because generated code imports the type of the placeholder.
 *
 * @example
 * import type { OrdersClient } from '../src/orders-client.js'
 * export const ordersClient: ServiceClient<OrdersClient> = serviceClient<OrdersClient>()
 */
export function serviceClient<Client = unknown>(): ServiceClient<Client> {
  return Object.freeze<ServiceClient<Client>>({ '~toolgen': 'client' })
}
