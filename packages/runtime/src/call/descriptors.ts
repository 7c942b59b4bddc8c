import { isCodecError } from '../codec/codecs.js'
import type { Codec, Issue } from '../types/codec.js'
import type { FailureSpec, TypedFailure } from '../types/failure.js'
import type { JsonText } from '../types/json.js'
import type { MetaField, ToolCall, ToolCallOptions, ToolDescriptor, ToolId, ToolSpec } from '../types/tool.js'

type ToolDescriptors = Readonly<Record<string, ToolDescriptor>>

/**
 * Freezes the descriptors of a toolset's tools, and the object that contains the descriptors. Generated code passes no type argument: TypeScript
 * infers `Tools` from the declared type of the variable that stores the result.
 */
export function toolDescriptors<Tools extends ToolDescriptors>(tools: NoInfer<Tools>): Tools {
  for (const tool of Object.values<ToolDescriptor>(tools)) Object.freeze(tool)
  Object.freeze(tools)
  return tools
}

/** Returns the tool descriptors of a toolset as an array. */
export function toolsOf(tools: ToolDescriptors): readonly ToolDescriptor[] {
  return Object.values(tools)
}

/** Returns the tool specs of a toolset as an array. */
export function specsOf(tools: ToolDescriptors): readonly ToolSpec[] {
  return Object.values(tools).map(({ spec }) => spec)
}

type RequiredPart = 'id' | 'title' | 'description' | 'examples' | 'hash'

interface ToolSpecParts<Id extends ToolId>
  extends Pick<ToolSpec, RequiredPart>,
    Partial<Omit<ToolSpec, RequiredPart | 'arguments' | 'result' | 'updates' | 'failures'>> {
  readonly id: Id
  readonly failures?: readonly (FailureSpec | { readonly spec: FailureSpec })[]
}

type Described = Pick<Codec<never>, 'schema'>

/**
 * Returns the complete, frozen spec of a tool. Omitted properties have defaults:
 *
 * - The id determines `toolset`, `name` and `toolName`. For `orders.getOrder`, these properties are `orders`, `getOrder` and
 *   `orders_getOrder`.
 * - `namespace` is `default`.
 * - `tags`, `serverOwned` and `annotations` are empty.
 *
 * The first registration of the tool also freezes nested objects.
 *
 * @param payload codec with the schema for `arguments`
 * @param result codec with the schema for `result`
 * @param update codec with the schema for `updates`; only for streaming tools
 * @example
 * toolSpec({
 *   id: 'orders.getOrder',
 *   title: 'Get order',
 *   description: 'Fetch one order.',
 *   examples: [{ orderId: 'A-1001' }],
 *   hash: '78209c03e046436c',
 * }, getOrderPayloadCodec, getOrderResultCodec).toolName // 'orders_getOrder'
 */
export function toolSpec<Id extends ToolId>(
  parts: ToolSpecParts<Id>,
  payload: Described,
  result: Described,
  update?: Described,
): ToolSpec<Id> {
  const { id, title, description, examples, callHint, resultHint, confirmation, defaultLayers, meta, hash } = parts
  const { reads, writes, maxResult, paging, sensitive, failures } = parts
  const dot = id.indexOf('.')
  const { toolset = id.slice(0, dot), name = id.slice(dot + 1), namespace = 'default' } = parts
  const { toolName = `${toolset}_${name}`, tags = [], serverOwned = [], annotations = {} } = parts
  return Object.freeze({
    id,
    toolset,
    name,
    namespace,
    toolName,
    title,
    description,
    tags,
    ...(meta !== undefined && { meta }),
    arguments: payload.schema,
    result: result.schema,
    ...(update !== undefined && { updates: update.schema }),
    ...(failures !== undefined && { failures: failures.map((each) => ('spec' in each ? each.spec : each)) }),
    examples,
    ...(callHint !== undefined && { callHint }),
    ...(resultHint !== undefined && { resultHint }),
    serverOwned,
    annotations,
    ...(reads !== undefined && { reads }),
    ...(writes !== undefined && { writes }),
    ...(confirmation !== undefined && { confirmation }),
    ...(defaultLayers !== undefined && { defaultLayers }),
    ...(maxResult !== undefined && { maxResult }),
    ...(paging !== undefined && { paging }),
    ...(sensitive !== undefined && { sensitive }),
    hash,
  })
}

/**
 * Validates and encodes typed arguments, and creates a call with the encoded arguments. Generated call builders call this function. Treats
 * properties with the value `undefined` as omitted.
 *
 * @throws {InvalidArgumentsError} with all issues.
 */
export function newToolCall<
  Arguments,
  Result = unknown,
  Needs extends MetaField = never,
  Declared extends TypedFailure = never,
>(
  spec: ToolSpec,
  codec: Pick<Codec<Arguments, unknown>, 'encode'>,
  args: Arguments,
  options: ToolCallOptions = {},
): ToolCall<Result, Needs, Declared> {
  const { toolCallId, parentToolCallId, as } = options
  let json: JsonText
  try {
    json = codec.encode(args)
  } catch (error) {
    throw isCodecError(error) ? new InvalidArgumentsError(spec.id, error.issues, { cause: error }) : error
  }
  return Object.freeze({
    tool: as === undefined ? spec.id : `${as}.${spec.name}`,
    arguments: json,
    ...(toolCallId !== undefined && { toolCallId }),
    ...(parentToolCallId !== undefined && { parentToolCallId }),
  })
}

/** Thrown by a call builder for invalid arguments. `issues` lists all issues. */
export class InvalidArgumentsError extends Error {
  override readonly name = 'InvalidArgumentsError'
  readonly tool: ToolId
  readonly issues: readonly Issue[]

  constructor(tool: ToolId, issues: readonly Issue[], options?: ErrorOptions) {
    const lines = issues.map((issue) => `  - ${issue.path === '' ? 'arguments' : issue.path}: ${issue.message}`)
    super([`Invalid arguments for '${tool}':`, ...lines].join('\n'), options)
    this.tool = tool
    this.issues = Object.freeze([...issues])
  }
}
