import {
  array,
  boolean,
  type Check,
  definition,
  invalid,
  json,
  made,
  name,
  object,
  oneOf,
  quoted,
  record,
} from './checks.js'
import type { Json, SchemaInput } from './tool.js'
import { type Suggested, type Tools, type Toolset, toolsetArgument, type UnknownTool } from './toolset.js'

/** Placeholder for a service client. It passes the client's type to the generator and has no content at run time. */
export interface ServiceClient<Client> {
  readonly '~toolgen': 'client'
  /** Type-only marker, never set. `undefined` avoids unrelated errors if a client lacks a method. */
  readonly '~client'?: Client | undefined
}

/** Fields of every use of a toolset by an agent. */
interface Use {
  readonly '~toolgen': 'use'
  readonly toolset: Toolset
  readonly as?: string
  readonly only?: readonly string[]
  /** Tool → name that the model of the agent receives. */
  readonly rename?: Readonly<Record<string, string>>
}

/** Use of a toolset that a service client serves. */
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

/** Use of a toolset that another agent exports. */
export interface AgentUse extends Use {
  readonly provider: 'agent'
}

/** Use of a toolset that an MCP server serves. */
export interface McpUse extends Use {
  readonly provider: 'mcp'
  readonly tools?: Readonly<Record<string, McpToolOptions>>
}

/** Use of a toolset that an HTTP API serves. */
export interface OpenApiUse extends Use {
  readonly provider: 'openapi'
}

/** Use of a toolset that an executor of the application runs. */
export interface ExecutorUse extends Use {
  readonly provider: 'executor'
}

/** Use of a toolset by an agent. */
export type ToolsetUse = ServiceUse | AgentUse | McpUse | OpenApiUse | ExecutorUse

/** Options of every use. The type parameters are inferred from the written names; each wrong name is an error. */
export interface UseOptions<Selected extends string, Renamed extends string> {
  /** Name of this use in the agent. Required if the agent uses a toolset twice. Default: the toolset's name. */
  readonly as?: string
  /** Tools that the agent uses. Default: all. */
  readonly only?: readonly Selected[]
  /** Tool → name that this agent's model receives. */
  readonly rename?: {
    readonly [Name in Renamed]: Name extends Selected ? string : string & UnknownTool<Name, Selected>
  } & Suggested<NoInfer<Selected>>
}

const useOptions = { as: name, only: array(name), rename: record(name) }
const useFields = definition<Pick<Use, 'as' | 'only' | 'rename'>>({}, useOptions)

/**
 * Lets an agent use a toolset that another agent exports. The generator finds the exporting agent, so that two agents
 * can use each other without circular imports. `only` selects tools. `rename` changes the names that this agent's model
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
 * Lets an agent use a toolset that an HTTP API serves: one written by `toolgen import openapi`, or one with a
 * hand-written `openapi`. `only` selects tools. `rename` changes the names that this agent's model receives.
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
  if (toolset.openapi === undefined) {
    const next = 'Import the toolset with `toolgen import openapi`, or set `openapi` in defineToolset'
    throw invalid(at, 'the toolset has no `openapi`', next)
  }
  return Object.freeze<OpenApiUse>({ '~toolgen': 'use', provider: 'openapi', toolset, ...useFields(options, at) })
}

/**
 * Lets an agent use a toolset that an executor of the application runs, such as `aiSdkExecutor(tools)`. `only` selects
 * tools. `rename` changes the names that this agent's model receives.
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

/** Options of a tool on an MCP server. */
interface McpToolOptions {
  /** Name of the tool on the server. Default: the name in the toolset's `mcp.names`, otherwise the tool's own name. */
  readonly name?: string
}

/** Options of `fromMcp`. `Named` is inferred from the written names. */
type McpUseOptions<Selected extends string, Renamed extends string, Named extends string> = UseOptions<
  Selected,
  Renamed
> & {
  /** Tool → its options. */
  readonly tools?: {
    readonly [Name in Named]: Name extends Selected ? McpToolOptions : McpToolOptions & UnknownTool<Name, Selected>
  } & Suggested<NoInfer<Selected>>
}

const mcpUseFields = definition<Pick<McpUse, 'as' | 'only' | 'rename' | 'tools'>>(
  {},
  { ...useOptions, tools: record(object({}, { name })) },
)

/**
 * Lets an agent use a toolset that an MCP server serves: one written by `toolgen import mcp`, or a hand-written one.
 * `tools` sets the names of tools on the server; an imported toolset already has them. `only` selects tools. `rename`
 * changes the names that this agent's model receives.
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

/** True if the type of a client is unknown, so that the editor cannot check method names. */
type IsUntyped<Client> = unknown extends Client ? true : false

/** Names of the methods of `Owner`. */
type MethodNames<Owner> = keyof {
  [Name in keyof Owner & string as NonNullable<Owner[Name]> extends AnyFunction ? Name : never]: unknown
}

/** Names of the tools without a client method of the same name. */
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
 * `Path` if it leads to a method of the client, otherwise the possible paths, which the editor suggests. The type
 * resolves up to three names of the path, one after the other. Listing all paths of a large client would take ten
 * times as long.
 */
export type MethodPath<Client, Path extends string> =
  IsUntyped<Client> extends true ? Path : string extends Path ? Path : NoInfer<Step<Client, Path, '', [1, 1, 1]>>

/** Resolves the next name of a path. The length of `Left` is the number of names that can follow. */
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
  /** Client method, or a path of up to three names such as `customers.retrieve`. Default: the tool's name. */
  readonly method?: Method
  /** Payload field → field or parameter of the method, if the names differ. */
  readonly rename?: { readonly [Field in FieldOfAnyVariant<SchemaInput<Payload>>]?: string }
  /** Field or parameter of the method → constant that is always sent. */
  readonly constants?: Readonly<Record<string, Json>>
  /**
   * Conversion of the method's response to the tool's result. Default: the response, whose declared type must match.
   *
   * @example
   * result: { from: 'data', checked: true }
   */
  readonly result?: {
    /** `data` uses the response's `.data`. Default: the response itself. */
    readonly from?: 'data'
    /**
     * If true, the response is validated at run time, so its declared type can be wider than the result or the updates.
     * A response that does not match fails the call as `malformed_result`. Default: false.
     */
    readonly checked?: boolean
  }
  /**
   * Result of a method that returns an async iterable of updates: `list` for the array of all items, `last` for the
   * last item. Default: `list`.
   */
  readonly collect?: 'list' | 'last'
}

type FieldOfAnyVariant<T> = T extends object ? keyof T & string : never

/** Compile error for tools without a client method of the same name and without `method`. */
interface MethodRequired<ToolName extends string> {
  readonly tools: { readonly [Name in ToolName]: { readonly method: unknown } }
}

/** {@link MethodRequired} for a use without options. */
interface MethodNotFound<ToolName extends string> {
  readonly '~error': 'no such method on the client: name one in the options, `tools: { TOOL: { method } }`'
  readonly methods: ToolName
}

/** Options of `fromService`. `Selected`, `Renamed` and `Methods` are inferred from the written names. */
type ServiceUseOptions<Used, Client, Selected extends string, Renamed extends string, Methods> = UseOptions<
  Selected,
  Renamed
> & {
  /** Tool → its options. */
  readonly tools?: {
    readonly [Name in keyof Methods]: Name extends Selected
      ? ServiceToolOptions<PayloadOfTool<Used, Name>, MethodOf<Client, Methods[Name]>>
      : string & UnknownTool<Name, Selected>
  } & Suggested<NoInfer<Selected>>
} & IfAny<ToolsWithoutMethod<Client, NoInfer<Selected>>, MethodRequired<ToolsWithoutMethod<Client, NoInfer<Selected>>>>

/** `Then` if `Names` is not empty, otherwise `unknown`. */
type IfAny<Names, Then> = [Names] extends [never] ? unknown : Then

type PayloadOfTool<Used, Name> = Name extends keyof Used
  ? Used[Name] extends { readonly payload: infer Payload }
    ? Payload
    : unknown
  : unknown

type MethodOf<Client, Method> = Method extends string ? MethodPath<Client, Method> : string

const resultFields = object({}, { from: oneOf(['data']), checked: boolean })

/** Validates `result`. A string is a likely mistake and gets its own message. */
const result: Check = (value, at) => {
  if (typeof value !== 'string') return resultFields(value, at)
  throw invalid(
    at,
    `expected an object, got ${quoted(value)}`,
    'Write { from: "data" }, { checked: true } or both in one object',
  )
}

const serviceTool = object(
  {},
  { method: name, rename: record(name), constants: record(json), result, collect: oneOf(['list', 'last']) },
)

const serviceUseFields = definition<Pick<ServiceUse, 'as' | 'only' | 'rename' | 'tools'>>(
  {},
  { ...useOptions, tools: record(serviceTool) },
)

/**
 * Lets an agent use a toolset that a service client serves. A tool calls the client method of the same name, unless
 * `tools` names another. `only` selects tools. `rename` changes the names that this agent's model receives.
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
 * Creates a placeholder for a TypeScript client of a service. It passes the client's type to the generator and has
 * no content at run time. Export the placeholder from a separate module that imports no schemas, because generated
 * code imports the type of the placeholder.
 *
 * @example
 * import type { OrdersClient } from '../src/orders-client.js'
 * export const ordersClient: ServiceClient<OrdersClient> = serviceClient<OrdersClient>()
 */
export function serviceClient<Client = unknown>(): ServiceClient<Client> {
  return Object.freeze<ServiceClient<Client>>({ '~toolgen': 'client' })
}
