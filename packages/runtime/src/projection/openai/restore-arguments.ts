import { MAX_DEPTH } from '../../codec/json/depth.js'
import { isContainer } from '../../codec/json/kind.js'
import { parseJson } from '../../codec/json/parse.js'
import type { JsonText } from '../../contract/json.js'
import type { JsonAdapter } from '../../contract/registration.js'
import type { ToolSpec } from '../../contract/spec.js'
import { nullRemover } from './remove-nulls.js'
import { strictProjection } from './strict-projection.js'

/** What is read of a tool. */
type ToolArguments = Pick<ToolSpec, 'arguments'>

/**
 * Turns arguments that a model wrote under {@link openAiTool}'s strict form back into those that the tool takes: where
 * the strict form lets null stand for an optional field that is left out, the null is removed. Nothing else is touched:
 * not a null that the tool's own schema allows, nor any of a tool that is not sent in strict form, nor one in a value
 * that fits no variant of a union. Where nothing is removed, and where the text is not JSON, it is returned as it is:
 * the codec says what is wrong with it.
 *
 * Prepares the schema at every call; see {@link argumentRestorer} and {@link removeStrictNulls}.
 *
 * @throws {SchemaError} when the schema itself is faulty.
 * @example
 * restoreArguments(getOrderSpec, '{"orderId":"A-1","note":null}') // '{"orderId":"A-1"}' where `note` is optional
 */
export function restoreArguments(spec: ToolArguments, json: JsonText): JsonText {
  return argumentRestorer(spec)(json)
}

/** {@link restoreArguments} for one tool, whose schema is prepared once, when the first call needs it. */
export function argumentRestorer(spec: ToolArguments): (json: JsonText) => JsonText {
  let restore: ((json: JsonText) => JsonText) | undefined
  return (json) => {
    restore ??= restorer(spec)
    return restore(json)
  }
}

/**
 * A payload adapter for the toolsets of an agent whose tools are sent to OpenAI in strict form. Every tool is prepared
 * once.
 *
 * @example
 * newSupportOrdersToolsetRegistration(executor, { payloadAdapter: removeStrictNulls() })
 */
export function removeStrictNulls(): JsonAdapter {
  const known = new WeakMap<object, (json: JsonText) => JsonText>()
  return (json, { tool }) => {
    const restore = known.get(tool) ?? argumentRestorer(tool)
    known.set(tool, restore)
    return restore(json)
  }
}

function restorer(spec: ToolArguments): (json: JsonText) => JsonText {
  const { strict } = strictProjection(spec.arguments)
  if (strict?.plan === undefined) return (json) => json
  const removeNulls = nullRemover({ ...strict, plan: strict.plan })
  return (json) => {
    const parsed = parseJson(json)
    if (!parsed.ok || isDeeperThan(parsed.value, MAX_DEPTH)) return json
    return removeNulls(parsed.value) ? JSON.stringify(parsed.value) : json
  }
}

function isDeeperThan(value: unknown, levels: number): boolean {
  return isContainer(value) && (levels === 0 || Object.values(value).some((part) => isDeeperThan(part, levels - 1)))
}
