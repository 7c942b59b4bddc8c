import { parseUriTemplate } from '@toolgen/runtime/schema'
import { defined } from '../defined.js'
import { type Checked, type Diagnostic, errorAt, warning } from '../diagnostics/diagnostic.js'
import { isDeeper } from '../schema/json-error.js'
import { isObject, type Json, own, type SchemaObject, stringsOf, without } from '../schema/json-schema.js'
import { type McpOrigin, readOrigin } from './origin.js'
import { maxLevels, type ToolSource, textOf, unusableSide } from './tool-source.js'
import { snapshotSources } from './toolset-module.js'

export const mcpServer: ToolSource = {
  subject: 'The server',
  fix: 'Report the problem to the authors of the server',
  rename: 'fromMcp(toolset, { rename: { tool: "name" } })',
}

export interface McpCapture {
  readonly server?: { readonly name: string; readonly version: string }
  readonly tools: readonly CapturedTool[]
  readonly origin?: McpOrigin
  /** Names on the server of the tools whose progress notifications become updates of the tool call. */
  readonly progress?: readonly string[]
  readonly prompts?: readonly CapturedItem[]
  readonly resources?: true
  readonly resourceTemplates?: readonly CapturedItem[]
}

export interface CapturedItem {
  readonly name: string
  readonly raw: SchemaObject
}

export interface CapturedTool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: Json
  readonly outputSchema?: SchemaObject
  readonly annotations: SchemaObject
  readonly raw: SchemaObject
}

/** Accepts a snapshot, a `tools/list` result or its whole JSON-RPC message. */
export function readCapture(captured: unknown, source: string): Checked<McpCapture> {
  const outer = isObject(captured) ? captured : {}
  const result = own(outer, 'result')
  const written = snapshotSources(outer, 'mcp')?.map(([, listed]) => listed)
  const list = written ?? own(isObject(result) ? result : outer, 'tools')
  if (!Array.isArray(list)) {
    const message = `${source} is not a response to \`tools/list\`: it has no array \`tools\`.`
    const next = 'Use JSON such as `{ "tools": [{ "name": "read_file", "inputSchema": { "type": "object" } }] }`.'
    return { diagnostics: [errorAt(undefined, 'TG6001', message, next)] }
  }
  const diagnostics: Diagnostic[] = []
  const tools = list.flatMap((raw: Json, index) => readTool(raw, `Tool ${index + 1} of the list`, diagnostics) ?? [])
  const initialize = own(outer, 'initialize')
  const info = isObject(initialize) ? own(initialize, 'serverInfo') : own(outer, 'server')
  const name = isObject(info) ? textOf(info, 'name') : undefined
  const progress = stringsOf(outer, 'progress')
  const listed = own(outer, 'prompts')
  const capabilities = isObject(initialize) ? own(initialize, 'capabilities') : undefined
  const offersResources = isObject(capabilities) && isObject(own(capabilities, 'resources'))
  const templates = own(outer, 'resourceTemplates')
  const value = defined({
    server: isObject(info) && name !== undefined ? { name, version: textOf(info, 'version') ?? '' } : undefined,
    tools,
    origin: readOrigin(own(outer, 'origin')),
    progress: progress.length > 0 ? progress : undefined,
    prompts: listed === undefined ? undefined : readPrompts(listed, diagnostics),
    resources: own(outer, 'resources') === true || offersResources ? (true as const) : undefined,
    resourceTemplates: templates === undefined ? undefined : readTemplates(templates, diagnostics),
  })
  return { value, diagnostics }
}

function readPrompts(listed: Json, diagnostics: Diagnostic[]): readonly CapturedItem[] {
  return readNamed(isObject(listed) ? own(listed, 'prompts') : listed, 'prompt', diagnostics, (raw) => {
    const args = own(raw, 'arguments') ?? []
    const isUsable = Array.isArray(args) && args.every((each) => isObject(each) && textOf(each, 'name') !== undefined)
    return isUsable ? undefined : 'has an argument without a name'
  })
}

function readTemplates(listed: Json, diagnostics: Diagnostic[]): readonly CapturedItem[] {
  const list = isObject(listed) ? own(listed, 'resourceTemplates') : listed
  return readNamed(list, 'resource template', diagnostics, (raw) => {
    const template = textOf(raw, 'uriTemplate')
    if (template === undefined) return 'has no `uriTemplate`'
    return parseUriTemplate(template) === undefined
      ? `has the URI template \`${template}\`, which is malformed`
      : undefined
  })
}

function readNamed(
  listed: Json | undefined,
  noun: string,
  diagnostics: Diagnostic[],
  problemOf: (raw: SchemaObject) => string | undefined,
): readonly CapturedItem[] {
  const next = `No change is needed in this project. Ask the author of the server to correct the ${noun}.`
  const skip = (message: string): readonly [] => {
    diagnostics.push(warning('TG6014', message, next))
    return []
  }
  const names = new Set<string>()
  const subject = `${noun.slice(0, 1).toUpperCase()}${noun.slice(1)}`
  return (Array.isArray(listed) ? listed : []).flatMap((raw, index) => {
    const name = isObject(raw) ? textOf(raw, 'name') : undefined
    if (!isObject(raw) || name === undefined)
      return skip(`${subject} ${index + 1} of the list has no name and is not imported.`)
    if (names.has(name))
      return skip(`The server lists the ${noun} \`${name}\` more than once. The first one is imported.`)
    names.add(name)
    const problem = problemOf(raw)
    if (problem !== undefined) return skip(`The ${noun} \`${name}\` ${problem} and is not imported.`)
    return [{ name, raw }]
  })
}

function readTool(listed: Json, position: string, diagnostics: Diagnostic[]): CapturedTool | undefined {
  const name = isObject(listed) ? textOf(listed, 'name') : undefined
  if (!isObject(listed) || name === undefined) {
    diagnostics.push(unnamedTool(position))
    return undefined
  }
  const deep = Object.keys(listed).filter((key) => isDeeper(listed[key], maxLevels - 1))
  const why = `it has more than ${maxLevels} nested levels`
  if (deep.includes('inputSchema')) {
    diagnostics.push(unusableSide('arguments', mcpServer, name, why))
    return undefined
  }
  if (deep.includes('outputSchema')) diagnostics.push(unusableSide('result', mcpServer, name, why))
  const blank = textOf(listed, 'title') === undefined ? ['title'] : []
  const raw = without(listed, [...deep, ...blank])
  const [written, output] = [own(raw, 'annotations'), own(raw, 'outputSchema')]
  const annotations = isObject(written) ? written : {}
  return defined({
    name,
    title: textOf(raw, 'title') ?? textOf(annotations, 'title'),
    description: textOf(raw, 'description'),
    inputSchema: own(raw, 'inputSchema') ?? {},
    outputSchema: isObject(output) ? output : undefined,
    annotations,
    raw,
  })
}

export function unnamedTool(position: string): Diagnostic {
  const next = 'No change is needed in this project. Ask the author of the server to name the tool.'
  return warning('TG6014', `${position} has no name and is not imported.`, next)
}
