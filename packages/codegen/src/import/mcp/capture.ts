import type { Checked, Diagnostic } from '../../diagnostics/diagnostic.js'
import { isObject, own, stringsOf, without } from '../../schema/json/json.js'
import type { Json, SchemaObject } from '../../schema/json/json-schema.js'
import { leftOut, unknownResult } from '../tool-diagnostics.js'
import { type McpOrigin, readOrigin } from './origin.js'
import { mcpServer, unnamedTool } from './tool-diagnostics.js'

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
 * to `initialize` beside it, or what an earlier import has written. A tool without a name is left out, and so are parts that
 * nest too deep for a snapshot; each is a warning.
 *
 * @param source what was read, for messages
 */
export function readCapture(captured: unknown, source: string): Checked<McpCapture> {
  const outer = isObject(captured) ? captured : {}
  const result = own(outer, 'result')
  const answer = isObject(result) ? result : outer
  const list = own(answer, 'tools')
  if (!Array.isArray(list)) return { diagnostics: [noList(source, 'It has no list `tools`.')] }
  const diagnostics: Diagnostic[] = []
  const tools = list.flatMap((raw: Json, index) => readTool(raw, index + 1, diagnostics) ?? [])
  const server = serverOf(outer)
  const origin = readOrigin(own(outer, 'origin'))
  const progress = stringsOf(outer, 'progress')
  const value: McpCapture = {
    ...(server !== undefined && { server }),
    tools,
    ...(origin !== undefined && { origin }),
    ...(progress.length > 0 && { progress }),
  }
  return { value, diagnostics }
}

/** Levels of a tool that fit into a snapshot, whose text nests 200 levels at most. */
const mostLevels = 190

/** @param position of the tool in its list, from 1 */
function readTool(listed: Json, position: number, diagnostics: Diagnostic[]): CapturedTool | undefined {
  const name = isObject(listed) ? textOf(listed, 'name') : undefined
  if (!isObject(listed) || name === undefined) {
    diagnostics.push(unnamedTool(`The tool ${position} of the list`))
    return undefined
  }
  const deep = Object.keys(listed).filter((key) => isDeeper(listed[key], mostLevels - 1))
  const why = `it nests more than ${mostLevels} levels deep`
  if (deep.includes('inputSchema')) {
    diagnostics.push(leftOut(mcpServer, name, why))
    return undefined
  }
  if (deep.includes('outputSchema')) diagnostics.push(unknownResult(mcpServer, name, why))
  const raw = without(listed, deep)
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

/** Returns whether a value holds values within each other over more than some levels. */
function isDeeper(value: Json | undefined, levels: number): boolean {
  let inside = [value]
  for (let level = 0; inside.length > 0; level += 1) {
    const containers = inside.filter((each) => typeof each === 'object' && each !== null)
    if (containers.length > 0 && level === levels) return true
    inside = containers.flatMap((each) => Object.values(each))
  }
  return false
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
