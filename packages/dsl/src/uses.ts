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

/** A placeholder for a service client: carries the client's type to the generator, nothing at run time. */
export interface ServiceClient<Client> {
  readonly '~toolgen': 'client'
  /** Never present; carries the type. With `undefined`, so that a client that lacks a method is not refused for that. */
  readonly '~client'?: Client | undefined
}

/** The common fields of all uses of a toolset by an agent. */
interface Use {
  readonly '~toolgen': 'use'
  readonly toolset: Toolset
  readonly as?: string
  readonly only?: readonly string[]
  /** Tool → the name that the agent's model sees. */
  readonly rename?: Readonly<Record<string, string>>
}

/** A toolset that an agent uses through a service client. */
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

/** A toolset that an agent uses and another agent exports. */
export interface AgentUse extends Use {
  readonly provider: 'agent'
}

/** A toolset that an agent uses and an MCP server serves. */
export interface McpUse extends Use {
  readonly provider: 'mcp'
  readonly tools?: Readonly<Record<string, McpToolOptions>>
}

/** A toolset that an agent uses and an HTTP API serves. */
export interface OpenApiUse extends Use {
  readonly provider: 'openapi'
}

/** A toolset that an agent uses and an executor of the application runs. */
export interface ExecutorUse extends Use {
  readonly provider: 'executor'
}

/** A toolset that an agent uses. */
export type ToolsetUse = ServiceUse | AgentUse | McpUse | OpenApiUse | ExecutorUse

/**
 * Options of every use. `Selected` and `Renamed` are inferred from the names that are written; each one that is not a tool is an
 * error.
 */
export interface UseOptions<Selected extends string, Renamed extends string> {
  /** The agent's own name for this use, required if it uses one toolset twice. Default: the toolset's name. */
  readonly as?: string
  /** The tools that the agent gets. Default: all. */
  readonly only?: readonly Selected[]
  /** Tool → the name that this agent's model sees. */
  readonly rename?: {
    readonly [Name in Renamed]: Name extends Selected ? string : string & UnknownTool<Name, Selected>
  } & Suggested<NoInfer<Selected>>
}

const useOptions = { as: name, only: array(name), rename: record(name) }
const useFields = definition<Pick<Use, 'as' | 'only' | 'rename'>>({}, useOptions)

/**
 * Gives a toolset to an agent, served by the agent that exports it. The exporter is not named: the generator finds it,
 * so that two agents can use each other without importing each other. `only` selects tools and `rename` changes the
 * names that this agent's model sees.
 *
 * @throws {TypeError} when an argument is evidently wrong
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
 * Gives a toolset to an agent, served by an HTTP API: one that `toolgen import openapi` wrote, or one whose `openapi` was
 * declared by hand. `only` selects tools and `rename` changes the names that this agent's model sees.
 *
 * @throws {TypeError} when an argument is evidently wrong
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
    const next = 'Import it with `toolgen import openapi`, or declare its operations'
    throw invalid(at, 'the toolset has no `openapi`', next)
  }
  return Object.freeze<OpenApiUse>({ '~toolgen': 'use', provider: 'openapi', toolset, ...useFields(options, at) })
}

/**
 * Gives a toolset to an agent, run by an executor that the application registers, such as `aiSdkExecutor(tools)`. `only`
 * selects tools and `rename` changes the names that this agent's model sees.
 *
 * @throws {TypeError} when an argument is evidently wrong
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

/** Options of a tool of an MCP server. */
interface McpToolOptions {
  /** The server's name of the tool. Default: the one in the toolset's `mcp.names`, else the tool's own name. */
  readonly name?: string
}

/** Options of `fromMcp`. `Named` is inferred like the others. */
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
 * Gives a toolset to an agent, served by an MCP server: one that `toolgen import mcp` wrote, or one that was declared by
 * hand. `tools` gives the server's names of single tools; an imported toolset has them already. `only` selects tools and
 * `rename` changes the names that this agent's model sees.
 *
 * @throws {TypeError} when an argument is evidently wrong
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

/** True where nothing is known of a client's type, so that nothing can be checked in the editor. */
type IsUntyped<Client> = unknown extends Client ? true : false

/** The names of the members of `Owner` that can be called. */
type MethodNames<Owner> = keyof {
  [Name in keyof Owner & string as NonNullable<Owner[Name]> extends AnyFunction ? Name : never]: unknown
}

/** The tools for which the client has no method of the same name. */
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
 * `Path` itself where it leads to a method of the client, else the names that could be there, so that the editor
 * proposes them and the checker finds the nearest. The path is split as it is written, up to three names; enumerating
 * all paths of a large client costs ten times as much.
 */
export type MethodPath<Client, Path extends string> =
  IsUntyped<Client> extends true ? Path : string extends Path ? Path : NoInfer<Step<Client, Path, '', [1, 1, 1]>>

/** `Left` counts the names that may still come. */
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

/** Options of a tool that calls a method of a client. */
export interface ServiceToolOptions<Payload, Method> {
  /**
   * The client's method: a name such as `fetchOrder`, or a path of up to three names such as `customers.retrieve`.
   * Default: the method of the tool's own name.
   */
  readonly method?: Method
  /** Payload field → method field or parameter, where the names differ. */
  readonly rename?: { readonly [Field in FieldOfAnyVariant<SchemaInput<Payload>>]?: string }
  /** Method field or parameter → constant that is always sent. */
  readonly constants?: Readonly<Record<string, Json>>
  /**
   * The tool's result, made from the method's response. Default: the response itself, and its declared type must fit.
   *
   * @example
   * result: { from: 'data', checked: true }
   */
  readonly result?: {
    /** `data`: the result is made from the response's `.data`. Default: from the response itself. */
    readonly from?: 'data'
    /**
     * `true` validates the response when the tool runs, where its declared type is wider than the tool's result or its
     * updates; one that does not fit fails as `malformed_result`. Default: `false`, the declared type must fit.
     */
    readonly checked?: boolean
  }
  /**
   * The result of a streaming tool whose method returns an async iterable: the `list` of all items or the `last` one. Each
   * item is an update as well. Default: `list`.
   */
  readonly collect?: 'list' | 'last'
}

type FieldOfAnyVariant<T> = T extends object ? keyof T & string : never

/** Shown by the compiler where the client has no method of a tool's name and the options name none. */
interface MethodRequired<ToolName extends string> {
  readonly tools: { readonly [Name in ToolName]: { readonly method: unknown } }
}

/** {@link MethodRequired} for a use without options. */
interface MethodNotFound<ToolName extends string> {
  readonly '~error': 'no such method on the client: name one in the options, `tools: { TOOL: { method } }`'
  readonly methods: ToolName
}

/** Options of `fromService`. `Selected`, `Renamed` and `Methods` are inferred from the names that are written. */
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

/** `Then` if there is one of the names, else nothing. */
type IfAny<Names, Then> = [Names] extends [never] ? unknown : Then

type PayloadOfTool<Used, Name> = Name extends keyof Used
  ? Used[Name] extends { readonly payload: infer Payload }
    ? Payload
    : unknown
  : unknown

type MethodOf<Client, Method> = Method extends string ? MethodPath<Client, Method> : string

const resultFields = object({}, { from: oneOf(['data']), checked: boolean })

/** Checks the options of a result; a string would leave no room for the other option. */
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
 * Gives a toolset to an agent, served by a service client. A tool calls the client's method of the same name unless
 * `tools` names another; `only` selects tools and `rename` changes the names that this agent's model sees.
 *
 * @throws {TypeError} when an argument is evidently wrong
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
 * Returns a placeholder for a service's TypeScript client: it carries the client's type to the generator and nothing at run
 * time. Export it from a module of its own that imports no schemas, since generated code refers to its type.
 *
 * @example
 * import type { OrdersClient } from '../src/orders-client.js'
 * export const ordersClient: ServiceClient<OrdersClient> = serviceClient<OrdersClient>()
 */
export function serviceClient<Client = unknown>(): ServiceClient<Client> {
  return Object.freeze<ServiceClient<Client>>({ '~toolgen': 'client' })
}
