import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import { block } from '../emit/templates.js'
import { isInheritedName } from '../emit/use-binding.js'
import { importedToolNames } from '../ir/identifiers.js'
import { knownElement } from '../ir/reserved-names.js'
import { isObject, own, type SchemaObject } from '../schema/json-schema.js'
import {
  type CapturedTool,
  listedTwice,
  type McpCapture,
  mcpServer,
  noSuchTool,
  noTools,
  onlyAsTask,
  readCapture,
} from './mcp-capture.js'
import { type McpOrigin, secretIn } from './mcp-origin.js'
import { importNames, importNote } from './names.js'
import {
  defaultLeftOut,
  leftOut,
  renamed,
  toolListChanges,
  toolPatternLeftOut,
  undescribed,
  unknownResult,
} from './tool-diagnostics.js'
import { usableArguments, usableResult } from './tool-schemas.js'
import {
  type DeclaredTool,
  type DeclaredToolset,
  entryText,
  noImport,
  type ToolsetImport,
  toolsetModule,
} from './toolset-module.js'

/** What is captured, and what is made of it. */
interface McpImportSource {
  /** Parsed JSON. */
  readonly captured: unknown
  /** What it was read from, for messages. */
  readonly source: string
  /** Where the server was asked. Default: what the capture says. Not written down where it seems to hold a secret. */
  readonly origin?: McpOrigin
  /** The server's names of tools whose progress becomes updates. Default: those that the capture names. */
  readonly progress?: readonly string[]
  /** What an earlier import has captured. */
  readonly earlier?: McpCapture
}

/**
 * Makes a toolset of what was captured of a server. The same capture gives the same bytes, also when it is the snapshot of
 * an earlier import.
 */
export function importMcp(toolset: string, { captured, source, ...said }: McpImportSource): ToolsetImport {
  const { value: capture, diagnostics } = readCapture(captured, source)
  if (capture === undefined) return noImport(diagnostics)
  const { origin = capture.origin, progress = capture.progress ?? [], earlier } = said
  const secret = origin === undefined ? undefined : secretIn(origin)
  const imported = importTools(capture, toolset, progress)
  const found = [...diagnostics, ...imported.diagnostics]
  if (imported.value.tools.length === 0) return noImport([...found, noTools(source)])
  const names = importNames('mcp', toolset)
  const snapshot = {
    about: importNote('mcp', toolset),
    ...(origin !== undefined && secret === undefined && { origin }),
    ...(progress.length > 0 && { progress }),
    ...(capture.server !== undefined && { server: capture.server }),
    tools: capture.tools.map(({ raw }) => raw),
  }
  return {
    files: [
      { path: names.snapshot, text: `${JSON.stringify(snapshot, null, 2)}\n` },
      { path: names.module, text: toolsetModule(serverToolset(toolset, capture, imported.value)) },
    ],
    tools: imported.value.tools.length,
    described: imported.value.tools.filter(({ result }) => result !== true).length,
    changes: earlier === undefined ? [] : toolListChanges(earlier.tools, capture.tools),
    diagnostics: [...found, ...(secret === undefined ? [] : [originKeptBack(toolset, secret)])],
  }
}

function originKeptBack(toolset: string, secret: string): Diagnostic {
  return {
    code: 'TG6007',
    severity: 'warning',
    message: `The snapshot does not say how to ask the server of \`${toolset}\` again: \`${secret}\` seems to hold a secret.`,
    next: "Import again with a variable of the environment in its place, in single quotes: `'${SECRET}'`.",
  }
}

/** A tool of a server as the toolset's module declares it. */
interface ImportedTool extends DeclaredTool {
  /** The server's own name of it. */
  readonly name: string
}

/** The tools of a capture as a toolset has them. */
interface ImportedTools {
  readonly tools: readonly ImportedTool[]
  /** The server's names of those that are left out. */
  readonly unused: readonly string[]
}

/**
 * Takes each tool once, under names that are legal and unique, and tells what is not as the server has it.
 *
 * @param progress the server's names of tools of which the progress is wanted: no server says which tools report any
 */
export function importTools(
  { tools: listed }: McpCapture,
  toolset: string,
  progress: readonly string[],
): Required<Checked<ImportedTools>> {
  const names = new Set<string>()
  const known = listed.map(({ name }) => name)
  const diagnostics = progress.filter((name) => !known.includes(name)).map((name) => noSuchTool(name, known))
  const unused: string[] = []
  const once = listed.filter((tool) => {
    if (names.has(tool.name)) diagnostics.push(listedTwice(tool.name))
    return !names.has(tool.name) && names.add(tool.name)
  })
  const locals = importedToolNames(once.map(({ name }) => name))
  const wired = importedToolNames(once.map(({ name }) => `${toolset}_${name}`))
  const tools = once.flatMap((captured, index): readonly ImportedTool[] => {
    const { name, title, description } = captured
    const payload = usableArguments(captured.inputSchema)
    if ('why' in payload) {
      diagnostics.push(leftOut(mcpServer, name, payload.why))
      unused.push(name)
      return []
    }
    const result = captured.outputSchema === undefined ? { schema: true } : usableResult(captured.outputSchema)
    if ('why' in result) diagnostics.push(unknownResult(mcpServer, name, result.why))
    for (const side of [payload, result]) {
      const nonlinear = 'nonlinear' in side ? side.nonlinear : []
      diagnostics.push(...nonlinear.map((why) => toolPatternLeftOut(mcpServer, name, why)))
      if ('misfit' in side && side.misfit !== undefined) diagnostics.push(defaultLeftOut(mcpServer, name, side.misfit))
    }
    if (description === undefined) diagnostics.push(undescribed(mcpServer, name))
    if (requiresTask(captured)) diagnostics.push(onlyAsTask(name))
    const { toolName } = knownElement(wired, index)
    const wanted = `${toolset}_${name}`
    if (toolName !== wanted) diagnostics.push(renamed(mcpServer, { name, wanted, toolName }))
    return [
      {
        tool: knownElement(locals, index).tool,
        name,
        toolName,
        ...(title !== undefined && { title }),
        description: description ?? title ?? name,
        payload: payload.schema,
        result: 'why' in result ? true : result.schema,
        facts: { ...(progress.includes(name) && { streaming: { updates: progressSchema } }), ...flagsOf(captured) },
      },
    ]
  })
  return { value: { tools, unused }, diagnostics }
}

/** What a server says of how far a call has come. */
const progressSchema: SchemaObject = {
  type: 'object',
  properties: { progress: { type: 'number' }, total: { type: 'number' }, message: { type: 'string' } },
  required: ['progress'],
}

const hints = { readOnly: 'readOnlyHint', destructive: 'destructiveHint', idempotent: 'idempotentHint' } as const

/** What the server hints at, where a design has a word for it. */
function flagsOf({ annotations }: CapturedTool): Readonly<Record<string, boolean>> {
  const said = Object.entries(hints).map(([flag, hint]) => [flag, own(annotations, hint)] as const)
  return Object.fromEntries(said.filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'))
}

/** Whether the server runs a tool in no other way than as a task that is asked for its result later. */
function requiresTask({ raw }: CapturedTool): boolean {
  const execution = own(raw, 'execution')
  return isObject(execution) && own(execution, 'taskSupport') === 'required'
}

/** The tools of a server as a toolset of a design. */
function serverToolset(
  name: string,
  { server }: Pick<McpCapture, 'server'>,
  { tools, unused }: ImportedTools,
): DeclaredToolset {
  const who = server === undefined ? 'an MCP server' : `the MCP server ${server.name}`
  // A checker takes what every object inherits for a name that is not said.
  const names = tools.filter((each) => each.tool !== each.name || isInheritedName(each.tool))
  const mcp = [
    'captured: true',
    ...(server === undefined ? [] : [entryText('server', { name: server.name, version: server.version }, 4)]),
    ...(names.length === 0
      ? []
      : [
          `names: ${block(
            names.map((each) => entryText(each.tool, each.name, 6)),
            4,
          )}`,
        ]),
    ...(unused.length === 0 ? [] : [entryText('unused', unused, 4)]),
  ]
  return { kind: 'mcp', name, description: `Tools of ${who}.`, entries: [`mcp: ${block(mcp, 2)}`], tools }
}
