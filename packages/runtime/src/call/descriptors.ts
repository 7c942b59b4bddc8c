import { isCodecError, payloadCodec, resultCodec } from '../codec/codecs.js'
import { exampleOf } from '../schema/validate.js'
import type { Codec, Issue } from '../types/codec.js'
import type { JsonText, JsonValue, StandardCheck } from '../types/json.js'
import type {
  JsonAdapter,
  RegistrationOptions,
  ToolExecutor,
  ToolsetRegistration,
  ToolsetUse,
} from '../types/registration.js'
import type { TelemetryBuilder } from '../types/run.js'
import type {
  AgentToolSpec,
  MetaField,
  ServerOwnedField,
  ToolCall,
  ToolCallOptions,
  ToolDescriptor,
  ToolId,
  ToolSpec,
  ToolsetDescriptor,
} from '../types/tool.js'
import { BindingError, selectedTools, toolNameIn, useErrors, useName } from './binding.js'
import { type HintTemplate, hintTemplate } from './render.js'

/** The descriptors of a toolset's tools, by the names of the tools. */
type ToolDescriptors = Readonly<Record<string, ToolDescriptor>>

/** Freezes the descriptors of a toolset's tools, and the object that holds them. Its type is what it is assigned to. */
export function toolDescriptors<Tools extends ToolDescriptors>(tools: NoInfer<Tools>): Tools {
  for (const tool of Object.values<ToolDescriptor>(tools)) Object.freeze(tool)
  Object.freeze(tools)
  return tools
}

/** The descriptors as a list, in their order. */
export function toolsOf(tools: ToolDescriptors): readonly ToolDescriptor[] {
  return Object.values(tools)
}

/** The specs of the tools as a list, in their order. */
export function specsOf(tools: ToolDescriptors): readonly ToolSpec[] {
  return Object.values(tools).map(({ spec }) => spec)
}

type Said = 'title' | 'description' | 'examples' | 'hash'
type Implied =
  | 'toolset'
  | 'name'
  | 'namespace'
  | 'toolName'
  | 'tags'
  | 'callHint'
  | 'resultHint'
  | 'serverOwned'
  | 'annotations'
  | 'confirmation'
  | 'defaultLayers'

/** Spec of a tool in generated code; `toolSpec` adds the rest. */
interface ToolSpecParts<Id extends ToolId> extends Pick<ToolSpec, Said>, Partial<Pick<ToolSpec, Implied>> {
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
 * The spec of one tool as the agent of `use` sees it: with the agent's names. The descriptor's own spec is frozen too:
 * they share their parts.
 */
function agentSpec(use: ToolsetUse, { spec }: ToolDescriptor): AgentToolSpec {
  return deepFreeze({
    ...deepFreeze(spec),
    toolName: toolNameIn(use, spec),
    provider: use.provider,
    qualifiedId: `${use.provider}.${useName(use)}.${spec.name}`,
  })
}

/**
 * The specs of the tools that an agent uses, in the order of the design; deeply frozen.
 *
 * @throws {BindingError} when two uses share a name or two tools share a tool name.
 */
export function usedSpecs(uses: readonly ToolsetUse[]): readonly AgentToolSpec[] {
  const errors = useErrors(uses)
  if (errors.length > 0) throw new BindingError('these toolsets', errors)
  return Object.freeze(uses.flatMap((use) => selectedTools(use).map((tool) => agentSpec(use, tool))))
}

/**
 * The specs of the tools that an agent offers to others, in the order of the design; deeply frozen.
 *
 * @throws {BindingError} when two toolsets share a name or two tools share a tool name.
 */
export function offeredSpecs(toolsets: readonly ToolsetDescriptor[]): readonly AgentToolSpec[] {
  return usedSpecs(toolsets.map((toolset) => ({ toolset, provider: 'agent' })))
}

/** Freezes plain data through and through and returns it. */
export function deepFreeze<Value>(value: Value): Value {
  freeze(value, new Set())
  return value
}

function freeze(value: unknown, seen: Set<object>): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  Object.freeze(value)
  for (const inner of Object.values(value)) freeze(inner, seen)
}

/** One tool, ready to be called: all that the pipeline needs of it. */
export interface BoundTool {
  /** The id by which calls name it: `<name of the use>.<tool>`. */
  readonly id: ToolId
  readonly spec: AgentToolSpec
  readonly payload: Pick<Codec<never, unknown>, 'decode' | 'decodeValue'>
  readonly result: Pick<Codec<never, unknown>, 'decode' | 'decodeValue' | 'encodeValue'>
  /** Writes an update; absent for a tool that answers once. */
  readonly updates: Pick<Codec<never, unknown>, 'encodeValue'> | undefined
  /** The fields that the runtime fills, each with its own rule. */
  readonly serverOwned: readonly OwnedField[]
  readonly executor: ToolExecutor
  readonly payloadAdapter: JsonAdapter | undefined
  readonly resultAdapter: JsonAdapter | undefined
  readonly decodeInExecutor: boolean
  readonly check: StandardCheck | undefined
  readonly examples: ToolExamples
  /** Hints for people; templates of the registration take precedence. */
  readonly hints: ToolHints
  readonly telemetryBuilder: TelemetryBuilder | undefined
}

/** Hints for people over the payload and the result of a call. */
interface ToolHints {
  readonly call: HintTemplate | undefined
  readonly result: HintTemplate | undefined
}

/** A field that the runtime fills, with the codec of its own rule. */
export interface OwnedField extends Pick<ServerOwnedField, 'field' | 'from'> {
  readonly rule: Pick<Codec<never, unknown>, 'decodeValue'>
}

/** The tools of a registration, in the order of the toolset. */
export function boundTools(registration: ToolsetRegistration<never>): readonly BoundTool[] {
  const { use, executor, payloadAdapter, resultAdapter, decodeInExecutor } = registration
  // An own `null`, as plain JavaScript may give it, counts as absent.
  const checks = registration.checks ?? {}
  // Nobody may add tools to what is registered already.
  Object.freeze(use.toolset.tools)
  return selectedTools(use).map((tool) => ({
    id: `${useName(use)}.${tool.spec.name}`,
    spec: agentSpec(use, tool),
    payload: tool.payload,
    result: tool.result,
    updates: tool.spec.updates === undefined ? undefined : resultCodec({ schema: tool.spec.updates }),
    serverOwned: tool.spec.serverOwned.map(({ field, from, schema }) => ({
      field,
      from,
      rule: payloadCodec({ schema }),
    })),
    executor,
    payloadAdapter: payloadAdapter ?? undefined,
    resultAdapter: resultAdapter ?? undefined,
    decodeInExecutor: decodeInExecutor ?? false,
    check: Object.hasOwn(checks, tool.spec.name) ? checks[tool.spec.name] : undefined,
    examples: new ToolExamples(tool.spec, tool.payload),
    hints: hintsOf(registration, tool.spec),
    telemetryBuilder: registration.telemetryBuilder ?? undefined,
  }))
}

function hintsOf({ hints }: RegistrationOptions, spec: ToolSpec): ToolHints {
  const own = hints !== undefined && Object.hasOwn(hints, spec.name) ? hints[spec.name] : undefined
  const call = own?.call ?? spec.callHint
  const result = own?.result ?? spec.resultHint
  return {
    call: call === undefined ? undefined : hintTemplate(call),
    result: result === undefined ? undefined : hintTemplate(result),
  }
}

/** The examples of one tool that its codec takes, each looked for once, when a call first needs it. */
class ToolExamples {
  readonly #spec: ToolSpec
  readonly #payload: Pick<Codec<never, unknown>, 'decodeValue'>
  #fitting: readonly JsonValue[] | undefined
  #made: { readonly example: JsonValue | undefined } | undefined

  constructor(spec: ToolSpec, payload: Pick<Codec<never, unknown>, 'decodeValue'>) {
    this.#spec = spec
    this.#payload = payload
  }

  /** The author's examples that really fit. */
  get fitting(): readonly JsonValue[] {
    this.#fitting ??= this.#spec.examples.filter((example) => this.#payload.decodeValue(example).ok)
    return this.#fitting
  }

  /** One made from the schema, where that can be done. */
  get made(): JsonValue | undefined {
    this.#made ??= { example: exampleOf(this.#spec.arguments) }
    return this.#made.example
  }
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
  return Object.freeze({
    tool: as === undefined ? spec.id : `${as}.${spec.name}`,
    arguments: encoded(spec, codec, args),
    ...(toolCallId !== undefined && { toolCallId }),
    ...(parentToolCallId !== undefined && { parentToolCallId }),
  })
}

function encoded<Arguments>(
  spec: ToolSpec,
  codec: Pick<Codec<Arguments, unknown>, 'encode'>,
  args: Arguments,
): JsonText {
  try {
    return codec.encode(args)
  } catch (error) {
    throw isCodecError(error) ? new InvalidArgumentsError(spec.id, error.issues, { cause: error }) : error
  }
}

/** Thrown by a call builder whose arguments break a constraint. Lists every issue at once. */
export class InvalidArgumentsError extends Error {
  override readonly name = 'InvalidArgumentsError'
  readonly tool: ToolId
  readonly issues: readonly Issue[]

  constructor(tool: ToolId, issues: readonly Issue[], options?: ErrorOptions) {
    const faults = issues.map((issue) => `  - ${issue.path === '' ? 'arguments' : issue.path}: ${issue.message}`)
    super([`the arguments of '${tool}' are not valid:`, ...faults].join('\n'), options)
    this.tool = tool
    this.issues = Object.freeze([...issues])
  }
}
