import { type Fields, isFields } from '../schema/json-values.js'
import type { JsonSchema, JsonSchemaObject } from '../types/json.js'
import type { ToolSpec } from '../types/tool.js'
import type { Projection, ProjectionChange, Report } from './changes.js'
import { typeList } from './merge-schemas.js'
import { objectRoot } from './object-root.js'
import { strictProjection } from './openai-strict.js'
import { mapSubschemas, plainSchema } from './schemas.js'

/** Function tool of OpenAI's Chat Completions API. */
export interface OpenAiTool {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description: string
    readonly parameters: JsonSchemaObject
    readonly strict: boolean
  }
}

/** Options for {@link openAiTool}: the option `strict` enables or disables strict mode. */
export interface OpenAiToolOptions {
  /**
   * Set to `false` to disable strict mode. With `true`, the tool uses strict mode if this mode can express its
   * arguments. Default: `true`.
   */
  readonly strict?: boolean
}

/** Result of {@link openAiTool}: the tool, the changes of its schema, and the property `strict`. */
export interface OpenAiProjection extends Projection<OpenAiTool> {
  /** True if the tool is in strict form. If strict mode was requested but is impossible, `changes` contains the reasons. */
  readonly strict: boolean
}

/**
 * Converts a tool for OpenAI's Chat Completions API, in strict mode if possible. In strict mode, all fields are required, optional fields can be
 * null, and undeclared fields are forbidden. Descriptions contain the rules of unsupported keywords. If strict mode cannot express the tool, `strict`
 * is false, and `changes` contains a change of the kind `fallback` for each reason. Examples of reasons are an object with arbitrary field names, a
 * union at the root, and a schema that exceeds OpenAI's limits.
 *
 * If `strict` is true, pass arguments to {@link restoreArguments} before you decode them.
 *
 * @throws {SchemaError} if the schema of the arguments is invalid.
 * @example
 * const { tool, strict, changes } = openAiTool(getOrderSpec)
 * await client.chat.completions.create({ model, messages, tools: [tool] })
 */
export function openAiTool(spec: ToolSpec, options: OpenAiToolOptions = {}): OpenAiProjection {
  const { strict: isRequested = true } = options
  const projection = isRequested ? strictProjection(spec.arguments) : undefined
  if (projection?.strict !== undefined) {
    return { tool: toolOf(spec, projection.strict.parameters, true), strict: true, changes: projection.changes }
  }
  const changes: ProjectionChange[] = (projection?.changes ?? []).filter((change) => change.kind === 'fallback')
  const report = (change: ProjectionChange): void => void changes.push(change)
  const root = objectRoot(plainSchema(spec.arguments), 'OpenAI', report)
  return { tool: toolOf(spec, withItems(root, '', report), false), strict: false, changes }
}

function toolOf(spec: ToolSpec, parameters: JsonSchemaObject, strict: boolean): OpenAiTool {
  return { type: 'function', function: { name: spec.toolName, description: spec.description, parameters, strict } }
}

/** Function tool of OpenAI's Responses API. */
export type OpenAiResponsesTool = { readonly type: 'function' } & OpenAiTool['function']

/**
 * Converts tools for OpenAI's Chat Completions API. Does not return the list of changes that {@link openAiTool}
 * returns.
 *
 * @throws {SchemaError} if the arguments of a tool have an invalid schema.
 * @example
 * await client.chat.completions.create({ model, messages, tools: toOpenAITools(support.specs) })
 */
export function toOpenAITools(specs: readonly ToolSpec[], options?: OpenAiToolOptions): OpenAiTool[] {
  return specs.map((spec) => openAiTool(spec, options).tool)
}

/**
 * Converts tools for OpenAI's Responses API, like {@link toOpenAITools}.
 *
 * @throws {SchemaError} if the arguments of a tool have an invalid schema.
 * @example
 * await client.responses.create({ model, input, tools: toOpenAIResponsesTools(support.specs) })
 */
export function toOpenAIResponsesTools(specs: readonly ToolSpec[], options?: OpenAiToolOptions): OpenAiResponsesTool[] {
  return toOpenAITools(specs, options).map(({ type, function: described }) => ({ type, ...described }))
}

/** OpenAI rejects arrays without `items` even without strict mode. */
function withItems(schema: Fields, pointer: string, report: Report): Fields {
  const inside = mapSubschemas(schema, pointer, (part, path) => (isFields(part) ? withItems(part, path, report) : part))
  if (!typeList(schema.type).includes('array') || Object.hasOwn(schema, 'items')) return inside
  const message = '`items: {}` is added: OpenAI rejects arrays without `items`.'
  report({ pointer, keyword: 'items', kind: 'changed', message, loosens: false })
  return { ...inside, items: {} }
}

export interface JsonSchemaTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly parameters: JsonSchema
}

/**
 * Converts a tool to an object with its name, title and description, and the JSON Schema of its arguments. From the schema, the function only
 * removes the keyword `x-js`. Use this function for prompts, and for models and frameworks that accept any JSON Schema.
 *
 * @example
 * const { tool } = jsonSchemaTool(getOrderSpec)
 * const prompt = `You may call ${tool.name} with arguments that match ${JSON.stringify(tool.parameters)}.`
 */
export function jsonSchemaTool(spec: ToolSpec): Projection<JsonSchemaTool> {
  const { toolName: name, title, description } = spec
  return { tool: { name, title, description, parameters: plainSchema(spec.arguments) }, changes: [] }
}
