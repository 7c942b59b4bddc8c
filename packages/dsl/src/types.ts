/**
 * What a design evaluates to: frozen plain values, each marked with its kind. The generator reads these; users make
 * them with the `define...` and `from...` functions.
 */

/** Any schema that a design accepts: a schema library's schema or a plain JSON Schema value. */
export type SchemaValue = object | boolean

/** A field of the call's meta from which a payload field can be filled. */
export type MetaField = 'runId' | 'sessionId' | 'turnId' | 'toolCallId' | 'parentToolCallId' | `labels.${string}`

/** Values that JSON can carry. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** A tool as the generator reads it. */
export interface ToolValue {
  readonly '~toolgen': 'tool'
  readonly description: string
  readonly title?: string
  readonly payload: SchemaValue
  readonly result: SchemaValue
  readonly streaming?: { readonly updates: SchemaValue }
  readonly examples?: readonly unknown[]
  readonly callHint?: string
  readonly resultHint?: string
  /** Payload field → meta field. */
  readonly serverOwned?: Readonly<Record<string, MetaField>>
  readonly tags?: readonly string[]
  readonly confirmation?: { readonly prompt: string; readonly deniedResult?: unknown }
  readonly defaultLayers?: { readonly timeoutMs?: number; readonly attempts?: number }
  readonly idempotent?: boolean
  readonly readOnly?: boolean
  readonly destructive?: boolean
  readonly toolName?: string
  /** Rules of `toolgen lint` that do not count here: the rule's id → why. */
  readonly lint?: Readonly<Record<string, string>>
}

/** A toolset as the generator reads it. */
export interface ToolsetValue {
  readonly '~toolgen': 'toolset'
  readonly name: string
  readonly description: string
  readonly namespace: string
  readonly tools: Readonly<Record<string, ToolValue>>
  /** Schemas to which those of the tools refer with `#/$defs/NAME`. */
  readonly definitions?: Readonly<Record<string, SchemaValue>>
  /** There where an MCP server serves it. */
  readonly mcp?: McpSourceValue
  /** There where an HTTP API serves it. */
  readonly openapi?: OpenApiSource
  /** Rules of `toolgen lint` that do not count here: the rule's id → why. */
  readonly lint?: Readonly<Record<string, string>>
}

/** Where the tools of a toolset come from that an MCP server serves. */
export interface McpSourceValue {
  /** What the server calls itself. */
  readonly server?: { readonly name: string; readonly version: string }
  /** There where the payloads and results are what the server declared, word for word. */
  readonly captured?: boolean
  /** Tool → what the server calls it; a tool that is missing here has its own name there. */
  readonly names: Readonly<Record<string, string>>
  /** The server's names of tools that it has and the toolset leaves out. */
  readonly unused?: readonly string[]
}

/** The limits of an agent's runs; every field may be left out. */
export interface RunPolicy {
  /** What happens when a call lacks required fields. */
  readonly onMissingFields?: 'resume' | 'finalize' | 'await_clarification'
  readonly maxToolCalls?: number
  readonly maxTurns?: number
  readonly maxConsecutiveFailures?: number
  readonly maxTokens?: number
  /** In milliseconds. */
  readonly timeBudgetMs?: number
  /** In milliseconds. */
  readonly toolTimeoutMs?: number
  /** How many calls run at once. */
  readonly parallelism?: number
  readonly onFailure?: 'join_all' | 'fail_fast'
  /** How many agents may stand above a run: 0 lets an agent call no other. Default 8. */
  readonly maxDepth?: number
}

/** A service client's place holder: carries the client's type to the generator, nothing at run time. */
export interface ServiceClient<Client> {
  readonly '~toolgen': 'client'
  /** Never present; carries the type. With `undefined`, so that a client that lacks a method is not refused for that. */
  readonly '~client'?: Client | undefined
}

/** How one tool reaches the client. */
export interface ServiceToolValue {
  readonly method?: string
  /** Payload field → method field or parameter. */
  readonly rename?: Readonly<Record<string, string>>
  /** Method field or parameter → constant. */
  readonly constants?: Readonly<Record<string, Json>>
  /** See `ServiceResultOptions`. */
  readonly result?: { readonly from?: 'data'; readonly checked?: boolean }
  readonly collect?: 'list' | 'last'
}

/** What every use of a toolset by an agent says, whoever serves it. */
interface AnyUseValue {
  readonly '~toolgen': 'use'
  readonly toolset: ToolsetValue
  readonly as?: string
  readonly only?: readonly string[]
  /** Tool → tool name. */
  readonly rename?: Readonly<Record<string, string>>
}

/** A toolset that an agent uses through a service client. */
export interface ServiceUseValue extends AnyUseValue {
  readonly provider: 'service'
  readonly client: ServiceClient<unknown>
  readonly tools?: Readonly<Record<string, ServiceToolValue>>
}

/** A toolset that an agent uses and another agent exports. */
export interface AgentUseValue extends AnyUseValue {
  readonly provider: 'agent'
}

/** How one tool is found on its MCP server. */
export interface McpToolValue {
  readonly name?: string
}

/** A toolset that an agent uses and an MCP server serves. */
export interface McpUseValue extends AnyUseValue {
  readonly provider: 'mcp'
  readonly tools?: Readonly<Record<string, McpToolValue>>
}

/** A toolset that an agent uses and an HTTP API serves. */
export interface OpenApiUseValue extends AnyUseValue {
  readonly provider: 'openapi'
}

/** A toolset that an agent uses. */
export type UseValue = ServiceUseValue | AgentUseValue | McpUseValue | OpenApiUseValue

/** How an agent serves one tool that it exports. */
export interface ExportedToolValue {
  readonly text?: string
  readonly template?: string
  readonly systemPrompt?: string
  readonly prose?: boolean
}

/** A toolset that an agent exports, with how it serves single tools. */
export interface ExportValue {
  readonly '~toolgen': 'export'
  readonly toolset: ToolsetValue
  readonly tools: Readonly<Record<string, ExportedToolValue>>
}

/** An agent as the generator reads it. */
export interface AgentValue {
  readonly '~toolgen': 'agent'
  readonly name: string
  readonly description: string
  readonly instructions?: string
  readonly uses: readonly UseValue[]
  /** As the design writes them: a toolset alone is served with the defaults. */
  readonly exports: readonly (ToolsetValue | ExportValue)[]
  readonly policy?: RunPolicy
  /** Rules of `toolgen lint` that do not count here: the rule's id → why. */
  readonly lint?: Readonly<Record<string, string>>
}

/** How one tool is found on its MCP server. */
export interface McpToolOptions {
  /** What the server calls the tool. Default: what the toolset's `mcp.names` says, else the tool's own name. */
  readonly name?: string
}

/**
 * How a toolset is used that an MCP server serves. `Selected`, `Renamed` and `Named` are inferred from what is written; a
 * name that is no tool is an error also beside right ones.
 */
export type McpUseOptions<Selected extends string, Renamed extends string, Named extends string> = UseOptions<
  Selected,
  Renamed
> & {
  /** Tool → how it is found on the server. */
  readonly tools?: {
    readonly [Tool in Named]: Tool extends Selected ? McpToolOptions : McpToolOptions & NoSuchTool<Tool, Selected>
  } & Offered<NoInfer<Selected>>
}

type AnyFunction = (...args: never) => unknown

/** True where nothing is known of a client's type, so that nothing can be checked in the editor. */
type IsUntyped<Client> = unknown extends Client ? true : false

/** The names of the members of `Owner` that can be called. */
type MethodNames<Owner> = keyof {
  [Name in keyof Owner & string as NonNullable<Owner[Name]> extends AnyFunction ? Name : never]: unknown
}

/** Those of the given tools for which the client has no method of the same name. */
export type WithoutMethod<Client, Tool extends string> =
  IsUntyped<Client> extends true
    ? never
    : Tool extends keyof Client
      ? NonNullable<Client[Tool]> extends AnyFunction
        ? never
        : Tool
      : string extends Tool
        ? never
        : Tool

/**
 * `Path` itself where it leads to a method of the client, else the names that could stand there, so that the editor
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
        : Proposals<Owner, Prefix>
      : Rest extends keyof Owner
        ? NonNullable<Owner[Rest]> extends AnyFunction
          ? `${Prefix}${Rest}`
          : NonNullable<Owner[Rest]> extends object
            ? Proposals<NonNullable<Owner[Rest]>, `${Prefix}${Rest}.`>
            : Proposals<Owner, Prefix>
        : Proposals<Owner, Prefix>
  : 'a method path has at most three names'

type Proposals<Owner, Prefix extends string> = [MethodNames<Owner>] extends [never]
  ? `there is no method at '${Prefix}'`
  : `${Prefix}${MethodNames<Owner>}`

/** How the tools of a toolset are operations of an HTTP API. */
export interface OpenApiSource<Tool extends string = string> {
  /** The base URL of the API. Default: none; then the application gives one. */
  readonly server?: string
  /** The ways in which callers may prove who they are, by name. Default: none. */
  readonly security?: Readonly<Record<string, OpenApiSecurity>>
  /** Tool → its operation; every tool has one. */
  readonly operations: { readonly [Name in Tool]: OpenApiOperation }
}

/** How a credential is sent; OAuth 2 and OpenID Connect send a bearer token. */
export type OpenApiSecurity =
  | { readonly type: 'apiKey'; readonly in: 'query' | 'header' | 'cookie'; readonly name: string }
  | { readonly type: 'bearer' }
  | { readonly type: 'basic' }

/** One operation of an API, and where the fields of the tool's payload go. */
export interface OpenApiOperation {
  /** In capitals, e.g. `GET`. */
  readonly method: string
  /** With `{name}` for each parameter in it. */
  readonly path: string
  /** The base URL where it is another one than that of the toolset. */
  readonly server?: string
  /** The fields that are parameters. Default: none. */
  readonly parameters?: readonly OpenApiParameter[]
  /** What the request carries beside its parameters. Default: nothing. */
  readonly body?: OpenApiBody
  /** What is answered, by status: `200`, `2XX` or `default`. Default: what the answer says of itself. */
  readonly answers?: Readonly<Record<string, 'json' | 'text' | 'bytes' | 'none'>>
  /** Alternatives, each the names of what must be sent together. Default: nothing is sent. */
  readonly security?: readonly (readonly string[])[]
}

/** How a value with parts is written, as OpenAPI names it. */
export type OpenApiStyle = 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject'

/** A field of the payload that is a parameter. */
export interface OpenApiParameter {
  readonly field: string
  /** What the API calls it. Default: as the field. */
  readonly name?: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  /** Default: `form` in query and cookie, `simple` in path and header. */
  readonly style?: OpenApiStyle
  /** Default: true for `form` alone. */
  readonly explode?: boolean
  /** Whether characters that mean something in a URL stay as they are. Default: no. */
  readonly reserved?: true
  /** Whether it is written as JSON. Default: no. */
  readonly json?: true
}

/** The body of a request. */
export interface OpenApiBody {
  /** The media type. */
  readonly type: string
  readonly as: 'json' | 'form' | 'multipart' | 'text' | 'bytes'
  /** The field of the payload that is the body. Default: `fields` are its fields. */
  readonly field?: string
  /** The fields of the payload that are fields of the body. Default: none. */
  readonly fields?: readonly string[]
  /** Payload field → what the body calls it, where that differs. */
  readonly names?: Readonly<Record<string, string>>
  /** How fields of a form are written, by the body's names of them. Default: the usual way. */
  readonly parts?: Readonly<Record<string, OpenApiPart>>
  /** Whether a body is sent where the payload has none of its fields. Default: no. */
  readonly required?: true
}

/** How one field of a form is written. */
export interface OpenApiPart {
  /** The media type of a part of a multipart body; that of JSON of a field of a form. Default: what the value is. */
  readonly type?: string
  readonly style?: OpenApiStyle
  readonly explode?: boolean
  /** Whether the payload has it as base64, and the part is the bytes. Default: no. */
  readonly bytes?: true
}

/** A schema that tells its types, as Standard Schema asks for: `~standard.types`. */
interface TypedSchema {
  readonly '~standard': { readonly types?: { readonly input: unknown; readonly output: unknown } | undefined }
}

/**
 * The type that a schema accepts. Known for every library that follows Standard Schema; `Json` for a plain JSON Schema
 * value.
 *
 * @example
 * type Sent = InputOf<typeof orderSchema>
 */
export type InputOf<Schema> = Schema extends TypedSchema ? NonNullable<Schema['~standard']['types']>['input'] : Json

/**
 * The type that a schema yields: its defaults are filled. Known for every library that follows Standard Schema; `Json`
 * for a plain JSON Schema value.
 *
 * @example
 * type Seen = OutputOf<typeof orderSchema>
 */
export type OutputOf<Schema> = Schema extends TypedSchema ? NonNullable<Schema['~standard']['types']>['output'] : Json

/**
 * The names of a schema's direct fields: those of an object root, or those that every variant of a union root has.
 * `string` where a schema does not show them, e.g. a JSON Schema behind a `$ref`.
 *
 * @example
 * type Field = FieldsOf<typeof orderSchema> // 'orderId' | 'sessionId'
 */
export type FieldsOf<Schema> = Schema extends { readonly '~standard': unknown }
  ? // An object schema's `shape` gives the names without computing the type of every field.
    Schema extends { readonly shape: infer Shape extends object }
    ? keyof Shape & string
    : TypeFields<InputOf<Schema>>
  : JsonSchemaFields<Schema>

type TypeFields<Input> = unknown extends Input ? string : DeclaredFields<Extract<Input, object>>

// The mapped type distributes over the variants of a union, and `keyof` of a union keeps the names that all have.
type DeclaredFields<T> = [T] extends [never] ? never : keyof WithoutIndex<T> & string

type WithoutIndex<T> = {
  [Field in keyof T as string extends Field ? never : number extends Field ? never : Field]: unknown
}

type JsonSchemaFields<Schema> = Schema extends { readonly allOf: unknown } | { readonly $ref: unknown }
  ? string
  : Schema extends { readonly properties: infer Properties }
    ? keyof Properties & string
    : Schema extends { readonly oneOf: readonly (infer Variant)[] } | { readonly anyOf: readonly (infer Variant)[] }
      ? keyof VariantFields<Variant> & string
      : string

type VariantFields<Variant> = Variant extends unknown ? Record<JsonSchemaFields<Variant>, unknown> : never

/** What the checker shows for a field that the payload does not have directly. */
export interface NoSuchField<Field extends string, Fields> {
  readonly '~error': 'no such payload field'
  readonly field: Field
  readonly fields: Fields
}

/**
 * Payload field → meta field. The names are inferred, not constrained: a wrong name beside a right one would slip
 * through a constraint. The second half only offers the names to the editor.
 */
export type ServerOwned<Payload, Owned extends string> = {
  readonly [Field in Owned]: Field extends FieldsOf<Payload> ? MetaField : NoSuchField<Field, FieldsOf<Payload>>
} & { readonly [Field in FieldsOf<Payload>]?: unknown }

/**
 * What a caller sends to a tool: the payload's input without the fields that the runtime fills.
 *
 * @example
 * type Sent = SentTo<typeof payload, 'sessionId'>
 */
export type SentTo<Payload, Owned extends string> = [Owned] extends [never]
  ? InputOf<Payload>
  : WithoutFields<InputOf<Payload>, Owned>

// Homomorphic, hence distributive over variants; unlike Omit it keeps declared fields beside an index signature.
type WithoutFields<T, Owned> = { [Field in keyof T as Field extends Owned ? never : Field]: T[Field] }

/** What the checker shows where the client has no method of a tool's name and the use names none. */
export interface NameTheMethodOf<Tool extends string> {
  readonly tools: { readonly [Name in Tool]: { readonly method: unknown } }
}

/** {@link NameTheMethodOf} for a use without options. */
export interface NoMethodNamed<Tool extends string> {
  readonly '~error': 'no such method on the client: name one in the options, `tools: { TOOL: { method } }`'
  readonly methods: Tool
}

/** How one tool reaches the client. */
export interface ServiceToolOptions<Payload, Method> {
  /**
   * The client's method: a name such as `fetchOrder`, or a path of up to three names such as `customers.retrieve`.
   * Default: the method of the tool's own name.
   */
  readonly method?: Method
  /** Payload field → method field or parameter, where the names differ. */
  readonly rename?: { readonly [Field in FieldsOfAnyVariant<InputOf<Payload>>]?: string }
  /** Method field or parameter → constant that is always sent. */
  readonly constants?: Readonly<Record<string, Json>>
  /** How the method's answer becomes the tool's result. Default: the answer itself, and its declared type must fit. */
  readonly result?: ServiceResultOptions
  /**
   * What the result of a streaming tool is made of, where its method answers with an async iterable: the `list` of all
   * items or the `last` one. Each item is an update as well. Default: `list`.
   */
  readonly collect?: 'list' | 'last'
}

/**
 * How a method's answer becomes the tool's result.
 *
 * @example
 * fromService(orders, client, { tools: { getOrder: { method: 'fetchOrder', result: { from: 'data', checked: true } } } })
 */
export interface ServiceResultOptions {
  /** `data`: the result is made from the answer's `.data`. Default: from the answer itself. */
  readonly from?: 'data'
  /**
   * `true` validates the answer when the tool runs, where its declared type is wider than the tool's result or its
   * updates; one that does not fit fails as `malformed_result`. Default: `false`, the declared type must fit.
   */
  readonly checked?: boolean
}

type FieldsOfAnyVariant<T> = T extends object ? keyof T & string : never

/**
 * How a toolset is used through a client. `Selected`, `Renamed` and `Methods` are inferred from what is written; a name
 * that is no tool is an error also beside right ones.
 */
export type ServiceUseOptions<Tools, Client, Selected extends string, Renamed extends string, Methods> = UseOptions<
  Selected,
  Renamed
> & {
  /** Tool → how it reaches the client. */
  readonly tools?: {
    readonly [Tool in keyof Methods]: Tool extends Selected
      ? ServiceToolOptions<PayloadOfTool<Tools, Tool>, MethodOf<Client, Methods[Tool]>>
      : string & NoSuchTool<Tool, Selected>
  } & Offered<NoInfer<Selected>>
} & DemandFor<WithoutMethod<Client, NoInfer<Selected>>, NameTheMethodOf<WithoutMethod<Client, NoInfer<Selected>>>>

/** `Demand` where there is one of the given names, else nothing. */
export type DemandFor<Names, Demand> = [Names] extends [never] ? unknown : Demand

type PayloadOfTool<Tools, Tool> = Tool extends keyof Tools
  ? Tools[Tool] extends { readonly payload: infer Payload }
    ? Payload
    : unknown
  : unknown

type MethodOf<Client, Method> = Method extends string ? MethodPath<Client, Method> : string

/** How an agent serves one tool that it exports: with a run of its own, of which this says the beginning and the end. */
export type ExportedToolOptions = {
  /** What the agent's model is told in these runs in place of the agent's instructions. */
  readonly systemPrompt?: string
  /** Whether words count as the result where the run has no other; for results that may be a text. Default: false. */
  readonly prose?: boolean
} & (
  | {
      /** The first message of the run, as it stands. Default: the tool's description and the arguments as JSON. */
      readonly text?: string
      readonly template?: never
    }
  | {
      /** The first message of the run, with fields of the payload: `Find out all about {{topic}}.` */
      readonly template?: string
      readonly text?: never
    }
)

/**
 * How an agent serves a toolset that it exports. `Named` is inferred from what is written; a name that is no tool is an
 * error also beside right ones.
 */
export interface ExportOptions<Tool extends string, Named extends string> {
  /** Tool → how it is served. Default: as {@link ExportedToolOptions} says. */
  readonly tools?: {
    readonly [Name in Named]: Name extends Tool ? ExportedToolOptions : string & NoSuchTool<Name, Tool>
  } & Offered<NoInfer<Tool>>
}

/** What the checker shows for a name that is none of the tools that could be meant. */
export interface NoSuchTool<Name, Selected> {
  readonly '~error': 'no such tool in this use or export of the toolset'
  readonly name: Name
  readonly tools: Selected
}

/**
 * How an agent names what it uses, whoever serves it. `Selected` and `Renamed` are inferred from what is written; a name
 * that is no tool is an error also beside right ones.
 */
export interface UseOptions<Selected extends string, Renamed extends string> {
  /** The agent's own name for this use, needed where it uses one toolset twice. Default: the toolset's name. */
  readonly as?: string
  /** The tools that the agent gets. Default: all. */
  readonly only?: readonly Selected[]
  /** Tool → the name that this agent's model sees. */
  readonly rename?: {
    readonly [Tool in Renamed]: Tool extends Selected ? string : string & NoSuchTool<Tool, Selected>
  } & Offered<NoInfer<Selected>>
}

/** Only offers the names to the editor. */
type Offered<Names extends string> = { readonly [Name in Names]?: unknown }

/** What the checker shows where a toolset is given to an agent by itself. */
export interface SayWhoServesIt {
  readonly '~toolgen': 'toolset'
  readonly '~error': 'say who serves it: fromService(toolset, client), fromAgent(toolset), fromMcp(toolset) or fromOpenApi(toolset)'
}
