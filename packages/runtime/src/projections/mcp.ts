import { isContainer, isFields } from '../schema/json-values.js'
import { readDocument } from '../schema/prepare.js'
import type { JsonSchema, JsonSchemaObject } from '../types/json.js'
import type { ToolSpec } from '../types/tool.js'
import type { Projection, ProjectionChange } from './changes.js'
import { objectRoot } from './object-root.js'
import { plainSchema } from './schemas.js'

export interface McpToolAnnotations {
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

export interface McpSchema extends JsonSchemaObject {
  readonly type: 'object'
}

/** Tool in a response to `tools/list` of the Model Context Protocol. */
export interface McpTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: McpSchema
  /**
   * JSON Schema of the result. Absent if a result can be a value other than an object, because MCP sends only objects as structured content.
   * {@link mcpTool} lists the other cases in which the schema is absent.
   */
  readonly outputSchema?: McpSchema
  readonly annotations?: McpToolAnnotations
}

/**
 * Converts a tool for `tools/list` of an MCP server. The protocol requires `type: 'object'` at the root of schemas. If the root of the arguments'
 * schema has `oneOf`, `anyOf`, `allOf` or `$ref`, the root becomes one object, as in `anthropicTool`. The reason is that clients send the schema to
 * their model, and Anthropic's API would reject the original schema. The server still validates calls with the original schema.
 *
 * `outputSchema` is omitted in these cases:
 * - The schema contains a name that is not well-formed Unicode. With such a name, clients that use the official SDK could not list the tools.
 * - The tool has a `maxResult`. Shortened results do not match the schema.
 * - The design declares fields of the result that models must not read.
 *
 * @throws {SchemaError} if a schema of the tool is invalid.
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
    const message = 'MCP requires `type: "object"` at the root of the schema, but the schema also accepts other values.'
    report('type', isOpen ? 'changed' : 'fallback', message)
  } else if (typeof schema === 'object' && schema.type !== 'object') {
    const message = 'The root is written as `type: "object"`, as MCP requires.'
    report('type', 'changed', message)
  }
  if (spec.maxResult !== undefined) {
    const message = '`outputSchema` is left out: `maxResult` can shorten the result, which then has another form.'
    report('outputSchema', 'removed', message)
  }
  const isHidden = Object.values(spec.sensitive?.result ?? {}).some(({ model }) => model !== undefined)
  if (isHidden) {
    const message = '`outputSchema` is left out: clients read pseudonyms in the result, which the schema may not allow.'
    report('outputSchema', 'removed', message)
  }
  const hasObjectResult = spec.maxResult === undefined && !isHidden && isObjectSchema(result)
  const unpaired = hasObjectResult ? unpairedName(result) : undefined
  if (unpaired !== undefined) {
    const message = `\`outputSchema\` is left out: it contains the name ${JSON.stringify(unpaired)}, which is not valid Unicode (an unpaired surrogate). Clients could not read the list of tools.`
    report('outputSchema', 'removed', message)
  }
  const annotations = hintsOf(spec)
  return {
    tool: {
      ...{ name, title, description, inputSchema: asObject(input) },
      ...(hasObjectResult && unpaired === undefined && { outputSchema: asObject(result) }),
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    changes,
  }
}

const COMPOSITION = ['oneOf', 'anyOf', 'allOf', '$ref']

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
  const { kinds } = facts.allowed(index.root)
  return kinds !== undefined && kinds.length > 0 && kinds.every((kind) => kind === 'object')
}

function asObject(schema: JsonSchema): McpSchema {
  const plain = plainSchema(schema)
  return typeof plain === 'boolean' ? { type: 'object' } : { ...plain, type: 'object' }
}

function hintsOf({ annotations, reads, writes }: ToolSpec): McpToolAnnotations {
  const { readOnly, idempotent, destructive = writes?.includes('irreversible') || undefined } = annotations
  const isOpen = reads?.includes('untrusted') === true || writes?.includes('external') === true
  const isClosed = reads !== undefined && writes !== undefined && !isOpen
  return {
    ...(readOnly !== undefined && { readOnlyHint: readOnly }),
    ...(destructive !== undefined && { destructiveHint: destructive }),
    ...(idempotent !== undefined && { idempotentHint: idempotent }),
    ...((isOpen || isClosed) && { openWorldHint: isOpen }),
  }
}
