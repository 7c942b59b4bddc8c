import { equalityKey } from '@toolgen/runtime/schema'
import { defined, elementAt } from '../defined.js'
import { type Checked, type Diagnostic, errorAt, warning } from '../diagnostics/diagnostic.js'
import { unknownNameAt } from '../diagnostics/near-names.js'
import { isFailureName } from '../ir/name-rules.js'
import { importedToolNames } from '../ir/tool-names.js'
import { isObject, objectFrom, own, type SchemaObject } from '../schema/json-schema.js'
import { suggestedFacts } from './data-flow.js'
import { type CapturedTool, type McpCapture, mcpServer, readCapture } from './mcp-capture.js'
import { type McpOrigin, secretIn } from './origin.js'
import { toolListChanges } from './tool-list-changes.js'
import { usableSchema } from './tool-schemas.js'
import { renamed, undescribed } from './tool-source.js'
import { noImport, type SourceTool, snapshotImport, sourceTools, type ToolsetImport } from './toolset-module.js'

interface McpImportOptions {
  readonly captured: unknown
  readonly source: string
  /** The snapshot never contains a command or URL with a secret. */
  readonly origin?: McpOrigin
  readonly progress?: readonly string[]
  readonly earlier?: McpCapture
}

/** The files are identical if the same tools come from a snapshot. */
export function importMcp(toolset: string, { captured, source, earlier, ...options }: McpImportOptions): ToolsetImport {
  const { value: capture, diagnostics } = readCapture(captured, source)
  if (capture === undefined) return noImport(diagnostics)
  const { origin = capture.origin, progress = capture.progress ?? [] } = options
  const secret = origin === undefined ? undefined : secretIn(origin)
  const imported = importTools(capture, toolset, progress)
  const tools = imported.value.flatMap(({ declared }) => declared ?? [])
  const found = [...diagnostics, ...imported.diagnostics]
  if (tools.length === 0) {
    const next =
      'If warnings name skipped tools, correct these tools on the server. Otherwise import from another server.'
    const message = `${source} lists no tool that can be imported. Nothing was written.`
    return noImport([...found, errorAt(undefined, 'TG6001', message, next)])
  }
  if (secret !== undefined) {
    const message = `The snapshot does not record the server of \`${toolset}\`: \`${secret}\` looks like a secret.`
    const next = "Import again with an environment variable instead, in single quotes: `'${SECRET}'`."
    found.push(warning('TG6007', message, next))
  }
  const { server, resourceTemplates: templates = [] } = capture
  const recorded = {
    ...(origin !== undefined && secret === undefined && { origin: { ...origin } }),
    ...(progress.length > 0 && { progress }),
    ...(server !== undefined && { server: { ...server } }),
    ...(capture.prompts !== undefined && { prompts: capture.prompts.map(({ raw }) => raw) }),
    ...(capture.resources === true && { resources: true }),
    ...(templates.length > 0 && { resourceTemplates: templates.map(({ raw }) => raw) }),
  }
  const description = `Tools of ${server === undefined ? 'an MCP server' : `the MCP server ${server.name}`}.`
  const content = { description, tools: sourceTools('mcp', imported.value) }
  return snapshotImport(
    { kind: 'mcp', name: toolset, recorded, tools, content },
    toolListChanges(earlier?.tools, capture.tools),
    found,
  )
}

export function importTools(
  { tools: listed }: McpCapture,
  toolset: string,
  progress: readonly string[],
): Required<Checked<readonly SourceTool[]>> {
  const known = listed.map(({ name }) => name)
  const diagnostics: Diagnostic[] = progress
    .filter((name) => !known.includes(name))
    .map((name) => {
      const message = `Unknown tool \`${name}\` in --progress.`
      return unknownNameAt(undefined, 'TG0001', message, name, known, `Tools of the server: ${known.join(', ')}.`)
    })
  const report = (diagnostic: Diagnostic): void => {
    diagnostics.push(diagnostic)
  }
  const once = new Map<string, CapturedTool>()
  for (const tool of listed) {
    const { name } = tool
    const message = `The server lists \`${name}\` more than once. The first one is imported.`
    if (once.has(name)) report(warning('TG6002', message, 'Report the problem to the authors of the server.'))
    else once.set(name, tool)
  }
  const locals = importedToolNames([...once.keys()])
  const toolNames = importedToolNames([...once.keys()].map((name) => `${toolset}_${name}`))
  const failuresByName = new Map<string, string>()
  const value = [...once.values()].map((captured, index): SourceTool => {
    const { name, title, description, inputSchema, outputSchema, annotations, raw: source } = captured
    const [{ tool }, { toolName }] = [elementAt(locals, index), elementAt(toolNames, index)]
    const payload = usableSchema('arguments', name, inputSchema, mcpServer, report)
    if (payload === undefined) return { tool, source }
    const result = (outputSchema && usableSchema('result', name, outputSchema, mcpServer, report)) ?? true
    if (description === undefined) report(undescribed(mcpServer, name))
    if (requiresTask(captured)) {
      const message = `The server runs \`${name}\` only as a task of protocol 2025-11-25, which toolgen does not support: the server will reject every call.`
      const next = `Leave the tool out of the toolset: \`importedToolset(snapshot, { omit: ['${tool}'] })\`.`
      report(warning('TG6012', message, next))
    }
    const wanted = `${toolset}_${name}`
    if (toolName !== wanted) report(renamed(mcpServer, name, wanted, toolName))
    const hinted = (hint: string): boolean | undefined => {
      const value = own(annotations, hint)
      return typeof value === 'boolean' ? value : undefined
    }
    const flags = {
      readOnly: hinted('readOnlyHint'),
      destructive: hinted('destructiveHint'),
      idempotent: hinted('idempotentHint'),
    }
    const failures = servedFailures(source, failuresByName)
    const facts = {
      ...(failures !== undefined && { failures }),
      ...(progress.includes(name) && { streaming: { updates: progressSchema } }),
      ...defined(flags),
      ...suggestedFacts({ names: [name], payload, openWorld: hinted('openWorldHint'), ...flags }, result, {}),
    }
    const shown = description ?? title ?? name
    return { tool, source, declared: defined({ tool, toolName, title, description: shown, payload, result, facts }) }
  })
  return { value, diagnostics }
}

/**
 * All failures of a toolset with the same name must be equal, so this function omits a failure that differs from the failure in `known`. Adds new
 * failures to `known`.
 */
function servedFailures(raw: SchemaObject, known: Map<string, string>): SchemaObject | undefined {
  const meta = own(raw, '_meta')
  const listed = isObject(meta) ? own(meta, 'toolgen/failures') : undefined
  const failures = Object.entries(isObject(listed) ? listed : {}).flatMap(([name, failure]) => {
    if (!isObject(failure) || !isFailureName(name)) return []
    const { hint, action, schema, description } = failure
    if (typeof hint !== 'string' || hint.trim() === '' || typeof action !== 'string' || !actions.includes(action))
      return []
    const facts = {
      hint,
      action,
      ...(isObject(schema) && { schema }),
      ...(typeof description === 'string' && { description }),
    }
    const text = equalityKey(facts)
    if ((known.get(name) ?? text) !== text) return []
    known.set(name, text)
    return [[name, facts] as const]
  })
  return failures.length === 0 ? undefined : objectFrom(failures)
}

const actions = ['correct_call', 'replan', 'finish']

const progressSchema: SchemaObject = {
  type: 'object',
  properties: { progress: { type: 'number' }, total: { type: 'number' }, message: { type: 'string' } },
  required: ['progress'],
}

function requiresTask({ raw }: CapturedTool): boolean {
  const execution = own(raw, 'execution')
  return isObject(execution) && own(execution, 'taskSupport') === 'required'
}
