import type { Codec } from './codec.js'
import type { JsonSchema, JsonText, JsonValue } from './json.js'

/** Approval that a tool requires, and its result if a person declines. */
interface ConfirmationSpec {
  /** A hint template over the payload. */
  readonly prompt: string
  /** The result of a declined call; absent: the call fails with the reason `denied`. */
  readonly deniedResult?: JsonValue
}

/** A payload field that the runtime fills and no model may send. */
export interface ServerOwnedField {
  readonly field: string
  readonly from: MetaField
  readonly schema: JsonSchema
}

/** Effects of a tool, as declared by its author. */
export interface ToolAnnotations {
  readonly readOnly?: boolean
  readonly destructive?: boolean
  readonly idempotent?: boolean
}

/**
 * Layers that a design declares for a tool. The registration puts them innermost around the tool.
 *
 * @example
 * const brief: DefaultLayers = { timeoutMs: 5_000, attempts: 2 }
 */
export interface DefaultLayers {
  /** Time limit of each attempt, in milliseconds, as `timeout(timeoutMs)` sets it. Absent: no limit. */
  readonly timeoutMs?: number
  /** Maximum number of attempts, the first included, as `retry({ attempts })` makes them. Absent: one. */
  readonly attempts?: number
}

/** Everything there is to know about a tool, as plain data. */
export interface ToolSpec<Id extends ToolId = ToolId> {
  readonly id: Id
  readonly toolset: string
  readonly name: string
  /** Groups toolsets; `default` where the design names none. */
  readonly namespace: string
  /** The name that models see where an agent gives no other. */
  readonly toolName: string
  /** Shown to users. */
  readonly title: string
  /** Read by models. */
  readonly description: string
  readonly tags: readonly string[]
  /** JSON Schema of the arguments: the payload without its server-owned fields. */
  readonly arguments: JsonSchema
  readonly result: JsonSchema
  /** JSON Schema of one update; present exactly for a streaming tool. */
  readonly updates?: JsonSchema
  /** Arguments that are valid, simplest first. */
  readonly examples: readonly JsonValue[]
  /** Template over the payload, e.g. `Looking up {{orderId}}`. */
  readonly callHint?: string
  /** Template over the result. */
  readonly resultHint?: string
  readonly serverOwned: readonly ServerOwnedField[]
  readonly annotations: ToolAnnotations
  readonly confirmation?: ConfirmationSpec
  /** Layers that the registration attaches unless the application overrides them. Absent: none. */
  readonly defaultLayers?: DefaultLayers
  /** Hash of the tool's contract: changes exactly when something that callers or models see changes. */
  readonly hash: string
}

/** A tool as one agent offers or uses it. */
export interface AgentToolSpec<Id extends ToolId = ToolId> extends ToolSpec<Id> {
  readonly provider: Provider
  readonly qualifiedId: QualifiedToolId
}

/** `toolset.tool`, e.g. `orders.getOrder`. */
export type ToolId = `${string}.${string}`

/** Provider of a toolset: a TypeScript service client, an MCP server, another agent, or hand-written functions. */
export type Provider = 'service' | 'mcp' | 'agent' | 'function'

/** `provider.toolset.tool`, e.g. `service.orders.getOrder`. */
type QualifiedToolId = `${Provider}.${ToolId}`

/** Context of a call that no model supplies. */
export interface ToolCallMeta {
  /** The run this call belongs to; absent for a call outside a run. */
  readonly runId?: string
  /** The user's session. */
  readonly sessionId?: string
  /** The turn of the conversation. */
  readonly turnId?: string
  /** The id of this call; given by the caller or made by the runtime, always present. */
  readonly toolCallId: string
  /** The call that caused this one. */
  readonly parentToolCallId?: string
  /** The agent on whose behalf the call runs; absent for a toolset without an agent. */
  readonly agent?: string
  /** Free labels of the caller, e.g. a tenant. */
  readonly labels: Readonly<Record<string, string>>
  /** Aborted when the caller cancels; executors pass it on. */
  readonly signal: AbortSignal
  /** When the call must have ended, in milliseconds since the epoch. */
  readonly deadline?: number
  /** 1 for the first try, counted up by retries. */
  readonly attempt: number
}

/** A field of {@link ToolCallMeta} from which a server-owned payload field can be filled. */
export type MetaField = 'runId' | 'sessionId' | 'turnId' | 'toolCallId' | 'parentToolCallId' | `labels.${string}`

/**
 * A request to run a tool, made by a generated builder (`newGetOrderCall({...})`) or from what a model sent.
 * `Result` and `Needs` exist in the type alone.
 */
export interface ToolCall<out Result = unknown, out Needs extends MetaField = never> {
  /** The tool's id, or the tool name that a model used. */
  readonly tool: string
  readonly arguments: JsonText
  /** Absent: the runtime makes one. */
  readonly toolCallId?: string
  readonly parentToolCallId?: string
  /** Never present; carries the types. */
  readonly '~types'?: { readonly result: Result; readonly needs: Needs }
}

/** Result type of the calls of a type; for a union the union of results. */
export type ResultOf<Call extends ToolCall<unknown, MetaField>> = NonNullable<Call['~types']>['result']

/** The meta fields from which the server-owned fields of the calls of a type are filled; of a union all of them. */
export type NeedsOf<Call extends ToolCall<unknown, MetaField>> = NonNullable<Call['~types']>['needs']

/** Options of a call builder. */
export interface ToolCallOptions {
  readonly toolCallId?: string
  readonly parentToolCallId?: string
  /** The agent's name for the toolset (`as` in the design), where it differs from the toolset's own. */
  readonly as?: string
}

/** A call as an outcome names it. */
export interface ToolCallRef {
  /** The tool's id; for an unknown tool the name as it was asked for. */
  readonly tool: string
  /** Empty only where the runtime's own source of ids failed. */
  readonly toolCallId: string
  readonly parentToolCallId?: string
}

/** Anything that answers a request; what layers wrap. */
export type Service<in Request, out Response> = (request: Request) => Promise<Response>

/** A payload as the codec yields it: server-owned fields are still to be filled. Distributes over unions. */
export type Unfilled<Payload, Owned extends PropertyKey> = Payload extends unknown ? Omit<Payload, Owned> : never

/** Decoded form of arguments: without own `undefined`, and with the fields of `Defaulted`, which have defaults. */
export type Received<Arguments, Defaulted extends keyof Arguments = never> = {
  readonly [Field in keyof Arguments as Field extends Defaulted ? never : Field]: Exclude<Arguments[Field], undefined>
} & {
  readonly [Field in Defaulted]-?: Exclude<Arguments[Field], undefined>
}

/** All that generated code says about one tool: `orders.getOrder`. */
export interface ToolDescriptor<
  in Arguments = never,
  out Decoded = unknown,
  in out Result = any, // a result is both read and written; `any` lets descriptors of different tools share one list
  out Needs extends MetaField = MetaField,
> {
  readonly spec: ToolSpec
  readonly payload: Codec<Arguments, Decoded>
  readonly result: Codec<Result, Result>
  /** Builds a call. @throws {InvalidArgumentsError} listing every issue. */
  readonly call: (args: Arguments, options?: ToolCallOptions) => ToolCall<Result, Needs>
}

/** A toolset as generated code describes it; frozen with its specs when it is first registered. */
export interface ToolsetDescriptor {
  readonly name: string
  readonly namespace: string
  readonly description: string
  /** In the order of the design. */
  readonly tools: readonly ToolDescriptor[]
}
