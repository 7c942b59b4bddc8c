import {
  array,
  boolean,
  definition,
  example,
  integer,
  metaField,
  name,
  object,
  record,
  schema,
  silencedRules,
  string,
} from './checks.js'

/** Any schema that a design accepts: a schema library's schema or a plain JSON Schema value. */
export type SchemaValue = object | boolean

/** A field of the call's meta from which a payload field can be filled. */
export type MetaField = 'runId' | 'sessionId' | 'turnId' | 'toolCallId' | 'parentToolCallId' | `labels.${string}`

/** Values that JSON can carry. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** A schema with types, as Standard Schema declares them: `~standard.types`. */
interface TypedSchema {
  readonly '~standard': { readonly types?: { readonly input: unknown; readonly output: unknown } | undefined }
}

/** The type that a schema accepts: known for every library that follows Standard Schema, else `Json`. */
export type SchemaInput<Schema> = Schema extends TypedSchema ? NonNullable<Schema['~standard']['types']>['input'] : Json

/** The type that a schema yields, defaults filled: known for every library that follows Standard Schema, else `Json`. */
type SchemaOutput<Schema> = Schema extends TypedSchema ? NonNullable<Schema['~standard']['types']>['output'] : Json

/**
 * The names of a schema's direct fields: those of an object root, or those that every variant of a union root has.
 * `string` where a schema does not show them, e.g. a JSON Schema behind a `$ref`.
 */
export type FieldName<Schema> = Schema extends { readonly '~standard': unknown }
  ? // An object schema's `shape` gives the names without computing the type of every field.
    Schema extends { readonly shape: infer Shape extends object }
    ? keyof Shape & string
    : TypeFields<SchemaInput<Schema>>
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

/** Shown by the compiler for a field that the payload does not have directly. */
interface UnknownField<Field extends string, Fields> {
  readonly '~error': 'no such payload field'
  readonly field: Field
  readonly fields: Fields
}

/**
 * Payload field → meta field. The names are inferred, not constrained: with a constraint, a wrong name would be
 * accepted next to a right one. The second half only offers the names to the editor.
 */
type ServerOwnedFields<Payload, Owned extends string> = {
  readonly [Field in Owned]: Field extends FieldName<Payload> ? MetaField : UnknownField<Field, FieldName<Payload>>
} & { readonly [Field in FieldName<Payload>]?: unknown }

/** The payload's input without the fields that the runtime fills. */
export type ToolArguments<Payload, Owned extends string> = [Owned] extends [never]
  ? SchemaInput<Payload>
  : WithoutFields<SchemaInput<Payload>, Owned>

// Homomorphic, hence distributive over variants; unlike Omit it keeps the declared fields of a type with an index signature.
type WithoutFields<T, Owned> = { [Field in keyof T as Field extends Owned ? never : Field]: T[Field] }

/** The definition of a tool. */
export interface ToolDefinition<Payload, Result, Owned extends string> {
  /** Purpose of the tool and when to use it, for models. */
  readonly description: string
  /** The topic that users see while it runs. Default: the words of the tool's name. */
  readonly title?: string
  /** Schema of the executor's input: a schema library's schema or a JSON Schema value. */
  readonly payload: Payload
  /** Schema of the tool's result. */
  readonly result: Result
  /** Schema of the updates that the tool sends before its result. Default: it sends none. */
  readonly streaming?: { readonly updates: SchemaValue }
  /** Valid arguments, simplest first; server-owned fields do not belong here. */
  readonly examples?: readonly ToolArguments<Payload, Owned>[]
  /** Template over the payload, shown while the tool runs: `Looking up {{orderId}}`. */
  readonly callHint?: string
  /** Template over the result, shown when the tool has ended: `Order {{id}} is {{status}}`. */
  readonly resultHint?: string
  /** Payload fields that the runtime fills and no model may send: direct field → meta field. */
  readonly serverOwned?: ServerOwnedFields<Payload, Owned>
  /** Free words for grouping and filtering. */
  readonly tags?: readonly string[]
  /** A person must agree before the tool runs; a declined call returns `deniedResult`, or fails without one. */
  readonly confirmation?: { readonly prompt: string; readonly deniedResult?: SchemaInput<Result> }
  /**
   * Layers that its registration attaches, innermost: a time limit for each attempt, in milliseconds, and the maximum number
   * of attempts, for an `idempotent` or `readOnly` tool only. An application can override or remove them. Default: none.
   *
   * @example
   * defaultLayers: { timeoutMs: 30_000, attempts: 2 }
   */
  readonly defaultLayers?: { readonly timeoutMs?: number; readonly attempts?: number }
  /** A second call with the same arguments changes nothing more. Default: not declared. */
  readonly idempotent?: boolean
  /** It changes nothing. Default: not declared. */
  readonly readOnly?: boolean
  /** It destroys something that cannot be restored. Default: not declared. */
  readonly destructive?: boolean
  /** The name that models see. Default: `toolset_tool`. */
  readonly toolName?: string
  /** Rules of `toolgen lint` that do not count for this tool: the rule's id → the reason. Default: none. */
  readonly lint?: Readonly<Record<string, string>>
}

/** A tool of a design, with its types: a frozen value that `defineTool` returns and the generator reads. */
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
  /** Payload field → meta field. */
  readonly serverOwned?: { readonly [Field in Owned]: MetaField }
  readonly confirmation?: { readonly prompt: string; readonly deniedResult?: unknown }
}

/**
 * The arguments that a model or a call builder sends to a tool.
 *
 * @example
 * type GetOrder = ArgumentsOf<typeof orders.tools.getOrder>
 */
export type ArgumentsOf<T extends Tool> =
  T extends Tool<infer Payload, SchemaValue, infer Owned> ? ToolArguments<Payload, Owned> : never

/**
 * The input of a tool's executor: defaults applied, server-owned fields filled.
 *
 * @example
 * type Payload = PayloadOf<typeof orders.tools.getOrder>
 */
export type PayloadOf<T extends Tool> = SchemaOutput<T['payload']>

/**
 * The result of a tool.
 *
 * @example
 * type Order = ResultOf<typeof orders.tools.getOrder>
 */
export type ResultOf<T extends Tool> = SchemaOutput<T['result']>

const toolFields = definition<Omit<Tool, '~toolgen'>>(
  { description: string, payload: schema, result: schema },
  {
    title: string,
    streaming: object({ updates: schema }),
    examples: array(example),
    callHint: string,
    resultHint: string,
    serverOwned: record(metaField),
    tags: array(string),
    confirmation: object({ prompt: string }, { deniedResult: example }),
    defaultLayers: object({}, { timeoutMs: integer(1, 2_147_483_647), attempts: integer(2, 100) }),
    idempotent: boolean,
    readOnly: boolean,
    destructive: boolean,
    toolName: name,
    lint: silencedRules,
  },
)

/**
 * Declares a tool: its payload, its result and its descriptions for models and users. The toolset gives it a name.
 *
 * @throws {TypeError} when the definition is evidently wrong
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
>(definition: ToolDefinition<Payload, Result, Owned>): Tool<Payload, Result, Owned>
export function defineTool(definition: ToolDefinition<SchemaValue, SchemaValue, string>): Tool {
  return Object.freeze<Tool>({ '~toolgen': 'tool', ...toolFields(definition, 'defineTool') })
}
