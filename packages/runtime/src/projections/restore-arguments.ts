import type { JsonText } from '../types/json.js'
import type { JsonAdapter } from '../types/registration.js'
import type { ToolSpec } from '../types/tool.js'
import { strictProjection } from './openai-strict.js'

type ToolArguments = Pick<ToolSpec, 'arguments'>

/**
 * Converts arguments in the strict form of {@link openAiTool} to arguments of the tool. Removes each null that represents an absent optional field.
 * Keeps each null that the schema of the tool accepts. Also keeps nulls inside a value that matches no variant of a union. Changes nothing for a tool
 * that has no strict form. Does not change a text that is not JSON: the codec of the tool later reports the error.
 *
 * Each call of this function prepares the schema again. To prepare the schema only once, use {@link argumentRestorer} or {@link removeStrictNulls}.
 *
 * @throws {SchemaError} if the schema is invalid.
 * @example
 * restoreArguments(getOrderSpec, '{"orderId":"A-1","note":null}') // '{"orderId":"A-1"}' where `note` is optional
 */
export function restoreArguments(spec: ToolArguments, json: JsonText): JsonText {
  return argumentRestorer(spec)(json)
}

/** Returns a function that works like {@link restoreArguments} for one tool. The first call of the returned function prepares the schema. */
export function argumentRestorer(spec: ToolArguments): (json: JsonText) => JsonText {
  let restore: ((json: JsonText) => JsonText) | undefined
  return (json) => {
    restore ??= strictProjection(spec.arguments).strict?.restore ?? ((text) => text)
    return restore(json)
  }
}

/**
 * Creates a function for the registration's option `payloadAdapter` that calls {@link restoreArguments}. Use it for tools that are sent to OpenAI
 * in strict form. The function prepares each schema only once.
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
