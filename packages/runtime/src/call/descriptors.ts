import type { ToolDescriptor, ToolsetDescriptor } from '../types/call.js'
import type { Codec } from '../types/codec.js'
import type { ToolsetUse } from '../types/registration.js'
import type { AgentToolSpec, ToolId, ToolSpec } from '../types/tool.js'
import { BindingError, selectedTools, toolNameIn, useErrors, useName } from './binding-error.js'

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
export function agentSpec(use: ToolsetUse, { spec }: ToolDescriptor): AgentToolSpec {
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
