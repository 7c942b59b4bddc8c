import { pointerOf } from '../schema/json-pointer.js'
import { isFields } from '../schema/json-values.js'
import { namesOf } from '../schema/keywords.js'
import { subschemasOf } from '../schema/subschemas.js'
import type { JsonSchemaObject } from '../types/json.js'
import type { ToolSpec } from '../types/tool.js'
import type { Projection, ProjectionChange, Report } from './changes.js'
import { objectRoot } from './object-root.js'
import { plainSchema } from './schemas.js'

/** Tool definition of Anthropic's Messages API. */
export interface AnthropicTool {
  readonly name: string
  readonly description: string
  readonly input_schema: AnthropicInputSchema
}

export interface AnthropicInputSchema extends JsonSchemaObject {
  readonly type: 'object'
  readonly required?: string[]
}

/**
 * Matches the field names that the Messages API accepts in autumn 2026. For other names, the API responds "Property keys should match pattern".
 *
 * At the root of a schema, the API rejects three keywords: "input_schema does not support oneOf, allOf, or anyOf at the top level".
 */
const FIELD_NAME = /^[a-zA-Z0-9_.-]{1,64}$/

/**
 * Converts a tool for Anthropic's Messages API. Changes only the root of the arguments' schema, which becomes one object. If the API rejects a
 * field name, `changes` contains a change of the kind `fallback`: rename this field in the design.
 *
 * @throws {SchemaError} if the schema of the arguments is invalid.
 * @example
 * const { tool } = anthropicTool(getOrderSpec)
 * await client.messages.create({ model, max_tokens, messages, tools: [tool] })
 */
export function anthropicTool(spec: ToolSpec): Projection<AnthropicTool> {
  const changes: ProjectionChange[] = []
  const report: Report = (change) => changes.push(change)
  const root = objectRoot(plainSchema(spec.arguments), 'Anthropic', report)
  reportNames(root, '', report)
  // The types of the API require `required` to be an array of strings.
  const { required, ...others } = root
  const names = namesOf(required)
  const schema: AnthropicInputSchema = { ...others, type: 'object', ...(names && { required: [...names] }) }
  return { tool: { name: spec.toolName, description: spec.description, input_schema: schema }, changes }
}

function reportNames(schema: unknown, pointer: string, report: Report): void {
  if (!isFields(schema)) return
  for (const [part, ...path] of subschemasOf(schema)) {
    const location = pointer + pointerOf(path)
    const [keyword, name] = path
    if (keyword === 'properties' && !FIELD_NAME.test(String(name))) {
      const message = `Anthropic rejects the field name ${JSON.stringify(name)}. Rename the field.`
      report({ pointer: location, keyword: 'properties', kind: 'fallback', message, loosens: false })
    }
    reportNames(part, location, report)
  }
}

/**
 * Converts tools for Anthropic's Messages API. Does not return the list of changes that {@link anthropicTool} returns.
 *
 * @throws {SchemaError} if the arguments of a tool have an invalid schema.
 * @example
 * await client.messages.create({ model, max_tokens, messages, tools: toAnthropicTools(support.specs) })
 */
export function toAnthropicTools(specs: readonly ToolSpec[]): AnthropicTool[] {
  return specs.map((spec) => anthropicTool(spec).tool)
}
