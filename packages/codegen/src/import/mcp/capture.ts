import type { Checked } from '../../diagnostics/diagnostic.js'
import { isObject, own, stringsOf } from '../../schema/json/json.js'
import type { Json, SchemaObject } from '../../schema/json/json-schema.js'
import { type McpOrigin, readOrigin } from './origin.js'

/** What an MCP server says of itself and of its tools. */
export interface McpCapture {
  readonly server?: { readonly name: string; readonly version: string }
  readonly tools: readonly CapturedTool[]
  /** Where the server can be asked again, as a snapshot says it. */
  readonly origin?: McpOrigin
  /** The server's names of tools whose progress becomes updates, as a snapshot says it. */
  readonly progress?: readonly string[]
}

/** A tool as `tools/list` answers it. */
export interface CapturedTool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: Json
  readonly outputSchema?: SchemaObject
  readonly annotations: SchemaObject
  /** All of it, as the server sent it. */
  readonly raw: SchemaObject
}

/**
 * Reads what was captured of a server: the answer to `tools/list`, alone or in the envelope of its protocol, with the answer
 * to `initialize` beside it, or what an earlier import has written.
 *
 * @param source what was read, for messages
 */
export function readCapture(captured: unknown, source: string): Checked<McpCapture> {
  const outer = isObject(captured) ? captured : {}
  const result = own(outer, 'result')
  const answer = isObject(result) ? result : outer
  const list = own(answer, 'tools')
  if (!Array.isArray(list)) return { diagnostics: [noList(source, 'It has no list `tools`.')] }
  const tools = list.map(readTool)
  const wrong = tools.indexOf(undefined)
  if (wrong !== -1) return { diagnostics: [noList(source, `The entry ${wrong + 1} of \`tools\` has no name.`)] }
  const server = serverOf(outer)
  const origin = readOrigin(own(outer, 'origin'))
  const progress = stringsOf(outer, 'progress')
  const value: McpCapture = {
    ...(server !== undefined && { server }),
    tools: tools.filter((tool) => tool !== undefined),
    ...(origin !== undefined && { origin }),
    ...(progress.length > 0 && { progress }),
  }
  return { value, diagnostics: [] }
}

function readTool(raw: unknown): CapturedTool | undefined {
  if (!isObject(raw)) return undefined
  const name = textOf(raw, 'name')
  if (name === undefined) return undefined
  const annotations = own(raw, 'annotations')
  const facts = isObject(annotations) ? annotations : {}
  const title = textOf(raw, 'title') ?? textOf(facts, 'title')
  const description = textOf(raw, 'description')
  const output = own(raw, 'outputSchema')
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: own(raw, 'inputSchema') ?? {},
    ...(isObject(output) && { outputSchema: output }),
    annotations: facts,
    raw,
  }
}

function serverOf(outer: SchemaObject): McpCapture['server'] {
  const initialize = own(outer, 'initialize')
  const info = isObject(initialize) ? own(initialize, 'serverInfo') : own(outer, 'server')
  if (!isObject(info)) return undefined
  const name = textOf(info, 'name')
  return name === undefined ? undefined : { name, version: textOf(info, 'version') ?? '' }
}

/** A text that says something. */
function textOf(object: SchemaObject, key: string): string | undefined {
  const value = own(object, key)
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

function noList(source: string, why: string): Checked<McpCapture>['diagnostics'][number] {
  return {
    code: 'TG6001',
    severity: 'error',
    message: `${source} is no answer to \`tools/list\`. ${why}`,
    next: 'Give JSON such as `{ "tools": [{ "name": "read_file", "inputSchema": { "type": "object" } }] }`.',
  }
}
