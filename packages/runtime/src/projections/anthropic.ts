import { pointerOf } from '../schema/json-pointer.js'
import { isFields } from '../schema/json-values.js'
import { namesOf, subschemasOf } from '../schema/keywords.js'
import type { JsonSchemaObject } from '../types/json.js'
import type { ToolSpec } from '../types/tool.js'
import { objectRoot } from './object-root.js'
import type { Projection, ProjectionChange, Report } from './report.js'
import { plainSchema } from './schemas.js'

/** A tool of Anthropic's Messages API. */
export interface AnthropicTool {
  readonly name: string
  readonly description: string
  readonly input_schema: AnthropicInputSchema
}

/** The arguments of a tool of Anthropic's: one object. */
export interface AnthropicInputSchema extends JsonSchemaObject {
  readonly type: 'object'
  readonly required?: string[]
}

/**
 * What the Messages API takes, as its errors say in autumn 2026: JSON Schema 2020-12 whose root is an object
 * ("input_schema does not support oneOf, allOf, or anyOf at the top level"), and field names of 1 to 64 letters, digits,
 * `_`, `.` and `-` ("Property keys should match pattern").
 */
const legalField = /^[a-zA-Z0-9_.-]{1,64}$/

/**
 * A tool for Anthropic's Messages API. The schema stays as it is, except that its root becomes one object. A field
 * whose name the API refuses is reported as a `fallback`: nothing but another name in the design helps.
 *
 * @throws {SchemaError} when the schema of the arguments is faulty.
 * @example
 * const { tool } = anthropicTool(getOrderSpec)
 * await client.messages.create({ model, max_tokens, messages, tools: [tool] })
 */
export function anthropicTool(spec: ToolSpec): Projection<AnthropicTool> {
  const changes: ProjectionChange[] = []
  const report: Report = (change) => changes.push(change)
  const schema = objectRoot(plainSchema(spec.arguments), { vendor: 'Anthropic', report })
  reportNames(schema, '', report)
  return { tool: { name: spec.toolName, description: spec.description, input_schema: inputSchema(schema) }, changes }
}

/** The root with what the API's types say of it; a malformed `required` is none. */
function inputSchema({ required, ...root }: JsonSchemaObject): AnthropicInputSchema {
  const names = namesOf(required)
  return { ...root, type: 'object', ...(names && { required: [...names] }) }
}

function reportNames(schema: unknown, pointer: string, report: Report): void {
  if (!isFields(schema)) return
  for (const [part, ...path] of subschemasOf(schema)) {
    const place = pointer + pointerOf(path)
    const [keyword, name] = path
    if (keyword === 'properties' && !legalField.test(String(name))) {
      const message = `Anthropic refuses the field name ${JSON.stringify(name)}; rename the field.`
      report({ pointer: place, keyword: 'properties', kind: 'fallback', message, loosens: false })
    }
    reportNames(part, place, report)
  }
}

/**
 * Tools for a request to Anthropic's Messages API; see {@link anthropicTool}, which also reports what it changed.
 *
 * @throws {SchemaError} when the schema of some arguments is faulty.
 * @example
 * await client.messages.create({ model, max_tokens, messages, tools: toAnthropicTools(support.specs) })
 */
export function toAnthropicTools(specs: readonly ToolSpec[]): AnthropicTool[] {
  return specs.map((spec) => anthropicTool(spec).tool)
}
