import { isFields } from '../../codec/json/kind.js'
import type { JsonSchemaObject } from '../../contract/json.js'
import type { ToolSpec } from '../../contract/spec.js'
import type { Projection, ProjectionChange } from '../report/change.js'
import { objectRoot } from '../schema/object-root.js'
import { plainSchema } from '../schema/plain-schema.js'
import { strictProjection } from './strict-projection.js'
import { withItems } from './with-items.js'

/** A function tool of OpenAI's chat completions. */
export interface OpenAiTool {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description: string
    readonly parameters: JsonSchemaObject
    readonly strict: boolean
  }
}

/** How a tool is sent. */
export interface OpenAiToolOptions {
  /** Ask for strict mode where the tool can be said in it. Default true. */
  readonly strict?: boolean
}

/** A tool for OpenAI. */
export interface OpenAiProjection extends Projection<OpenAiTool> {
  /** Whether the tool is sent in strict form; the changes say why not, where that was asked for. */
  readonly strict: boolean
}

/**
 * A tool for OpenAI's chat completions, in strict mode where that can say it: every field is required, optional ones
 * may be null, objects are closed, and what the mode has no keyword for stands in the descriptions. A tool that strict
 * mode cannot say (free-form objects, a union as root, a schema beyond its limits) is sent with `strict: false`, with a
 * `fallback` for every reason.
 *
 * What a model answers in strict form goes through {@link restoreArguments} before it is decoded.
 *
 * @throws {SchemaError} when the schema of the arguments is faulty.
 * @example
 * const { tool, strict, changes } = openAiTool(getOrderSpec)
 * await client.chat.completions.create({ model, messages, tools: [tool] })
 */
export function openAiTool(spec: ToolSpec, options: OpenAiToolOptions = {}): OpenAiProjection {
  const { strict: asked = true } = options
  const projection = asked ? strictProjection(spec.arguments) : undefined
  if (projection?.strict !== undefined) {
    return { tool: toolOf(spec, projection.strict.parameters, true), strict: true, changes: projection.changes }
  }
  const changes: ProjectionChange[] = (projection?.changes ?? []).filter((change) => change.kind === 'fallback')
  const report = (change: ProjectionChange): void => void changes.push(change)
  const root = objectRoot(plainSchema(spec.arguments), { vendor: 'OpenAI', report })
  const parameters = withItems(root, '', report)
  return { tool: toolOf(spec, isFields(parameters) ? parameters : root, false), strict: false, changes }
}

function toolOf(spec: ToolSpec, parameters: JsonSchemaObject, strict: boolean): OpenAiTool {
  return { type: 'function', function: { name: spec.wireName, description: spec.description, parameters, strict } }
}
