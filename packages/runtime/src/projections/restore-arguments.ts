import type { JsonText } from '../types/json.js'
import type { JsonAdapter } from '../types/registration.js'
import type { ToolSpec } from '../types/tool.js'
import { strictProjection } from './openai-strict.js'

/** The part of a tool that is read. */
type ToolArguments = Pick<ToolSpec, 'arguments'>

/**
 * Converts arguments that a model wrote for {@link openAiTool}'s strict form to those of the tool: removes each null that
 * stands for an absent optional field. Everything else stays: nulls that the tool's own schema accepts, nulls of a tool that
 * is not sent in strict form, and nulls in a value that fits no variant of a union. If nothing is removed, and if the text is
 * not JSON, it is returned as it is: the codec reports what is wrong with it.
 *
 * Prepares the schema at every call; {@link argumentRestorer} and {@link removeStrictNulls} prepare it once.
 *
 * @throws {SchemaError} when the schema itself is faulty.
 * @example
 * restoreArguments(getOrderSpec, '{"orderId":"A-1","note":null}') // '{"orderId":"A-1"}' where `note` is optional
 */
export function restoreArguments(spec: ToolArguments, json: JsonText): JsonText {
  return argumentRestorer(spec)(json)
}

/** Returns {@link restoreArguments} for one tool. The first call prepares the schema. */
export function argumentRestorer(spec: ToolArguments): (json: JsonText) => JsonText {
  let restore: ((json: JsonText) => JsonText) | undefined
  return (json) => {
    restore ??= strictProjection(spec.arguments).strict?.restore ?? ((text) => text)
    return restore(json)
  }
}

/**
 * Returns a payload adapter for the toolsets of an agent whose tools are sent to OpenAI in strict form. Prepares every tool
 * once.
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
