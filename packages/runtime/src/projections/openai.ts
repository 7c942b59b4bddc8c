import { type Fields, isFields } from '../schema/json-values.js'
import type { JsonSchema, JsonSchemaObject } from '../types/json.js'
import type { ToolSpec } from '../types/tool.js'
import type { Projection, ProjectionChange, Report } from './changes.js'
import { typeList } from './merge-schemas.js'
import { objectRoot } from './object-root.js'
import { strictProjection } from './openai-strict.js'
import { mapSubschemas, plainSchema } from './schemas.js'

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

/** Options of {@link openAiTool}. */
export interface OpenAiToolOptions {
  /** Uses strict mode if it can express the tool. Default `true`. */
  readonly strict?: boolean
}

/** A tool for OpenAI. */
export interface OpenAiProjection extends Projection<OpenAiTool> {
  /** `true` for a tool in strict form; otherwise the changes explain why not, if it was requested. */
  readonly strict: boolean
}

/**
 * Returns a tool for OpenAI's chat completions, in strict mode if that can express it: every field is required, optional
 * ones may be null, objects are closed, and descriptions replace the keywords that the mode does not support. A tool that
 * strict mode cannot express (free-form objects, a union as root, a schema beyond its limits) has `strict: false`, with a
 * `fallback` for every reason.
 *
 * Pass the arguments of a model in strict form to {@link restoreArguments} before they are decoded.
 *
 * @throws {SchemaError} when the schema of the arguments is faulty.
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

/** A function tool of OpenAI's Responses API. */
export type OpenAiResponsesTool = { readonly type: 'function' } & OpenAiTool['function']

/**
 * Returns tools for a request to OpenAI's chat completions; {@link openAiTool} also reports the changes.
 *
 * @throws {SchemaError} when the schema of some arguments is faulty.
 * @example
 * await client.chat.completions.create({ model, messages, tools: toOpenAITools(support.specs) })
 */
export function toOpenAITools(specs: readonly ToolSpec[], options?: OpenAiToolOptions): OpenAiTool[] {
  return specs.map((spec) => openAiTool(spec, options).tool)
}

/**
 * Returns the same tools for a request to OpenAI's Responses API.
 *
 * @throws {SchemaError} when the schema of some arguments is faulty.
 * @example
 * await client.responses.create({ model, input, tools: toOpenAIResponsesTools(support.specs) })
 */
export function toOpenAIResponsesTools(specs: readonly ToolSpec[], options?: OpenAiToolOptions): OpenAiResponsesTool[] {
  return toOpenAITools(specs, options).map(({ type, function: described }) => ({ type, ...described }))
}

/** Adds `items` to arrays without it: OpenAI refuses these, in strict mode or not. */
function withItems(schema: Fields, pointer: string, report: Report): Fields {
  const inside = mapSubschemas(schema, pointer, (part, path) => (isFields(part) ? withItems(part, path, report) : part))
  if (!typeList(schema.type).includes('array') || Object.hasOwn(schema, 'items')) return inside
  report({
    pointer,
    keyword: 'items',
    kind: 'changed',
    message: 'The array takes any items, which is written out as `items: {}`: OpenAI refuses arrays without it.',
    loosens: false,
  })
  return { ...inside, items: {} }
}

/** A tool with its arguments as plain JSON Schema 2020-12. */
export interface JsonSchemaTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly parameters: JsonSchema
}

/**
 * Returns a tool with its JSON Schema unchanged: for prompts, open models and other frameworks.
 *
 * @example
 * const { tool } = jsonSchemaTool(getOrderSpec)
 * const prompt = `You may call ${tool.name} with arguments that match ${JSON.stringify(tool.parameters)}.`
 */
export function jsonSchemaTool(spec: ToolSpec): Projection<JsonSchemaTool> {
  const { toolName: name, title, description } = spec
  return { tool: { name, title, description, parameters: plainSchema(spec.arguments) }, changes: [] }
}
