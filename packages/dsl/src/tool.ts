import {
  checkedFields,
  type FieldChecks,
  frozenDictionary,
  frozenExample,
  hasFields,
  isAnything,
  isDictionaryOf,
  isFlag,
  isListOf,
  isMetaField,
  isName,
  isSchema,
  isSilencedRules,
  isText,
  isWholeNumber,
} from './checks.js'
import type { InputOf, MetaField, OutputOf, SchemaValue, SentTo, ServerOwned, ToolValue } from './types.js'

/** What is told about a tool. */
export interface ToolDefinition<Payload, Result, Owned extends string> {
  /** What the tool does and when to use it, for models. */
  readonly description: string
  /** The topic that users see while it runs. Default: the tool's name in words. */
  readonly title?: string
  /** Schema of what the executor sees: a schema library's schema or a JSON Schema value. */
  readonly payload: Payload
  /** Schema of what the tool answers. */
  readonly result: Result
  /** The tool reports updates before its result. Absent: it answers once. */
  readonly streaming?: { readonly updates: SchemaValue }
  /** Valid arguments, simplest first; server-owned fields do not belong here. */
  readonly examples?: readonly SentTo<Payload, Owned>[]
  /** Template over the payload, shown while the tool runs: `Looking up {{orderId}}`. */
  readonly callHint?: string
  /** Template over the result, shown when the tool has answered: `Order {{id}} is {{status}}`. */
  readonly resultHint?: string
  /** Payload fields that the runtime fills and no model may send: direct field → meta field. */
  readonly serverOwned?: ServerOwned<Payload, Owned>
  /** Free words for grouping and filtering. */
  readonly tags?: readonly string[]
  /** A person must agree before the tool runs; a declined call answers `deniedResult`, or fails without one. */
  readonly confirmation?: { readonly prompt: string; readonly deniedResult?: InputOf<Result> }
  /**
   * Layers that its registration attaches, innermost: a time limit for each attempt, in milliseconds, and the maximum number
   * of attempts, for an `idempotent` or `readOnly` tool only. An application can override or remove them. Default: none.
   *
   * @example
   * defaultLayers: { timeoutMs: 30_000, attempts: 2 }
   */
  readonly defaultLayers?: { readonly timeoutMs?: number; readonly attempts?: number }
  /** Calling it twice with the same arguments does what calling it once does. Default: not declared. */
  readonly idempotent?: boolean
  /** It changes nothing. Default: not declared. */
  readonly readOnly?: boolean
  /** It destroys something that cannot be brought back. Default: not declared. */
  readonly destructive?: boolean
  /** The name that models see. Default: `toolset_tool`. */
  readonly toolName?: string
  /** Rules of `toolgen lint` that do not count for this tool: the rule's id → why. Default: none. */
  readonly lint?: Readonly<Record<string, string>>
}

/** A tool of a design, with its types. */
export interface Tool<
  Payload extends SchemaValue = SchemaValue,
  Result extends SchemaValue = SchemaValue,
  Owned extends string = string,
> extends ToolValue {
  readonly payload: Payload
  readonly result: Result
  readonly serverOwned?: { readonly [Field in Owned]: MetaField }
}

/**
 * What a model or a call builder sends to a tool.
 *
 * @example
 * type GetOrder = ArgumentsOf<typeof orders.tools.getOrder>
 */
export type ArgumentsOf<T extends ToolValue> =
  T extends Tool<infer Payload, SchemaValue, infer Owned> ? SentTo<Payload, Owned> : never

/**
 * What a tool's executor sees: defaults applied, server-owned fields filled.
 *
 * @example
 * type Seen = PayloadOf<typeof orders.tools.getOrder>
 */
export type PayloadOf<T extends ToolValue> = OutputOf<T['payload']>

/**
 * What a tool answers.
 *
 * @example
 * type Order = ResultOf<typeof orders.tools.getOrder>
 */
export type ResultOf<T extends ToolValue> = OutputOf<T['result']>

const toolChecks: FieldChecks = {
  required: { description: isText, payload: isSchema, result: isSchema },
  optional: {
    title: isText,
    streaming: hasFields({ required: { updates: isSchema }, optional: {} }),
    examples: isListOf(isAnything),
    callHint: isText,
    resultHint: isText,
    serverOwned: isDictionaryOf(isMetaField),
    tags: isListOf(isText),
    confirmation: hasFields({ required: { prompt: isText }, optional: { deniedResult: isAnything } }),
    defaultLayers: hasFields({
      required: {},
      optional: { timeoutMs: isWholeNumber(1, 2_147_483_647), attempts: isWholeNumber(2, 100) },
    }),
    idempotent: isFlag,
    readOnly: isFlag,
    destructive: isFlag,
    toolName: isName,
    lint: isSilencedRules,
  },
}

/**
 * Declares a tool: what it takes, what it answers and what models and users are told about it. Its name is given by the
 * toolset. Throws a TypeError when the definition is evidently wrong.
 *
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
export function defineTool(definition: ToolDefinition<SchemaValue, SchemaValue, string>): ToolValue {
  const where = 'defineTool'
  const { streaming, examples, serverOwned, tags, confirmation, defaultLayers, lint, ...texts } = checkedFields(
    definition,
    toolChecks,
    where,
  )
  return Object.freeze<ToolValue>({
    '~toolgen': 'tool',
    ...texts,
    ...(streaming && { streaming: Object.freeze({ ...streaming }) }),
    ...(examples && {
      examples: Object.freeze(examples.map((it, at) => frozenExample(it, `${where}: examples[${at}]`))),
    }),
    ...(serverOwned && { serverOwned: frozenDictionary(serverOwned, `${where}: serverOwned`) }),
    ...(tags && { tags: Object.freeze([...tags]) }),
    ...(confirmation && { confirmation: frozenConfirmation(confirmation, `${where}: confirmation`) }),
    ...(defaultLayers && { defaultLayers: Object.freeze({ ...defaultLayers }) }),
    ...(lint && { lint: frozenDictionary(lint, `${where}: lint`) }),
  })
}

type Confirmation = NonNullable<ToolValue['confirmation']>

function frozenConfirmation({ prompt, deniedResult }: Confirmation, where: string): Confirmation {
  if (deniedResult === undefined) return Object.freeze({ prompt })
  return Object.freeze({ prompt, deniedResult: frozenExample(deniedResult, `${where}.deniedResult`) })
}
