import type { Codec } from './codec.js'
import type { FailureSpec, TypedFailure } from './failure.js'
import type { JsonSchema, JsonText, JsonValue } from './json.js'

/** Approval that a tool requires, and the result of a call that the approver denies. */
interface ConfirmationSpec {
  /** Question for the approver, as a template that the runtime fills with the payload: `Cancel {{orderId}}?`. */
  readonly prompt: string
  /** Result of a denied call. If absent, a denied call fails with the reason `denied`. */
  readonly deniedResult?: JsonValue
  /** JSON Schema of the arguments that need the approval. Absent if all calls need the approval. */
  readonly when?: JsonSchema
}

/** A payload field that the runtime fills and that models cannot set. */
export interface ServerOwnedField {
  /** Name of the payload field. */
  readonly field: string
  /** Field of the call's metadata from which the runtime fills the payload field. */
  readonly from: MetaField
  /** JSON Schema that validates the filled value. */
  readonly schema: JsonSchema
}

/** Effects of a tool, as its author declares them. An absent property means that the author declares nothing about the effect. */
export interface ToolAnnotations {
  /** The tool changes nothing. */
  readonly readOnly?: boolean
  /** The tool deletes or overwrites data, or has an effect that cannot be undone. */
  readonly destructive?: boolean
  /** A repeated call with the same arguments has the same effect as a single call. */
  readonly idempotent?: boolean
}

/**
 * Kind of data that a tool reads. `private`: data that outsiders must not see. `untrusted`: text that outsiders can write, for example web
 * pages, mails, issues and tickets.
 */
export type ReadLabel = 'private' | 'untrusted'

/**
 * Kind of effect of a tool. `external`: the tool can send data to outsiders. `irreversible`: the effect cannot be
 * undone.
 */
export type WriteLabel = 'external' | 'irreversible'

interface ToolMeta {
  /** Additional words and phrases with which `@toolgen/runtime/tool-search` finds the tool, e.g. `money back`. */
  readonly synonyms?: readonly string[]
}

/**
 * Layers that a design declares for a tool. The registration adds these layers as the innermost layers of the tool.
 *
 * @example
 * const brief: DefaultLayers = { timeoutMs: 5_000, attempts: 2 }
 */
export interface DefaultLayers {
  /** Time limit of each attempt in milliseconds, as for `timeout(timeoutMs)`. Default: no limit. */
  readonly timeoutMs?: number
  /** Maximum number of attempts, including the first, as for `retry({ attempts })`. Default: 1. */
  readonly attempts?: number
}

/**
 * Maximum size of a result for a model, in one of three units:
 *
 * - `tokens`: estimated tokens of the text, at least 200.
 * - `bytes`: bytes of the text in UTF-8, at least 500.
 * - `items`: items of each array in the result, at least 1.
 *
 * @example
 * const brief: MaxResult = { tokens: 2_000 }
 */
export type MaxResult =
  | { readonly tokens: number; readonly bytes?: never; readonly items?: never }
  | { readonly bytes: number; readonly tokens?: never; readonly items?: never }
  | { readonly items: number; readonly tokens?: never; readonly bytes?: never }

/**
 * Group of receivers of call data. A design can hide the values of sensitive fields from each group:
 *
 * - `model`: models, planners, programs of code mode, MCP clients and the tools of other frameworks
 * - `events`: event sinks, and streams of events and messages, for example to browsers
 * - `telemetry`: tracers, such as the spans of OpenTelemetry
 * - `recording`: suspensions, session stores and cassettes
 */
export type Audience = 'model' | 'events' | 'telemetry' | 'recording'

/**
 * Replacement of a sensitive value. `pseudonym`: a generated text, which replaces the value everywhere in the session
 * or run. `omit`: the text `[redacted]`.
 */
export type Treatment = 'pseudonym' | 'omit'

/**
 * Treatment of sensitive values, by path and audience. A path is a JSON Pointer, in which `*` matches any item or
 * property, and `**` matches any number of levels.
 */
export type SensitivePaths = Readonly<Record<string, { readonly [A in Audience]?: Treatment }>>

/**
 * Sensitive fields of a tool.
 *
 * @example
 * const fields: SensitiveFields = { result: { '/email': { model: 'pseudonym', events: 'omit' } } }
 */
export interface SensitiveFields {
  /** Sensitive fields of the payload, including fields that only the runtime sets. Absent if no field is sensitive. */
  readonly payload?: SensitivePaths
  /** Sensitive fields of the result. Absent if no field is sensitive. */
  readonly result?: SensitivePaths
  /** Sensitive fields of the updates. Absent if no field is sensitive. */
  readonly updates?: SensitivePaths
}

/** Names of the arguments that request one page of a list. A property is absent if the tool has no such argument. */
export interface PagingArguments {
  /** Name of the argument that limits the number of items in a page, e.g. `limit`. */
  readonly limit?: string
  /** Name of the argument that sets the number of skipped items, e.g. `offset`. */
  readonly offset?: string
  /** Name of the argument that sets the page number, e.g. `page`. */
  readonly page?: string
  /** Page number of the first page. Default: 1. */
  readonly firstPage?: number
  /** Name of the argument for the cursor of a page, e.g. `nextToken`. An earlier result contains the cursor. */
  readonly cursor?: string
}

/** Description of a tool as plain data: names, texts, schemas and declared effects. */
export interface ToolSpec<Id extends ToolId = ToolId> {
  /** Tool id, e.g. `orders.getOrder`. */
  readonly id: Id
  /** Name of the toolset, e.g. `orders`. */
  readonly toolset: string
  /** Name of the tool in its toolset, e.g. `getOrder`. */
  readonly name: string
  /** Namespace of the toolset: a name for a group of toolsets. Default: `default`. */
  readonly namespace: string
  /** Name of the tool for models, e.g. `orders_getOrder`. An agent can set another name. */
  readonly toolName: string
  /** Short name of the tool for people. */
  readonly title: string
  /** Purpose and use of the tool, for models. */
  readonly description: string
  /** Tags of the design. The runtime does not use the tags. */
  readonly tags: readonly string[]
  /** Data about the tool that models do not see. Absent if the design contains no such data. */
  readonly meta?: ToolMeta
  /** JSON Schema of the arguments: the payload without the fields that only the runtime sets. */
  readonly arguments: JsonSchema
  /** JSON Schema of the result of a successful call. */
  readonly result: JsonSchema
  /** JSON Schema of one update. Present only for a streaming tool. */
  readonly updates?: JsonSchema
  /** Failures that the tool declares, in the order of the design. Absent if the tool declares no failures. */
  readonly failures?: readonly FailureSpec[]
  /** Examples of valid arguments, the simplest first. */
  readonly examples: readonly JsonValue[]
  /**
   * Text for people about a call, as a template that the runtime fills with the payload, e.g. `Looking up {{orderId}}`.
   * Absent if the design contains no such template.
   */
  readonly callHint?: string
  /**
   * Text for people about a result, as a template that the runtime fills with the result, e.g. `Found {{name}}`. Absent
   * if the design contains no such template.
   */
  readonly resultHint?: string
  /** Payload fields that the runtime fills and models do not see. */
  readonly serverOwned: readonly ServerOwnedField[]
  /** Effects that the design declares, for example `readOnly`. */
  readonly annotations: ToolAnnotations
  /** Kinds of data that the tool reads, sorted. Absent if the design declares no kinds. */
  readonly reads?: readonly ReadLabel[]
  /** Kinds of effects of the tool, sorted. Absent if the design declares no kinds. */
  readonly writes?: readonly WriteLabel[]
  /** Approval that the tool requires. Absent if the tool requires no approval. */
  readonly confirmation?: ConfirmationSpec
  /** Default layers, which the application can override with the option `defaultLayers`. Absent if the design declares no default layers. */
  readonly defaultLayers?: DefaultLayers
  /**
   * Maximum size of the text that models read. The runtime shortens longer results. Models can read the omitted parts with the tool `read_result`.
   * Absent if the size is not limited.
   */
  readonly maxResult?: MaxResult
  /**
   * Arguments that request a page of a list. If the runtime shortens a result, the text for the model suggests a call
   * with these arguments. Absent if the tool has no such arguments.
   */
  readonly paging?: PagingArguments
  /** Fields whose values must be hidden from models, events, telemetry or recordings. Absent if the tool has no sensitive fields. */
  readonly sensitive?: SensitiveFields
  /** Hash of all properties of the tool that callers or models can see. Changes when such a property changes. */
  readonly hash: string
}

/** Spec of a tool in one agent, with the names and limits that the agent sets, and with the kind of the provider. */
export interface AgentToolSpec<Id extends ToolId = ToolId> extends ToolSpec<Id> {
  /** Kind of the provider that runs the tool, e.g. `service` or `mcp`. */
  readonly provider: Provider
  /** Tool id that begins with the kind of the provider: `service.orders.getOrder`. */
  readonly qualifiedId: QualifiedToolId
}

export type ToolId = `${string}.${string}`

/**
 * Kind of provider that runs the tools of a toolset. `service`: a TypeScript service client or an HTTP API. `mcp`: an MCP server. `agent`:
 * another agent. `function`: hand-written functions, or an executor of the application.
 */
export type Provider = 'service' | 'mcp' | 'agent' | 'function'

/** Tool id that begins with the kind of the provider: `service.orders.getOrder`. */
type QualifiedToolId = `${Provider}.${ToolId}`

/**
 * Metadata of a call: its ids, labels, abort signal and attempt number. The application and the runtime set this metadata. Models cannot change this
 * metadata.
 */
export interface ToolCallMeta {
  /** Id of the run. Absent for a call outside a run. */
  readonly runId?: string
  /** Id of the user's session. Absent if the option `sessionId` was not set. */
  readonly sessionId?: string
  /** Id of the conversation turn. Absent if the option `turnId` was not set. */
  readonly turnId?: string
  /** Id of the call, from the model or the application, or created by the runtime. */
  readonly toolCallId: string
  /** Id of the tool call that contains this call, e.g. a call to an agent. Absent if no tool call contains this call. */
  readonly parentToolCallId?: string
  /** Name of the agent that makes the call. Absent for a call without an agent. */
  readonly agent?: string
  /** Labels of the call (option `labels`), e.g. `{ tenant: 'acme' }`. Empty by default. */
  readonly labels: Readonly<Record<string, string>>
  /** Signal that is aborted when the call is cancelled or exceeds a time limit. Executors must pass this signal to their requests. */
  readonly signal: AbortSignal
  /** Time at which the runtime aborts the call, in milliseconds since the Unix epoch. Absent if there is no deadline. */
  readonly deadline?: number
  /** Number of the attempt, from 1. */
  readonly attempt: number
  /**
   * Key with which a service detects a repeated request of this call: `<runId>/<toolCallId>`, or `<toolCallId>` outside
   * a run. The key is the same in all attempts, and after the run was suspended and resumed. The runtime
   * percent-encodes all characters of the two ids except letters, digits and `_.~:-`.
   */
  readonly idempotencyKey: string
}

/** Fields of {@link ToolCallMeta} that the runtime sets for every call. Callers do not pass these fields. */
export type RuntimeField = 'toolCallId' | 'idempotencyKey'

/** Field of {@link ToolCallMeta} from which the runtime can fill a payload field. */
export type MetaField = RuntimeField | 'runId' | 'sessionId' | 'turnId' | 'parentToolCallId' | `labels.${string}`

/**
 * Request to run a tool. A generated function such as `newGetOrderCall({...})` creates the request, or the runtime
 * reads the request from a model's message. `Result` is the type of the result. `Needs` is the union of the metadata
 * fields that fill payload fields of the tool. `Declared` is the union of the failures that the tool declares. These
 * types do not exist at run time.
 */
export interface ToolCall<
  out Result = unknown,
  out Needs extends MetaField = never,
  out Declared extends TypedFailure = unknown extends Result ? TypedFailure : never,
> {
  /** Tool id, or the tool name that a model used. */
  readonly tool: string
  /** Arguments as JSON text. */
  readonly arguments: JsonText
  /** Id of the call. Default: a new id. */
  readonly toolCallId?: string
  /** Id of the tool call that contains this call, e.g. a call to an agent. Default: no tool call. */
  readonly parentToolCallId?: string
  /** Never set. TypeScript reads the types `Result`, `Needs` and `Declared` from this property. */
  readonly '~types'?: { readonly result: Result; readonly needs: Needs; readonly failures: Declared }
}

/** Type of the result of a call. For a union of call types, `ResultOf` is the union of the result types. */
export type ResultOf<Call extends ToolCall<unknown, MetaField>> = NonNullable<Call['~types']>['result']

/**
 * Union of the failures that the tool of a call declares. For an untyped call, for example a call from a model, all failures are possible. For a
 * union of call types, `FailuresOf` includes the failures of all these types.
 */
export type FailuresOf<Call extends ToolCall<unknown, MetaField>> =
  unknown extends ResultOf<Call> ? TypedFailure : NonNullable<Call['~types']>['failures']

/**
 * Union of the metadata fields from which the runtime fills payload fields of a call. For a union of call types, `NeedsOf` includes the fields of all
 * these types.
 */
export type NeedsOf<Call extends ToolCall<unknown, MetaField>> = NonNullable<Call['~types']>['needs']

/** Options of a generated function that creates a call: ids of the call, and the name of its toolset. */
export interface ToolCallOptions {
  /** Id of the call. Default: a new id. */
  readonly toolCallId?: string
  /** Id of the tool call that contains this call, e.g. a call to an agent. Default: no tool call. */
  readonly parentToolCallId?: string
  /** Name of the toolset in the agent (`as` in the design). Required if this name differs from the name of the toolset in its design. */
  readonly as?: string
}

/** Id of the call to which an outcome or event belongs, and id of its tool. */
export interface ToolCallRef {
  /** Tool id, or the requested name if the tool is unknown. */
  readonly tool: string
  /** Id of the call. Empty only if the id generator in the option `effects` of the runtime failed. */
  readonly toolCallId: string
  /** Id of the tool call that contains this call, e.g. a call to an agent. Absent if no tool call contains this call. */
  readonly parentToolCallId?: string
}

/** Async function that receives a request and returns a response. Layers wrap services. */
export type Service<in Request, out Response> = (request: Request) => Promise<Response>

/**
 * Type of a decoded payload without the fields `Owned`, which the runtime adds later. If `Payload` is a union, removes
 * the fields from each member of the union.
 */
export type Unfilled<Payload, Owned extends PropertyKey> = Payload extends unknown ? Omit<Payload, Owned> : never

/** Type of decoded arguments. Optional properties can be absent, but not `undefined`. Properties in `Defaulted` are never absent, due to defaults. */
export type Received<Arguments, Defaulted extends keyof Arguments = never> = {
  readonly [Field in keyof Arguments as Field extends Defaulted ? never : Field]: Exclude<Arguments[Field], undefined>
} & {
  readonly [Field in Defaulted]-?: Exclude<Arguments[Field], undefined>
}

/** Generated description of one tool, e.g. `orders.getOrder`. */
export interface ToolDescriptor<
  in Arguments = never,
  out Decoded = unknown,
  in out Result = any, // `any` lets one array hold descriptors of different tools
  out Needs extends MetaField = MetaField,
  out Declared extends TypedFailure = unknown extends Result ? TypedFailure : never,
> {
  /** Spec of the tool: its id, names, schemas and annotations. */
  readonly spec: ToolSpec
  /** Codec of the payload: validates and converts the arguments of a call. */
  readonly payload: Codec<Arguments, Decoded>
  /** Codec of the result: validates and serializes the result. */
  readonly result: Codec<Result, Result>
  /** Creates a call of the tool from typed arguments. @throws {InvalidArgumentsError} with all issues. */
  readonly call: (args: Arguments, options?: ToolCallOptions) => ToolCall<Result, Needs, Declared>
}

/** Generated description of a toolset. The first registration of the toolset freezes the array `tools` and the specs of the tools. */
export interface ToolsetDescriptor {
  /** Name of the toolset, e.g. `orders`. */
  readonly name: string
  /** Namespace of the toolset: a name for a group of toolsets. */
  readonly namespace: string
  /** Topic of the tools, for models. */
  readonly description: string
  /** Tools in the order of the design. */
  readonly tools: readonly ToolDescriptor[]
}
