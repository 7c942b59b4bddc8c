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

/** Name of a field of the call's metadata, from which the runtime can fill a payload field that models cannot set (`serverOwned`). */
export type MetaField =
  | 'runId'
  | 'sessionId'
  | 'turnId'
  | 'toolCallId'
  | 'parentToolCallId'
  | 'idempotencyKey'
  | `labels.${string}`

/**
 * Maximum size of a result for a model, in one of three units: estimated `tokens` (at least 200), `bytes` of the JSON text in UTF-8 (at least
 * 500), or `items` of each array (at least 1).
 */
export type MaxResult =
  | { readonly tokens: number; readonly bytes?: never; readonly items?: never }
  | { readonly bytes: number; readonly tokens?: never; readonly items?: never }
  | { readonly items: number; readonly tokens?: never; readonly bytes?: never }

/**
 * Group of readers from which a sensitive field can be hidden: `model` (models, programs of code mode, MCP clients and other frameworks),
 * `events` (event sinks and streams), `telemetry` (tracers) and `recording` (suspensions, session stores and cassettes).
 */
export type Audience = 'model' | 'events' | 'telemetry' | 'recording'

/**
 * Replacement that an audience receives for a sensitive value. `pseudonym`: a made-up value, such as `email_0f3c5a7b9d1e@redacted.invalid`,
 * which is the same for equal values in the whole session or run. `omit`: the fixed text `[redacted]`.
 */
export type Treatment = 'pseudonym' | 'omit'

/**
 * Audiences that do not read the value of a field: an array, or an object audience → treatment. For an array, `model` gets a pseudonym, and
 * the other listed audiences get the text `[redacted]`.
 */
export type SensitiveField = readonly Audience[] | { readonly [A in Audience]?: Treatment }

/**
 * Sensitive fields of a tool: path → audiences. A path is a JSON Pointer, in which `*` stands for any item or property, and `**` for any
 * number of levels.
 */
export interface SensitiveFields {
  /** Fields of the payload. */
  readonly payload?: Readonly<Record<string, SensitiveField>>
  /** Fields of the result. */
  readonly result?: Readonly<Record<string, SensitiveField>>
  /** Fields of the updates. */
  readonly updates?: Readonly<Record<string, SensitiveField>>
}

/**
 * Kind of data that a tool reads. `private`: data that outsiders must not see. `untrusted`: text that outsiders can write, for example web
 * pages, mails, issues and tickets. Outsiders are all people who must neither see private data nor give instructions to the agent.
 */
export type ReadLabel = 'private' | 'untrusted'

/**
 * Kind of effect of a tool. `external`: the tool can send data to a place where outsiders can read it. `irreversible`: the effect cannot
 * be undone.
 */
export type WriteLabel = 'external' | 'irreversible'

/** Default labels of the tools of a toolset. */
export interface DataFlowDefaults {
  /**
   * Kinds of data that the tools read: `private`, `untrusted` or both. Applies to tools without an own `reads`, and replaces the suggestion of
   * an import. `[]` declares that they read neither. Default: none.
   *
   * @example
   * reads: 'untrusted' // a toolset for the web
   */
  readonly reads?: ReadLabel | readonly ReadLabel[]
  /**
   * Kinds of effects of the tools: `external`, `irreversible` or both. Applies to tools without an own `writes`, and replaces the suggestion
   * of an import. `[]` declares that they have neither. Default: none.
   */
  readonly writes?: WriteLabel | readonly WriteLabel[]
}

/**
 * A failure of a tool that models and code can distinguish from other failures. The generator creates a function for each failure, for
 * example `orderShipped({ orderId })`. To fail with it, an executor, service or mapper throws or returns the result of this function.
 */
export interface FailureDefinition {
  /** Schema of the data of the failure. Default: no data. */
  readonly schema?: SchemaValue
  /** Message for models, as a template that is filled with the data: `Order {{orderId}} has left the warehouse; offer a return.` */
  readonly hint: string
  /**
   * Next step of the model. `correct_call`: call again with other arguments. `replan`: try another way. `finish`: do not call the tool
   * again. Default: `replan`.
   */
  readonly action?: 'correct_call' | 'replan' | 'finish'
  /** Explanation for developers. Default: none. */
  readonly description?: string
  /**
   * HTTP status of an HTTP API for which the tool fails with this failure. `schema` is then by default the documented schema of the
   * response. A documented 4xx status that no failure sets becomes a failure with a standard name, such as `not_found`. Default: none.
   */
  readonly status?: number
}

/** JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

interface TypedSchema {
  readonly '~standard': { readonly types?: { readonly input: unknown; readonly output: unknown } | undefined }
}

/** Schema of Zod 4. Its property `_zod` gives the input type without computing the output type, unlike `~standard`. */
interface ZodSchema {
  readonly _zod: { readonly input: unknown }
}

/** Type of the values that a schema accepts. `Json` if the schema does not implement Standard Schema. */
export type SchemaInput<Schema> = Schema extends ZodSchema
  ? Schema['_zod']['input']
  : Schema extends TypedSchema
    ? NonNullable<Schema['~standard']['types']>['input']
    : Json

/** Type of the values that a schema returns, with defaults. `Json` if the schema does not implement Standard Schema. */
type SchemaOutput<Schema> = Schema extends TypedSchema ? NonNullable<Schema['~standard']['types']>['output'] : Json

/**
 * Names of the top-level fields of an object schema. For a union, the fields that all variants have. `string` if the names are unknown, for
 * example for a JSON Schema with `$ref`.
 */
type FieldName<Schema> = Schema extends { readonly shape: object }
  ? // `shape` of Zod's object schemas has the names without computing the type of every field.
    keyof Schema['shape']
  : Schema extends { readonly '~standard': unknown }
    ? TypeFields<SchemaInput<Schema>>
    : JsonSchemaFields<Schema>

type TypeFields<Input> = unknown extends Input ? string : DeclaredFields<Extract<Input, object>>

// The mapped type distributes over the variants of a union; `keyof` of a union has the names that all variants have.
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

/** Compile error for a name in `serverOwned` that is not a top-level field of the payload. */
interface UnknownField<Field extends string, Fields> {
  readonly '~error': 'no such payload field'
  readonly field: Field
  readonly fields: Fields
}

/** Type of `serverOwned`: payload field → metadata field. The type after `&` only lets the editor suggest names. */
type ServerOwnedFields<Payload, Owned extends string> = {
  readonly [Field in Owned]: Field extends FieldName<Payload> ? MetaField : UnknownField<Field, FieldName<Payload>>
} & { readonly [Field in FieldName<Payload>]?: unknown }

/** Type of a tool's arguments: the input type of the payload without server-owned fields. */
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

/**
 * Schema of the arguments that need a confirmation. Its type can omit fields of the arguments. A JSON Schema has no type, so the compiler
 * accepts any.
 */
type ConditionSchema<Arguments> =
  | { readonly '~standard': { readonly types?: { readonly input: PartOf<Arguments> } | undefined } }
  | { readonly '~standard'?: undefined; readonly [keyword: string]: unknown }
  | (object & { readonly '~standard'?: undefined })

type PartOf<T> = T extends readonly unknown[] | Date | Uint8Array
  ? T
  : T extends object
    ? { readonly [Field in keyof T]?: PartOf<T[Field]> | undefined }
    : T

/** Argument of `defineTool`: schemas, descriptions and options of a tool. */
export interface ToolDefinition<Payload, Result, Owned extends string> {
  /** Purpose of the tool and when to use it, for models. */
  readonly description: string
  /** Title that users see while the tool runs. Default: derived from the tool's name. */
  readonly title?: string
  /** Schema of the payload that the executor receives. */
  readonly payload: Payload
  /** Schema of the result of a successful call. */
  readonly result: Result
  /** Schema of the updates that the tool sends before its result. Default: no updates. */
  readonly streaming?: { readonly updates: SchemaValue }
  /**
   * Failures of the tool: name in snake_case → definition. In a toolset, failures with the same name must have the same definition.
   * Default: none.
   *
   * @example
   * failures: { order_shipped: { schema: z.object({ orderId: z.string() }), hint: 'Order {{orderId}} has left the warehouse.' } }
   */
  readonly failures?: Readonly<Record<string, FailureDefinition>>
  // `ArrayLike`: for an array type, the compiler would create the methods of arrays for every tool.
  /** Array of valid arguments without server-owned fields, the simplest first. Default: none. */
  readonly examples?: ArrayLike<ToolArguments<Payload, Owned>>
  /** Template of the text for users while the tool runs, with payload fields: `Looking up {{orderId}}`. Default: none. */
  readonly callHint?: string
  /** Template of the text for users after the call, with result fields: `Order {{id}} is {{status}}`. Default: none. */
  readonly resultHint?: string
  /**
   * Payload fields that models cannot set, because the runtime fills them from the call's metadata: top-level field → metadata field.
   * Default: none.
   */
  readonly serverOwned?: ServerOwnedFields<Payload, Owned>
  /** Tags of the tool, for grouping and filtering tools. Default: none. */
  readonly tags?: readonly string[]
  /**
   * Facts about the tool that models do not see. `synonyms`: words and phrases with which the tool search of the runtime also finds the
   * tool. Default: none.
   *
   * @example
   * meta: { synonyms: ['money back', 'reimburse'] }
   */
  readonly meta?: { readonly synonyms?: readonly string[] }
  /**
   * Asks a person the question `prompt` before the tool runs. If the person denies the call, it returns `deniedResult`, or fails if
   * `deniedResult` is not set. If `when` is set, only calls whose arguments match this schema need the confirmation. Default: no
   * confirmation.
   *
   * @example
   * confirmation: { prompt: 'Refund {{amount}} €?', when: z.object({ amount: z.number().gt(100) }) }
   */
  readonly confirmation?: {
    readonly prompt: string
    readonly deniedResult?: SchemaInput<Result>
    readonly when?: ConditionSchema<ToolArguments<Payload, Owned>>
  }
  /**
   * Timeout and retry layers that every registration of the tool adds, inside all other layers. `timeoutMs` limits each attempt, in
   * milliseconds. `attempts` is the maximum number of attempts. Set `attempts` only for a tool that is `idempotent` or `readOnly`, or whose
   * `serverOwned` sends the `idempotencyKey`. Applications can replace or remove these layers. Default: none.
   *
   * @example
   * defaultLayers: { timeoutMs: 30_000, attempts: 2 }
   */
  readonly defaultLayers?: { readonly timeoutMs?: number; readonly attempts?: number }
  /**
   * Maximum size of the result that models read. A larger result is shortened for models, which can read the rest with the tool
   * `read_result`. Code always reads the whole result. Default: no maximum.
   *
   * @example
   * maxResult: { tokens: 2_000 }
   */
  readonly maxResult?: MaxResult
  /**
   * Fields that not everybody may read, by path. Use this property for imported tools and for schemas without metadata. In other schemas,
   * write `x-sensitive` in the metadata of the field, for example `z.string().meta({ 'x-sensitive': ['model', 'events'] })`. Default: none.
   * For an imported tool, the default contains the values with `format: password` and the strings with `writeOnly: true`.
   *
   * @example
   * sensitive: { result: { '/email': ['model', 'events', 'telemetry'] } }
   */
  readonly sensitive?: SensitiveFields
  /** True if a repeated call with the same arguments has no further effect. Default: not declared. */
  readonly idempotent?: boolean
  /** True if the tool changes nothing. Default: not declared. */
  readonly readOnly?: boolean
  /** True if the tool can destroy data that cannot be restored. Default: not declared. */
  readonly destructive?: boolean
  /**
   * Kinds of data that the tool reads: `private`, `untrusted` or both. `[]` declares that it reads neither. `toolgen lint` and the layer
   * `dataFlow` use the declaration. MCP servers send `openWorldHint` for a tool that reads `untrusted` data or has `external` effects.
   * Default: not declared. For an imported tool, the default is a suggestion of the import, which it derives from the tool's arguments, its
   * annotations, and words in its name, title and URL path.
   *
   * @example
   * reads: ['private', 'untrusted'] // the inbox of a user
   */
  readonly reads?: ReadLabel | readonly ReadLabel[]
  /**
   * Kinds of effects of the tool: `external`, `irreversible` or both. `[]` declares that it has neither. `toolgen lint` and the layer
   * `dataFlow` use the declaration. Default: not declared. For an imported tool, the default is a suggestion of the import, as for `reads`.
   *
   * @example
   * writes: ['external', 'irreversible'] // sends a mail
   */
  readonly writes?: WriteLabel | readonly WriteLabel[]
  /** Name sent to models. Default: `toolset_tool`. */
  readonly toolName?: string
  /** Rules of `toolgen lint` that are ignored for this tool: rule id → reason. Default: none. */
  readonly lint?: Readonly<Record<string, string>>
}

/** Tool of a design, with its types. Returned by `defineTool` and read by the generator. Frozen. */
export interface Tool<
  Payload extends SchemaValue = SchemaValue,
  Result extends SchemaValue = SchemaValue,
  Owned extends string = string,
> extends Omit<
    ToolDefinition<unknown, unknown, string>,
    'payload' | 'result' | 'examples' | 'serverOwned' | 'confirmation'
  > {
  readonly '~toolgen': 'tool'
  readonly payload: Payload
  readonly result: Result
  readonly examples?: readonly unknown[]
  /** Payload field that the runtime fills → metadata field that supplies its value. */
  readonly serverOwned?: { readonly [Field in Owned]: MetaField }
  readonly confirmation?: {
    readonly prompt: string
    readonly deniedResult?: unknown
    readonly when?: SchemaValue
  }
  /**
   * Properties whose values the import suggested, because the design does not declare them. Only tools from a snapshot have this property.
   */
  readonly suggested?: readonly ('reads' | 'writes')[]
  /**
   * Names of failures of an HTTP API that the design drops, with `failures: { NAME: false }`. Only tools from a snapshot have this
   * property.
   */
  readonly droppedFailures?: readonly string[]
}

/**
 * Type of the arguments of a tool call, which a model or your code creates. It lacks the server-owned fields.
 *
 * @example
 * type GetOrder = ArgumentsOf<typeof orders.tools.getOrder>
 */
export type ArgumentsOf<T extends Tool> =
  T extends Tool<infer Payload, SchemaValue, infer Owned> ? ToolArguments<Payload, Owned> : never

/**
 * Type of the payload that an executor receives: the arguments with defaults and server-owned fields.
 *
 * @example
 * type Payload = PayloadOf<typeof orders.tools.getOrder>
 */
export type PayloadOf<T extends Tool> = SchemaOutput<T['payload']>

/**
 * Type of a tool's result.
 *
 * @example
 * type Order = ResultOf<typeof orders.tools.getOrder>
 */
export type ResultOf<T extends Tool> = SchemaOutput<T['result']>

/** Validates the definition of a failure. */
export const failureDefinition: Check = object(
  { hint: textOr('Write a message for models') },
  { schema, action: oneOf(['correct_call', 'replan', 'finish']), status: integer(400, 599), description: string },
)

/** Checks of the labels of a tool or toolset. */
export const dataFlowDefaults: Readonly<Record<keyof DataFlowDefaults, Check>> = {
  reads: labels(['private', 'untrusted']),
  writes: labels(['external', 'irreversible']),
}

/** Checks of the properties that an imported tool can replace. */
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
 * Declares a tool: its payload, its result, and its descriptions for models and users. `defineToolset` gives the tool its name.
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
  // Without `NoInfer`, `Owned` would be `string` for a tool that is defined inside a toolset, and its examples would not be checked.
>(definition: ToolDefinition<Payload, Result, Owned>): Tool<Payload, Result, NoInfer<Owned>>
export function defineTool(definition: ToolDefinition<SchemaValue, SchemaValue, string>): Tool {
  return Object.freeze<Tool>({ '~toolgen': 'tool', ...toolFields(definition, 'defineTool') })
}
