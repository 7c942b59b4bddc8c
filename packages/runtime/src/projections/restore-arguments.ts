import type { JsonText } from '../types/json.js'
import type { JsonAdapter } from '../types/registration.js'
import type { ToolSpec } from '../types/tool.js'
import { strictProjection } from './openai-strict.js'

type ToolArguments = Pick<ToolSpec, 'arguments'>

/**
 * Converts arguments in {@link openAiTool}'s strict form to those of the tool: removes each null that means an absent
 * optional field. Other nulls are kept: those that the tool's schema accepts, those of tools that are not sent in
 * strict form, and those in values that match no variant of a union. Text that is not JSON is returned unchanged; the
 * codec reports the error.
 *
 * Prepares the schema at every call. {@link argumentRestorer} and {@link removeStrictNulls} prepare it once.
 *
 * @throws {SchemaError} if the schema is invalid.
 * @example
 * restoreArguments(getOrderSpec, '{"orderId":"A-1","note":null}') // '{"orderId":"A-1"}' where `note` is optional
 */
export function restoreArguments(spec: ToolArguments, json: JsonText): JsonText {
  return argumentRestorer(spec)(json)
}

/** Returns {@link restoreArguments} for one tool. Prepares the schema at the first call. */
export function argumentRestorer(spec: ToolArguments): (json: JsonText) => JsonText {
  let restore: ((json: JsonText) => JsonText) | undefined
  return (json) => {
    restore ??= strictProjection(spec.arguments).strict?.restore ?? ((text) => text)
    return restore(json)
  }
}

/**
 * Creates a payload adapter for agents whose tools are sent to OpenAI in strict form. Prepares every tool once.
 *
 * @example
 * newSupportOrdersToolsetRegistration(executor, { payloadAdapter: removeStrictNulls() })
 */
export function removeStrictNulls(): JsonAdapter {
  const restorers = new WeakMap<object, (json: JsonText) => JsonText>()
  return (json, { tool }) => {
    const restore = restorers.get(tool) ?? argumentRestorer(tool)
    restorers.set(tool, restore)
    return restore(json)
  }
}
