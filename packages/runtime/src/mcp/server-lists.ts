import { byteLength, isBase64 } from '../call/content.js'
import { FAILURE_META, FAILURES_META } from '../call/declared-failure.js'
import { peek } from '../call/tool-failure.js'
import { isContainer, isFields } from '../schema/json-values.js'
import type { JsonObject } from '../types/json.js'
import type {
  McpPrompt,
  McpPromptArgument,
  McpResource,
  McpResourceContents,
  McpResourceTemplate,
  McpToolInfo,
  McpToolResult,
} from '../types/mcp.js'
import { McpCallError } from './mcp-call-error.js'

const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/
const HEADER_TYPES: readonly unknown[] = ['string', 'integer', 'boolean']
const SCHEMA_MAPS = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']
const DATA_KEYWORDS = ['const', 'default', 'enum', 'examples']

/**
 * With the keyword `x-mcp-header`, a server requires that clients also send an argument as an HTTP header. The header must have a valid, unique name.
 * The argument must be a string, integer or boolean in a property of the root object or of a nested object. The function is not recursive, so that a
 * deeply nested schema does not exhaust the call stack.
 */
export function headersIn(root: unknown): 'none' | 'valid' | 'invalid' {
  const names = new Set<string>()
  const remaining: { readonly schema: unknown; readonly isProperty: boolean }[] = [{ schema: root, isProperty: false }]
  for (let next = remaining.pop(); next !== undefined; next = remaining.pop()) {
    const { schema, isProperty } = next
    if (!isFields(schema)) continue
    const header = schema['x-mcp-header']
    if (header !== undefined) {
      const name = String(header).toLowerCase()
      const isNamed = typeof header === 'string' && HEADER_NAME.test(header) && !names.has(name)
      if (!isNamed || !isProperty || !HEADER_TYPES.includes(schema.type)) return 'invalid'
      names.add(name)
    }
    for (const [keyword, part] of Object.entries(schema)) {
      if (DATA_KEYWORDS.includes(keyword) || !isContainer(part)) continue
      const isChild = keyword === 'properties' && (isProperty || schema === root)
      const parts = Array.isArray(part) || SCHEMA_MAPS.includes(keyword) ? Object.values(part) : [part]
      for (const each of parts) remaining.push({ schema: each, isProperty: isChild })
    }
  }
  return names.size === 0 ? 'none' : 'valid'
}

/** A server could forge this property, which the client sets only after it has validated the questions. */
export function withoutQuestions({ inputRequired, ...result }: McpToolResult): McpToolResult {
  return result
}

/** From protocol 2026-07-28 on, the metadata of each result repeats the name of the server. */
export function callResult(answer: McpToolResult): McpToolResult {
  const { _meta, ...result } = withoutQuestions(answer)
  const failure = result.isError === true ? peek(_meta, FAILURE_META) : undefined
  return failure === undefined ? result : { ...result, _meta: { [FAILURE_META]: failure } }
}

const MAX_PAGES = 1_000

type PageRequest = (cursor: string | undefined) => Promise<object>

async function listedItems(page: PageRequest, key: string, noun: string): Promise<readonly unknown[]> {
  const items: unknown[] = []
  let cursor: string | undefined
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const answer: object = await page(cursor)
    const listed: unknown = Object.hasOwn(answer, key) ? Reflect.get(answer, key) : undefined
    if (!Array.isArray(listed)) throw malformed(`the response has no ${noun} list`)
    items.push(...listed)
    const next: unknown = 'nextCursor' in answer ? answer.nextCursor : undefined
    if (typeof next !== 'string' || next === '') return items
    if (next === cursor) throw malformed(`a page of the ${noun} list refers to itself as the next page`)
    cursor = next
  }
  throw malformed(`the ${noun} list has more than ${MAX_PAGES} pages`)
}

export async function listedTools(
  page: PageRequest,
  onSkippedTool: (error: McpCallError) => void,
): Promise<readonly McpToolInfo[]> {
  const items = await listedItems(page, 'tools', 'tool')
  return items.flatMap((item, index) => {
    const tool = toolInfo(item)
    if (tool === undefined) onSkippedTool(malformed(`the tool ${index + 1} of the list has no name and is skipped`))
    return tool ?? []
  })
}

function toolInfo(tool: unknown): McpToolInfo | undefined {
  if (!isFields(tool) || typeof tool.name !== 'string' || tool.name.trim() === '') return undefined
  const { name, inputSchema, outputSchema, annotations, _meta: meta } = tool
  return {
    name,
    inputSchema: isFields(inputSchema) ? inputSchema : true,
    ...strings(tool, 'title', 'description'),
    ...(isFields(outputSchema) && { outputSchema }),
    // The value was parsed from JSON.
    ...(isFields(annotations) && { annotations: annotations as JsonObject }),
    ...(isFields(meta) &&
      isFields(meta[FAILURES_META]) && { _meta: { [FAILURES_META]: meta[FAILURES_META] as JsonObject } }),
  }
}

export async function listedResources(page: PageRequest): Promise<readonly McpResource[]> {
  const items = await listedItems(page, 'resources', 'resource')
  return items.map((item, index): McpResource => {
    if (!isFields(item) || typeof item.uri !== 'string') throw malformed(`resource ${index + 1} of the list has no URI`)
    const { uri, name, size } = item
    return {
      uri,
      name: typeof name === 'string' ? name : uri,
      ...strings(item, 'title', 'description', 'mimeType'),
      ...(typeof size === 'number' && { size }),
    }
  })
}

export async function listedResourceTemplates(page: PageRequest): Promise<readonly McpResourceTemplate[]> {
  const items = await listedItems(page, 'resourceTemplates', 'resource template')
  return items.map((item, index): McpResourceTemplate => {
    if (!isFields(item) || typeof item.uriTemplate !== 'string')
      throw malformed(`resource template ${index + 1} of the list has no URI template`)
    const { uriTemplate, name } = item
    return {
      uriTemplate,
      name: typeof name === 'string' ? name : uriTemplate,
      ...strings(item, 'title', 'description', 'mimeType'),
    }
  })
}

export async function listedPrompts(page: PageRequest): Promise<readonly McpPrompt[]> {
  const items = await listedItems(page, 'prompts', 'prompt')
  return items.map((item, index): McpPrompt => {
    const subject = `prompt ${index + 1} of the list`
    if (!isFields(item) || typeof item.name !== 'string') throw malformed(`${subject} has no name`)
    const { name, arguments: listed = [] } = item
    if (!Array.isArray(listed)) throw malformed(`${subject} has arguments that are not an array`)
    return {
      name,
      ...strings(item, 'title', 'description'),
      arguments: listed.map((argument: unknown): McpPromptArgument => {
        if (isFields(argument) && typeof argument.name === 'string')
          return {
            name: argument.name,
            ...strings(argument, 'description'),
            ...(argument.required === true && { required: true }),
          }
        throw malformed(`${subject} has an argument without a name`)
      }),
    }
  })
}

export function resourceContents(uri: string, answer: object, maxBytes: number): readonly McpResourceContents[] {
  const listed: unknown = 'contents' in answer ? answer.contents : undefined
  if (!Array.isArray(listed)) throw malformed(`the response for the resource '${uri}' has no contents`)
  let bytes = 0
  const contents = listed.map((item: unknown): McpResourceContents => {
    if (!isFields(item)) throw malformed(`the contents of the resource '${uri}' are not objects`)
    const { text, blob } = item
    const facts = { uri: typeof item.uri === 'string' ? item.uri : uri, ...strings(item, 'mimeType') }
    const data = typeof text === 'string' ? text : blob
    if (typeof data !== 'string') throw malformed(`the resource '${uri}' has neither \`text\` nor \`blob\``)
    if (data === blob && !isBase64(blob)) throw malformed(`\`blob\` of the resource '${uri}' is not base64`)
    bytes += data === blob ? byteLength(blob) : Buffer.byteLength(data)
    return data === blob ? { ...facts, type: 'blob', blob } : { ...facts, type: 'text', text: data }
  })
  if (bytes <= maxBytes) return contents
  const message = `the resource '${uri}' has ${bytes} bytes, more than \`maxBytes\` (${maxBytes}). Set a higher \`maxBytes\` to read it`
  throw new McpCallError('too_large', message)
}

function strings<Key extends string>(item: object, ...keys: readonly Key[]): { readonly [Name in Key]?: string } {
  const values: { [Name in Key]?: string } = {}
  for (const key of keys) {
    const value: unknown = Reflect.get(item, key)
    if (typeof value === 'string') values[key] = value
  }
  return values
}

export function malformed(message: string): McpCallError {
  return new McpCallError('malformed', message)
}
