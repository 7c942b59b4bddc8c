import { isCodecError } from '../codec/codecs.js'
import type { Codec, Issue } from '../types/codec.js'
import type { JsonText } from '../types/json.js'
import type { MetaField, ToolCall, ToolCallOptions, ToolDescriptor, ToolId, ToolSpec } from '../types/tool.js'

type ToolDescriptors = Readonly<Record<string, ToolDescriptor>>

/** Freezes the descriptors of a toolset's tools, and the object that holds them. Its type is what it is assigned to. */
export function toolDescriptors<Tools extends ToolDescriptors>(tools: NoInfer<Tools>): Tools {
  for (const tool of Object.values<ToolDescriptor>(tools)) Object.freeze(tool)
  Object.freeze(tools)
  return tools
}

/** Returns the descriptors in their order. */
export function toolsOf(tools: ToolDescriptors): readonly ToolDescriptor[] {
  return Object.values(tools)
}

/** Returns the specs of the tools in their order. */
export function specsOf(tools: ToolDescriptors): readonly ToolSpec[] {
  return Object.values(tools).map(({ spec }) => spec)
}

type RequiredPart = 'id' | 'title' | 'description' | 'examples' | 'hash'

/** Spec of a tool in generated code; `toolSpec` adds the rest. */
interface ToolSpecParts<Id extends ToolId>
  extends Pick<ToolSpec, RequiredPart>,
    Partial<Omit<ToolSpec, RequiredPart | 'arguments' | 'result' | 'updates'>> {
  readonly id: Id
}

/** Part of a codec that a spec uses. */
type Described = Pick<Codec<never>, 'schema'>

/**
 * The whole spec of a tool. What is left out follows from the id (`toolset`: up to the first dot, `name`: behind it,
 * `toolName`: both joined by `_`) or is the usual (`namespace`: `default`, no `tags`, no `serverOwned`, no
 * `annotations`). The spec is frozen; what it refers to is frozen with its first registration.
 *
 * @param payload whose schema is `arguments`
 * @param result whose schema is `result`
 * @param update whose schema is `updates`; given exactly for a streaming tool
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
  const { id, title, description, examples, callHint, resultHint, confirmation, defaultLayers, hash } = parts
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
    arguments: payload.schema,
    result: result.schema,
    ...(update !== undefined && { updates: update.schema }),
    examples,
    ...(callHint !== undefined && { callHint }),
    ...(resultHint !== undefined && { resultHint }),
    serverOwned,
    annotations,
    ...(confirmation !== undefined && { confirmation }),
    ...(defaultLayers !== undefined && { defaultLayers }),
    hash,
  })
}

/**
 * Makes a call from typed arguments: validates and encodes them. For generated call builders. An own `undefined`
 * counts as absent.
 *
 * @throws {InvalidArgumentsError} listing every issue.
 */
export function newToolCall<Arguments, Result = unknown, Needs extends MetaField = never>(
  spec: ToolSpec,
  codec: Pick<Codec<Arguments, unknown>, 'encode'>,
  args: Arguments,
  options: ToolCallOptions = {},
): ToolCall<Result, Needs> {
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

/** Thrown by a call builder whose arguments break a constraint. Lists every issue at once. */
export class InvalidArgumentsError extends Error {
  override readonly name = 'InvalidArgumentsError'
  readonly tool: ToolId
  readonly issues: readonly Issue[]

  constructor(tool: ToolId, issues: readonly Issue[], options?: ErrorOptions) {
    const lines = issues.map((issue) => `  - ${issue.path === '' ? 'arguments' : issue.path}: ${issue.message}`)
    super([`the arguments of '${tool}' are not valid:`, ...lines].join('\n'), options)
    this.tool = tool
    this.issues = Object.freeze([...issues])
  }
}
