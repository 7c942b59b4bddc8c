import { isContainer, isFields } from '../schema/json-values.js'
import { readDocument } from '../schema/prepare.js'
import type { JsonSchema, JsonSchemaObject } from '../types/json.js'
import type { ToolAnnotations, ToolSpec } from '../types/tool.js'
import type { Projection, ProjectionChange } from './changes.js'
import { objectRoot } from './object-root.js'
import { plainSchema } from './schemas.js'

/** Hints about the effects of a tool. */
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
  const { toolName: name, title, description, arguments: schema, result } = spec
  const changes: ProjectionChange[] = []
  const report = (keyword: string, kind: ProjectionChange['kind'], message: string): void =>
    void changes.push({ pointer: '', keyword, kind, message, loosens: false })
  const isComposed = isFields(schema) && COMPOSITION.some((keyword) => Object.hasOwn(schema, keyword))
  const vendor = 'An MCP client with a model of Anthropic'
  const input = isComposed ? objectRoot(plainSchema(schema), vendor, (change) => changes.push(change)) : schema
  if (!isObjectSchema(schema)) {
    const isOpen = schema === true || (typeof schema === 'object' && !Object.hasOwn(schema, 'type'))
    const message = 'The root says `type: "object"`, as the protocol asks; the schema takes other values too.'
    report('type', isOpen ? 'changed' : 'fallback', message)
  } else if (typeof schema === 'object' && schema.type !== 'object') {
    const message = 'The root says `type: "object"`, as the protocol asks; it took only objects before.'
    report('type', 'changed', message)
  }
  const hasObjectResult = isObjectSchema(result)
  const unpaired = hasObjectResult ? unpairedName(result) : undefined
  if (unpaired !== undefined) {
    const message = `The tool has no \`outputSchema\`: its name ${JSON.stringify(unpaired)} has half of a surrogate pair, with which clients list no tools.`
    report('outputSchema', 'removed', message)
  }
  const annotations = hintsOf(spec.annotations)
  return {
    tool: {
      ...{ name, title, description, inputSchema: asObject(input) },
      ...(hasObjectResult && unpaired === undefined && { outputSchema: asObject(result) }),
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    changes,
  }
}

/** Keywords at the root that become one object. */
const COMPOSITION = ['oneOf', 'anyOf', 'allOf', '$ref']

/** Returns the first key or reference of a schema that is not well-formed Unicode. */
function unpairedName(schema: unknown): string | undefined {
  if (!isContainer(schema)) return undefined
  const keys = Object.keys(schema)
  const names = isFields(schema) && typeof schema.$ref === 'string' ? [...keys, schema.$ref] : keys
  const found = names.find((name) => /\p{Surrogate}/u.test(name))
  if (found !== undefined) return found
  for (const part of Object.values(schema)) {
    const name = unpairedName(part)
    if (name !== undefined) return name
  }
  return undefined
}

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
