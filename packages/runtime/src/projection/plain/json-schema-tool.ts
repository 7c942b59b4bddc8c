import type { JsonSchema } from '../../contract/json.js'
import type { ToolSpec } from '../../contract/spec.js'
import type { Projection } from '../report/change.js'
import { plainSchema } from '../schema/plain-schema.js'

/** A tool with its arguments as plain JSON Schema 2020-12. */
export interface JsonSchemaTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly parameters: JsonSchema
}

/**
 * A tool for whoever takes JSON Schema as it is: prompts, open models, other frameworks. Nothing of the schema is
 * changed.
 *
 * @example
 * const { tool } = jsonSchemaTool(getOrderSpec)
 * const prompt = `You may call ${tool.name} with arguments that match ${JSON.stringify(tool.parameters)}.`
 */
export function jsonSchemaTool(spec: ToolSpec): Projection<JsonSchemaTool> {
  const { wireName: name, title, description } = spec
  return { tool: { name, title, description, parameters: plainSchema(spec.arguments) }, changes: [] }
}
