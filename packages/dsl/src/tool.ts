import {
  array,
  boolean,
  type Check,
  definition,
  example,
  integer,
  labels,
  maxResult,
  metaField,
  name,
  object,
  oneOf,
  record,
  schema,
  sensitivePaths,
  silencedRules,
  string,
  textOr,
} from './checks.js'

/** Schema in a design: a schema of a library such as Zod, or a JSON Schema. */
export type SchemaValue = object | boolean

/** Source of a `serverOwned` field: an option of the call, such as `sessionId` or `labels.NAME`, or a value of the runtime, such as `toolCallId`. */
export type MetaField =
  | 'runId'
  | 'sessionId'
  | 'turnId'
  | 'toolCallId'
  | 'parentToolCallId'
  | 'idempotencyKey'
  | `labels.${string}`

/**
 * Maximum size of a tool result that a model reads. Set exactly one unit:
 *
 * - `tokens`: estimated number of tokens, at least 200
 * - `bytes`: size of the JSON text in bytes of UTF-8, at least 500
 * - `items`: number of items in each array, at least 1
 */
export type MaxResult =
  | { readonly tokens: number; readonly bytes?: never; readonly items?: never }
  | { readonly bytes: number; readonly tokens?: never; readonly items?: never }
  | { readonly items: number; readonly tokens?: never; readonly bytes?: never }

/**
 * Group of readers that must not read a sensitive field:
 *
 * - `model`: models, programs of code mode, MCP clients and other frameworks
 * - `events`: event sinks and event streams
 * - `telemetry`: tracers
 * - `recording`: suspensions, session stores and cassettes
 */
export type Audience = 'model' | 'events' | 'telemetry' | 'recording'

/**
 * Replacement that an audience reads instead of a sensitive value:
 *
 * - `pseudonym`: an invented value, such as `email_0f3c5a7b9d1e@redacted.invalid`. In one session or run, equal values have equal pseudonyms.
 * - `omit`: the fixed text `[redacted]`
 */
export type Treatment = 'pseudonym' | 'omit'

/**
 * Audiences that must not read the value of a field. An object maps each audience to the replacement that this audience reads. An array
 * lists audiences with default replacements: a pseudonym for `model`, and the text `[redacted]` for other audiences.
 */
export type SensitiveField = readonly Audience[] | { readonly [A in Audience]?: Treatment }

/**
 * Sensitive fields of a tool. Maps the path of a field to the audiences that must not read the field. A path is a JSON Pointer. In a path,
 * `*` matches any item or property, and `**` matches any number of levels.
 */
export interface SensitiveFields {
  /** Sensitive fields of the payload. Default: no fields. */
  readonly payload?: Readonly<Record<string, SensitiveField>>
  /** Sensitive fields of the result. Default: no fields. */
  readonly result?: Readonly<Record<string, SensitiveField>>
  /** Sensitive fields of the updates. Default: no fields. */
  readonly updates?: Readonly<Record<string, SensitiveField>>
}

/**
 * Kind of data that a tool reads:
 *
 * - `private`: data that outsiders must not read
 * - `untrusted`: text that outsiders can write, for example web pages, mails and tickets
 *
 * Outsiders are people who must neither read private data nor give instructions to the agent.
 */
export type ReadLabel = 'private' | 'untrusted'

/**
 * Kind of effect of a tool:
 *
 * - `external`: the tool can send data to outsiders (see {@link ReadLabel}), for example by mail
 * - `irreversible`: nobody can undo the effect
 */
export type WriteLabel = 'external' | 'irreversible'

export interface DataFlowDefaults {
  /**
   * Kinds of data that the tools read: `private`, `untrusted` or both. `[]` declares that the tools read neither kind. Applies to tools
   * without the property `reads`. For imported tools, this value replaces the value that `toolgen import` suggests. Default: not declared.
   *
   * @example
   * reads: 'untrusted' // a toolset for the web
   */
  readonly reads?: ReadLabel | readonly ReadLabel[]
  /**
   * Kinds of effects of the tools: `external`, `irreversible` or both. `[]` declares that the tools have neither effect. Applies to tools
   * without the property `writes`. For imported tools, this value replaces the value that `toolgen import` suggests. Default: not declared.
   */
  readonly writes?: WriteLabel | readonly WriteLabel[]
}

/**
 * Named failure of a tool, which models and code can distinguish from other failures. The generator creates a function for each failure, for
 * example `orderShipped({ orderId })`. To report the failure, throw or return the result of this function in a service, executor or mapper (function
 * that converts payloads or responses).
 */
export interface FailureDefinition {
  /** Schema of the data of the failure. Default: no data. */
  readonly schema?: SchemaValue
  /** Message for models: a template with data of the failure, such as `Order {{orderId}} has left the warehouse; offer a return.` */
  readonly hint: string
  /**
   * Next step of the model after the failure:
   *
   * - `correct_call`: repeat the call with other arguments
   * - `replan` (default): try another way
   * - `finish`: do not call the tool again
   */
  readonly action?: 'correct_call' | 'replan' | 'finish'
  /** Explanation for developers. Omitted by default. */
  readonly description?: string
  /**
   * HTTP status that causes this failure, for tools that call an HTTP API. With a status, the default of `schema` is the documented schema of the
   * response. Each documented 4xx status that no failure declares becomes a failure with a standard name, such as `not_found`. Omitted by default.
   */
  readonly status?: number
}

/** Any JSON value, with readonly arrays and objects. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

interface TypedSchema {
  readonly '~standard': { readonly types?: { readonly input: unknown; readonly output: unknown } | undefined }
}

/** Schema of Zod 4. Types read the input type from `_zod`, because TypeScript would also compute the output type if they read `~standard`. */
interface ZodSchema {
  readonly _zod: { readonly input: unknown }
}

export type SchemaInput<Schema> = Schema extends ZodSchema
  ? Schema['_zod']['input']
  : Schema extends TypedSchema
    ? NonNullable<Schema['~standard']['types']>['input']
    : Json

type SchemaOutput<Schema> = Schema extends TypedSchema ? NonNullable<Schema['~standard']['types']>['output'] : Json

/** `string` if the names are unknown, for example for a JSON Schema with `$ref`. */
type FieldName<Schema> = Schema extends { readonly shape: object }
  ? // `shape` of Zod's object schemas contains the names. TypeScript therefore need not compute the type of every field.
    keyof Schema['shape']
  : Schema extends { readonly '~standard': unknown }
    ? TypeFields<SchemaInput<Schema>>
    : JsonSchemaFields<Schema>

type TypeFields<Input> = unknown extends Input ? string : DeclaredFields<Extract<Input, object>>

// The mapped type distributes over the variants of a union. `keyof` of a union contains only the names that all variants have.
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

interface UnknownField<Field extends string, Fields> {
  readonly '~error': 'no such payload field'
  readonly field: Field
  readonly fields: Fields
}

/** The second type, after `&`, only lets editors suggest field names. */
type ServerOwnedFields<Payload, Owned extends string> = {
  readonly [Field in Owned]: Field extends FieldName<Payload> ? MetaField : UnknownField<Field, FieldName<Payload>>
} & { readonly [Field in FieldName<Payload>]?: unknown }

export type ToolArguments<Payload, Owned extends string> = [Owned] extends [never]
  ? SchemaInput<Payload>
  : WithoutFields<SchemaInput<Payload>, Owned>

// Distributes over unions.
type WithoutFields<T, Owned> = T extends object ? KeptFields<T, Exclude<keyof T, Owned>, Owned> : T

// An object without fields accepts no other field. Unlike `Pick`, the mapped type keeps declared fields next to an index signature.
type KeptFields<T, Kept extends keyof T, Owned> = [Kept] extends [never]
  ? Record<string, never>
  : string extends Kept
    ? { [Field in keyof T as Field extends Owned ? never : Field]: T[Field] }
    : Pick<T, Kept>

/** The compiler accepts every JSON Schema, because a JSON Schema has no TypeScript type. */
type ConditionSchema<Arguments> =
  | { readonly '~standard': { readonly types?: { readonly input: PartOf<Arguments> } | undefined } }
  | { readonly '~standard'?: undefined; readonly [keyword: string]: unknown }
  | (object & { readonly '~standard'?: undefined })

type PartOf<T> = T extends readonly unknown[] | Date | Uint8Array
  ? T
  : T extends object
    ? { readonly [Field in keyof T]?: PartOf<T[Field]> | undefined }
    : T

// `ToolDefinition` inherits these properties. TypeScript would create them for every tool if they were part of the generic interface.
export interface ToolProperties {
  /** Description for models: purpose of the tool, and situations in which to use the tool. */
  readonly description: string
  /** Title of the tool for users. Default: derived from the tool's name. */
  readonly title?: string
  /** Schema of the updates that the tool sends before its result. Default: no updates. */
  readonly streaming?: { readonly updates: SchemaValue }
  /**
   * Failures of the tool, by name in snake_case. In a toolset, failures with the same name must have the same definition. Default: no
   * failures.
   *
   * @example
   * failures: { order_shipped: { schema: z.object({ orderId: z.string() }), hint: 'Order {{orderId}} has left the warehouse.' } }
   */
  readonly failures?: Readonly<Record<string, FailureDefinition>>
  /** Text for users while the tool runs: a template with payload fields, such as `Looking up {{orderId}}`. Default: no text. */
  readonly callHint?: string
  /** Text for users after the call: a template with result fields, such as `Order {{id}} is {{status}}`. Default: no text. */
  readonly resultHint?: string
  /** Tags of the tool, to group and filter tools. Default: no tags. */
  readonly tags?: readonly string[]
  /**
   * Metadata that models do not read. `synonyms`: additional words and phrases by which the tool search of the runtime finds the tool. Default: no
   * metadata.
   *
   * @example
   * meta: { synonyms: ['money back', 'reimburse'] }
   */
  readonly meta?: { readonly synonyms?: readonly string[] }
  /**
   * Timeout and retry layers of the tool, inside all other layers. `timeoutMs` is the time limit of each attempt in milliseconds. `attempts`
   * is the maximum number of attempts. Applications can replace or remove these layers. Default: no layers.
   *
   * Set `attempts` only for tools that are safe to repeat: `idempotent` tools, `readOnly` tools, and tools whose `serverOwned` contains
   * `idempotencyKey`.
   *
   * @example
   * defaultLayers: { timeoutMs: 30_000, attempts: 2 }
   */
  readonly defaultLayers?: { readonly timeoutMs?: number; readonly attempts?: number }
  /**
   * Maximum size of the result that models read. The runtime shortens a larger result for models, which can read the omitted parts with the tool
   * `read_result`. Code always receives the whole result. Default: no limit.
   *
   * @example
   * maxResult: { tokens: 2_000 }
   */
  readonly maxResult?: MaxResult
  /**
   * Fields that some audiences must not read, by path. Use this property for imported tools and for schemas without metadata. In other schemas, write
   * `x-sensitive` in the metadata of the field, for example `z.string().meta({ 'x-sensitive': ['model', 'events'] })`. Default: no fields. Default
   * for imported tools: values with `format: password`, and `writeOnly` strings without `enum` and `const`.
   *
   * @example
   * sensitive: { result: { '/email': ['model', 'events', 'telemetry'] } }
   */
  readonly sensitive?: SensitiveFields
  /** `true` if a repeated call with the same arguments has no additional effect. Default: not declared. */
  readonly idempotent?: boolean
  /** `true` if the tool only reads data. Default: not declared. */
  readonly readOnly?: boolean
  /** `true` if the tool can destroy data permanently. Default: not declared. */
  readonly destructive?: boolean
  /**
   * Kinds of data that the tool reads: `private`, `untrusted` or both. `[]` declares that the tool reads neither kind. `toolgen lint` and the
   * layer `dataFlow` use this property. MCP servers send `openWorldHint` for a tool that reads `untrusted` data or has `external` effects.
   *
   * Default: not declared. For an imported tool, `toolgen import` suggests a default. The suggestion is based on the tool's arguments,
   * annotations, name, title and URL path.
   *
   * @example
   * reads: ['private', 'untrusted'] // the inbox of a user
   */
  readonly reads?: ReadLabel | readonly ReadLabel[]
  /**
   * Kinds of effects of the tool: `external`, `irreversible` or both. `[]` declares that the tool has neither effect. `toolgen lint` and the
   * layer `dataFlow` use this property. Default: not declared. For an imported tool, `toolgen import` suggests a default, as for `reads`.
   *
   * @example
   * writes: ['external', 'irreversible'] // sends a mail
   */
  readonly writes?: WriteLabel | readonly WriteLabel[]
  /** Tool name that models receive. Default: toolset and tool name, such as `orders_getOrder`. */
  readonly toolName?: string
  /** Ignored rules of `toolgen lint` for this tool. Maps a rule id to the reason. Default: no ignored rules. */
  readonly lint?: Readonly<Record<string, string>>
}

/** Argument of `defineTool`: schemas, descriptions and options of a tool. */
export interface ToolDefinition<Payload, Result, Owned extends string> extends ToolProperties {
  /** Schema of the payload: the arguments and the server-owned fields. */
  readonly payload: Payload
  /** Schema of the result of a successful call. */
  readonly result: Result
  // `ArrayLike` compiles faster: for an array type, TypeScript would create the types of all array methods for every tool.
  /** Examples of valid arguments without server-owned fields, simplest first. Default: no examples. */
  readonly examples?: ArrayLike<ToolArguments<Payload, Owned>>
  /**
   * Payload fields that the runtime fills, such as `{ tenant: 'labels.tenant' }`. Models cannot set these fields. Maps a top-level payload field
   * to the source of its value. Default: no fields.
   */
  readonly serverOwned?: ServerOwnedFields<Payload, Owned>
  /**
   * Asks a person the question `prompt` before the tool runs. A denied call returns `deniedResult`. Without `deniedResult`, a denied call
   * fails. The schema `when` selects the calls that need a confirmation, by their arguments. Without `when`, all calls need a confirmation.
   * Default: no confirmation.
   *
   * @example
   * confirmation: { prompt: 'Refund {{amount}} €?', when: z.object({ amount: z.number().gt(100) }) }
   */
  readonly confirmation?: {
    readonly prompt: string
    readonly deniedResult?: SchemaInput<Result>
    readonly when?: ConditionSchema<ToolArguments<Payload, Owned>>
  }
}

/** Tool of a design: the frozen result of `defineTool`, which the generator reads. The type parameters contain the types of the tool. */
export interface Tool<
  Payload extends SchemaValue = SchemaValue,
  Result extends SchemaValue = SchemaValue,
  Owned extends string = string,
> extends ToolProperties {
  readonly '~toolgen': 'tool'
  readonly payload: Payload
  readonly result: Result
  readonly examples?: readonly unknown[]
  /** Payload fields that the runtime fills. Maps a payload field to the source of its value, such as `sessionId`. */
  readonly serverOwned?: { readonly [Field in Owned]: MetaField }
  readonly confirmation?: {
    readonly prompt: string
    readonly deniedResult?: unknown
    readonly when?: SchemaValue
  }
  /**
   * Names of properties whose values `toolgen import` suggested, because the design does not declare a value. Only imported tools have the
   * property `suggested`.
   */
  readonly suggested?: readonly ('reads' | 'writes')[]
  /**
   * Names that the design sets to `false` in `failures`, and that the snapshot does not declare, such as `not_found`. The generator then adds no
   * failure of this name for an HTTP status. Only imported tools have the property `droppedFailures`.
   */
  readonly droppedFailures?: readonly string[]
}

/**
 * Type of the arguments that a model or your code passes to a tool. Excludes server-owned fields, which the runtime fills.
 *
 * @example
 * type GetOrder = ArgumentsOf<typeof orders.tools.getOrder>
 */
export type ArgumentsOf<T extends Tool> =
  T extends Tool<infer Payload, SchemaValue, infer Owned> ? ToolArguments<Payload, Owned> : never

/**
 * Type of the payload that an executor receives: arguments, defaults and server-owned fields.
 *
 * @example
 * type Payload = PayloadOf<typeof orders.tools.getOrder>
 */
export type PayloadOf<T extends Tool> = SchemaOutput<T['payload']>

/**
 * Type of the result of a successful tool call.
 *
 * @example
 * type Order = ResultOf<typeof orders.tools.getOrder>
 */
export type ResultOf<T extends Tool> = SchemaOutput<T['result']>

export const failureDefinition: Check = object(
  { hint: textOr('Write a message for models') },
  { schema, action: oneOf(['correct_call', 'replan', 'finish']), status: integer(400, 599), description: string },
)

export const dataFlowDefaults: Readonly<Record<keyof DataFlowDefaults, Check>> = {
  reads: labels(['private', 'untrusted']),
  writes: labels(['external', 'irreversible']),
}

export const overridableFields: Readonly<Record<string, Check>> = {
  title: string,
  failures: record(failureDefinition),
  examples: array(example),
  callHint: string,
  resultHint: string,
  serverOwned: record(metaField),
  tags: array(string),
  meta: object({}, { synonyms: array(string) }),
  confirmation: object({ prompt: string }, { deniedResult: example, when: schema }),
  defaultLayers: object({}, { timeoutMs: integer(1, 2_147_483_647), attempts: integer(2, 100) }),
  maxResult,
  sensitive: object({}, { payload: sensitivePaths, result: sensitivePaths, updates: sensitivePaths }),
  idempotent: boolean,
  readOnly: boolean,
  destructive: boolean,
  ...dataFlowDefaults,
  toolName: name,
  lint: silencedRules,
}

const toolFields = definition<Omit<Tool, '~toolgen'>>(
  { description: string, payload: schema, result: schema },
  { streaming: object({ updates: schema }), ...overridableFields },
)

/**
 * Declares a tool: payload, result, and descriptions for models and users. The name of the tool is its property name in `tools` of
 * `defineToolset`.
 *
 * @throws {TypeError} if the definition is invalid
 * @example
 * const getOrder = defineTool({
 *   description: 'Fetch one order with its line items.',
 *   payload: z.object({ orderId: z.string(), sessionId: z.string() }),
 *   result: z.object({ id: z.string(), status: z.enum(['open', 'shipped']) }),
 *   serverOwned: { sessionId: 'sessionId' },
 *   examples: [{ orderId: 'A-1001' }],
 * })
 */
export function defineTool<
  const Payload extends SchemaValue,
  const Result extends SchemaValue,
  const Owned extends string = never,
  // Without `NoInfer`, TypeScript would infer `string` for `Owned` of a tool inside `defineToolset`, and would not check its examples.
>(definition: ToolDefinition<Payload, Result, Owned>): Tool<Payload, Result, NoInfer<Owned>>
export function defineTool(definition: ToolDefinition<SchemaValue, SchemaValue, string>): Tool {
  return Object.freeze<Tool>({ '~toolgen': 'tool', ...toolFields(definition, 'defineTool') })
}
