import { readDocument } from '../../codec/evaluate/prepare.js'
import type { JsonSchema, JsonSchemaObject } from '../../contract/json.js'
import type { ToolAnnotations, ToolSpec } from '../../contract/spec.js'
import type { Projection, ProjectionChange } from '../report/change.js'
import { plainSchema } from '../schema/plain-schema.js'

/** What a tool does to the world, in the words of the Model Context Protocol. */
export interface McpToolAnnotations {
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
}

/** A schema whose root is an object. */
export interface McpSchema extends JsonSchemaObject {
  readonly type: 'object'
}

/** A tool as `tools/list` of the Model Context Protocol answers it. */
export interface McpTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: McpSchema
  /** Present where every result is an object: only those can be structured content. */
  readonly outputSchema?: McpSchema
  readonly annotations?: McpToolAnnotations
}

/**
 * A tool for an MCP server's `tools/list`. The protocol takes any JSON Schema 2020-12 that says `type: 'object'` at its
 * root; where the root says it in another way, it is written out.
 *
 * @throws {SchemaError} when a schema of the tool is faulty.
 * @example
 * server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: specs.map((spec) => mcpTool(spec).tool) }))
 */
export function mcpTool(spec: ToolSpec): Projection<McpTool> {
  const { wireName: name, title, description } = spec
  const changes: ProjectionChange[] = []
  const annotations = hintsOf(spec.annotations)
  const output = isObjectSchema(spec.result) ? { outputSchema: asObject(spec.result) } : {}
  const hints = Object.keys(annotations).length > 0 ? { annotations } : {}
  const inputSchema = asObject(spec.arguments)
  if (!isObjectSchema(spec.arguments)) changes.push(notOnlyObjects(spec.arguments))
  else if (typeof spec.arguments === 'object' && spec.arguments.type !== 'object') changes.push(statedType)
  return { tool: { name, title, description, inputSchema, ...output, ...hints }, changes }
}

const statedType: ProjectionChange = {
  pointer: '',
  keyword: 'type',
  kind: 'changed',
  message: 'The root says `type: "object"`, as the protocol asks; it took only objects before.',
  loosens: false,
}

function notOnlyObjects(schema: JsonSchema): ProjectionChange {
  const isOpen = schema === true || (typeof schema === 'object' && !Object.hasOwn(schema, 'type'))
  return {
    pointer: '',
    keyword: 'type',
    kind: isOpen ? 'changed' : 'fallback',
    message: 'The root says `type: "object"`, as the protocol asks; the schema takes other values too.',
    loosens: false,
  }
}

/** Whether nothing but objects satisfies a schema. */
function isObjectSchema(schema: JsonSchema): boolean {
  const { facts, index } = readDocument(schema)
  const { kinds } = facts.admitted(index.root)
  return kinds !== undefined && kinds.length > 0 && kinds.every((kind) => kind === 'object')
}

function asObject(schema: JsonSchema): McpSchema {
  const plain = plainSchema(schema)
  return typeof plain === 'boolean' ? { type: 'object' } : { ...plain, type: 'object' }
}

function hintsOf({ readOnly, destructive, idempotent }: ToolAnnotations): McpToolAnnotations {
  return {
    ...(readOnly !== undefined && { readOnlyHint: readOnly }),
    ...(destructive !== undefined && { destructiveHint: destructive }),
    ...(idempotent !== undefined && { idempotentHint: idempotent }),
  }
}
