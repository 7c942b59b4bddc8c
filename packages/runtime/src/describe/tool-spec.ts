import type { Codec } from '../contract/codec.js'
import type { ToolSpec } from '../contract/spec.js'
import type { ToolId } from '../contract/tool-id.js'

type Said = 'title' | 'description' | 'examples' | 'hash'
type Implied =
  | 'toolset'
  | 'name'
  | 'namespace'
  | 'wireName'
  | 'tags'
  | 'callHint'
  | 'resultHint'
  | 'serverOwned'
  | 'annotations'
  | 'confirmation'
  | 'defaultLayers'

/** What generated code says of a tool; `toolSpec` fills in the rest. */
export interface ToolSpecParts<Id extends ToolId> extends Pick<ToolSpec, Said>, Partial<Pick<ToolSpec, Implied>> {
  readonly id: Id
}

/** What a spec takes of a codec. */
type Described = Pick<Codec<never>, 'schema'>

/**
 * The whole spec of a tool. What is left out follows from the id (`toolset`: up to the first dot, `name`: behind it,
 * `wireName`: both joined by `_`) or is the usual (`namespace`: `default`, no `tags`, no `serverOwned`, no
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
 * }, getOrderPayloadCodec, getOrderResultCodec).wireName // 'orders_getOrder'
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
  const { wireName = `${toolset}_${name}`, tags = [], serverOwned = [], annotations = {} } = parts
  return Object.freeze({
    id,
    toolset,
    name,
    namespace,
    wireName,
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
