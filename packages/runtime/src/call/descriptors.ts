import { isCodecError, payloadCodec, resultCodec } from '../codec/codecs.js'
import { exampleOf } from '../schema/examples.js'

import type { Codec, Issue } from '../types/codec.js'
import type { JsonText, JsonValue, StandardCheck } from '../types/json.js'
import type { JsonAdapter, ToolExecutor, ToolsetRegistration, ToolsetUse } from '../types/registration.js'
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

/** Freezes plain data at all levels and returns it. */
export function deepFreeze<Value>(value: Value, seen: Set<unknown> = new Set()): Value {
  if (typeof value !== 'object' || value === null || seen.has(value)) return value
  seen.add(value)
  for (const inner of Object.values(value)) deepFreeze(inner, seen)
  return Object.freeze(value)
}

/** Tool of a registration with everything that its calls need. */
export interface BoundTool {
  /** The id by which calls name it: `<name of the use>.<tool>`. */
  readonly id: ToolId
  readonly spec: AgentToolSpec
  readonly payload: Pick<Codec<never, unknown>, 'decode' | 'decodeValue'>
  readonly result: Pick<Codec<never, unknown>, 'decode' | 'decodeValue' | 'encodeValue'>
  /** Writes an update; absent for a tool that does not stream. */
  readonly updates: Pick<Codec<never, unknown>, 'encodeValue'> | undefined
  /** The fields that the runtime fills, each with its own rule. */
  readonly serverOwned: readonly OwnedField[]
  readonly executor: ToolExecutor
  readonly payloadAdapter: JsonAdapter | undefined
  readonly resultAdapter: JsonAdapter | undefined
  readonly decodeInExecutor: boolean
  readonly check: StandardCheck | undefined
  readonly examples: {
    /** Returns the author's examples that the codec accepts. */
    readonly valid: () => readonly JsonValue[]
    /** Returns an example created from the schema, if that is possible. */
    readonly created: () => JsonValue | undefined
  }
  /** Hints for people over the payload and the result; templates of the registration take precedence. */
  readonly hints: { readonly call: HintTemplate | undefined; readonly result: HintTemplate | undefined }
  readonly telemetryBuilder: TelemetryBuilder | undefined
}

/** A field that the runtime fills, with the codec of its own rule. */
export interface OwnedField extends Pick<ServerOwnedField, 'field' | 'from'> {
  readonly rule: Pick<Codec<never, unknown>, 'decodeValue'>
}

/** Returns the tools of a registration, in the order of the toolset. */
export function boundTools(registration: ToolsetRegistration<never>): readonly BoundTool[] {
  const { use, executor, payloadAdapter, resultAdapter, decodeInExecutor, hints = {}, telemetryBuilder } = registration
  // An own `null`, as plain JavaScript may give it, counts as absent.
  const checks = registration.checks ?? {}
  // A registered toolset gets no more tools.
  Object.freeze(use.toolset.tools)
  return selectedTools(use).map((tool): BoundTool => {
    const { spec, payload, result } = tool
    const { name, updates } = spec
    const ownHints = Object.hasOwn(hints, name) ? hints[name] : undefined
    return {
      id: `${useName(use)}.${name}`,
      spec: agentSpec(use, tool),
      payload,
      result,
      updates: updates === undefined ? undefined : resultCodec({ schema: updates }),
      serverOwned: spec.serverOwned.map(({ field, from, schema }) => ({ field, from, rule: payloadCodec({ schema }) })),
      executor,
      payloadAdapter: payloadAdapter ?? undefined,
      resultAdapter: resultAdapter ?? undefined,
      decodeInExecutor: decodeInExecutor ?? false,
      check: Object.hasOwn(checks, name) ? checks[name] : undefined,
      examples: {
        valid: lazy(() => spec.examples.filter((example) => payload.decodeValue(example).ok)),
        created: lazy(() => exampleOf(spec.arguments)),
      },
      hints: {
        call: templateOf(ownHints?.call ?? spec.callHint),
        result: templateOf(ownHints?.result ?? spec.resultHint),
      },
      telemetryBuilder: telemetryBuilder ?? undefined,
    }
  })
}

function templateOf(template: string | undefined): HintTemplate | undefined {
  return template === undefined ? undefined : hintTemplate(template)
}

/** Returns a function that creates its value on the first call. */
function lazy<Value>(create: () => Value): () => Value {
  let created: { readonly value: Value } | undefined
  return () => {
    created ??= { value: create() }
    return created.value
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
