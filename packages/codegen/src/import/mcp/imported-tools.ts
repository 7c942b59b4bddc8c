import type { Checked } from '../../diagnostics/diagnostic.js'
import { importedToolNames } from '../../ir/names/imported-tool-names.js'
import { knownElement } from '../../ir/names/known-element.js'
import { isObject, own } from '../../schema/json/json.js'
import type { SchemaObject } from '../../schema/json/json-schema.js'
import {
  defaultLeftOut,
  leftOut,
  renamed,
  toolPatternLeftOut,
  undescribed,
  unknownResult,
} from '../tool-diagnostics.js'
import type { DeclaredTool } from '../toolset-module.js'
import { usableArguments, usableResult } from '../usable-schemas.js'
import type { CapturedTool, McpCapture } from './capture.js'
import { listedTwice, mcpServer, noSuchTool, onlyAsTask } from './tool-diagnostics.js'

/** A tool of a server as the toolset's module declares it. */
export interface ImportedTool extends DeclaredTool {
  /** The server's own name of it. */
  readonly name: string
}

/** The tools of a capture as a toolset has them. */
export interface ImportedTools {
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
      if ('nonlinear' in side && side.nonlinear !== undefined) {
        diagnostics.push(toolPatternLeftOut(mcpServer, name, side.nonlinear))
      }
      if ('misfit' in side && side.misfit !== undefined) diagnostics.push(defaultLeftOut(mcpServer, name, side.misfit))
    }
    if (description === undefined) diagnostics.push(undescribed(mcpServer, name))
    if (requiresTask(captured)) diagnostics.push(onlyAsTask(name))
    const { wireName } = knownElement(wired, index)
    const wanted = `${toolset}_${name}`
    if (wireName !== wanted) diagnostics.push(renamed(mcpServer, { name, wanted, wireName }))
    return [
      {
        tool: knownElement(locals, index).tool,
        name,
        wireName,
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
