import { isFields } from '../schema/json-values.js'
import { readDocument } from '../schema/prepare.js'
import type { JsonSchema, JsonSchemaObject } from '../types/json.js'
import type { ToolAnnotations, ToolSpec } from '../types/tool.js'
import { objectRoot } from './object-root.js'
import type { Projection, ProjectionChange } from './report.js'
import { plainSchema } from './schemas.js'

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
 * Returns a tool for an MCP server's `tools/list`. The protocol asks for `type: 'object'` at the root of a schema; where the
 * root says it in another way, it is written out. `oneOf`, `anyOf`, `allOf` and `$ref` at the root of the arguments become one
 * object, as in `anthropicTool`: clients pass the schema on to their model's API, and Anthropic's refuses the whole request
 * otherwise. A server still validates calls with the whole schema. `outputSchema` is left out where it has a name that is not
 * well-formed Unicode, with which clients on the official SDK cannot list the tools.
 *
 * @throws {SchemaError} when a schema of the tool is faulty.
 * @example
 * server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: specs.map((spec) => mcpTool(spec).tool) }))
 */
export function mcpTool(spec: ToolSpec): Projection<McpTool> {
  const { toolName: name, title, description } = spec
  const changes: ProjectionChange[] = []
  const annotations = hintsOf(spec.annotations)
  const unlisted = isObjectSchema(spec.result) ? unpairedName(spec.result) : undefined
  const output = isObjectSchema(spec.result) && unlisted === undefined ? { outputSchema: asObject(spec.result) } : {}
  const hints = Object.keys(annotations).length > 0 ? { annotations } : {}
  const { arguments: schema } = spec
  const isComposed = isFields(schema) && composition.some((name) => Object.hasOwn(schema, name))
  const inputSchema = isComposed
    ? asObject(objectRoot(plainSchema(schema), { vendor, report: (change) => changes.push(change) }))
    : asObject(schema)
  if (!isObjectSchema(schema)) changes.push(notOnlyObjects(schema))
  else if (typeof schema === 'object' && schema.type !== 'object') changes.push(statedType)
  if (unlisted !== undefined) changes.push(unlistedResult(unlisted))
  return { tool: { name, title, description, inputSchema, ...output, ...hints }, changes }
}

/** Keywords at the root that become one object. */
const composition: readonly string[] = ['oneOf', 'anyOf', 'allOf', '$ref']

/** Subject of the sentences about them. */
const vendor = 'An MCP client with a model of Anthropic'

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

function unlistedResult(name: string): ProjectionChange {
  return {
    pointer: '',
    keyword: 'outputSchema',
    kind: 'removed',
    message: `The tool has no \`outputSchema\`: its name ${JSON.stringify(name)} has half of a surrogate pair, with which clients list no tools.`,
    loosens: false,
  }
}

/** Returns the first key or reference of a schema that is not well-formed Unicode. */
function unpairedName(schema: unknown): string | undefined {
  if (Array.isArray(schema)) {
    for (const part of schema) {
      const found = unpairedName(part)
      if (found !== undefined) return found
    }
    return undefined
  }
  if (!isFields(schema)) return undefined
  const names = [...Object.keys(schema), ...(typeof schema.$ref === 'string' ? [schema.$ref] : [])]
  return names.find((name) => /\p{Surrogate}/u.test(name)) ?? unpairedName(Object.values(schema))
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
