import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parsePointer, pointerOf } from '@toolgen/runtime/schema'
import { defined } from '../defined.js'
import { type Installed, loadInstalled } from '../dev/installed-runtime.js'
import { type Checked, type Diagnostic, errorAt, type SourceLocation, startOf } from '../diagnostics/diagnostic.js'
import { unknownNameAt } from '../diagnostics/near-names.js'
import type { DesignIr } from '../ir/types.js'
import { jsonLocations } from '../schema/json-losses.js'
import { isObject, type Json, own } from '../schema/json-schema.js'
import { changedText, type NoteChange, noteChanged, notesChanged } from '../schema/notes.js'
import { decodeFragment } from '../schema/references.js'
import { shellWord } from '../text.js'
import { type CapturedTool, type McpCapture, readCapture, readLive } from './mcp.js'
import { type McpOrigin, readJsonFile, shownOrigin } from './sources.js'
import { isImported } from './toolset-module.js'

/** The servers to check: all, or that of one toolset, optionally at another origin than its snapshot names. */
export type LiveSelection = 'all' | { readonly toolset: string; readonly origin?: McpOrigin }

/** Result of comparing the server of an imported toolset with its snapshot. */
export interface LiveToolset {
  readonly toolset: string
  /** The snapshot, relative to the project's root, with `/`. */
  readonly snapshot: string
  /** `skipped`: the snapshot has no origin. `unreachable`: the server did not list its tools. */
  readonly state: 'same' | 'drifted' | 'unreachable' | 'skipped'
  readonly changes: readonly ToolChange[]
}

export interface LiveCheck {
  readonly toolsets: readonly LiveToolset[]
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Compares the tools of servers with the snapshots of imported toolsets.
 *
 * @param root the project's folder, in which servers are started: absolute
 */
export async function checkLive(ir: DesignIr, root: string, selection: LiveSelection): Promise<LiveCheck> {
  const read = ir.toolsets
    .filter(({ location: { file } }) => file.endsWith('.mcp.ts') && isImported(readFileSync(join(root, file), 'utf8')))
    .map(({ name, location }) => readImported(name, location.file.replace(/\.ts$/, '.json'), root))
  const imported = read.flatMap(({ value }) => value ?? [])
  const diagnostics = read.flatMap((each) => each.diagnostics)
  const selected = selection === 'all' ? imported : imported.filter(({ toolset }) => toolset === selection.toolset)
  if (selection !== 'all' && selected.length === 0 && diagnostics.length === 0) {
    const names = imported.map(({ toolset }) => toolset)
    const message = `--live names \`${selection.toolset}\`, which is no toolset that was imported from an MCP server.`
    const all = names.length === 0 ? 'No toolset of this project is.' : `Those that are: ${names.join(', ')}.`
    return { toolsets: [], diagnostics: [unknownNameAt(undefined, 'TG0001', message, selection.toolset, names, all)] }
  }
  const checks = await Promise.all(selected.map((each) => checkOne(each, selection, root)))
  return {
    toolsets: checks.flatMap(({ toolsets }) => toolsets),
    diagnostics: [...diagnostics, ...checks.flatMap((check) => check.diagnostics)],
  }
}

async function checkOne(imported: ImportedToolset, selection: LiveSelection, root: string): Promise<LiveCheck> {
  const { toolset, snapshot, capture } = imported
  const result = (
    state: LiveToolset['state'],
    diagnostics: readonly Diagnostic[],
    changes: readonly ToolChange[] = [],
  ): LiveCheck => ({ toolsets: [{ toolset, snapshot, state, changes }], diagnostics })

  const origin = (selection === 'all' ? undefined : selection.origin) ?? capture.origin
  if (origin === undefined) {
    const message = `The server of \`${toolset}\` was not asked, because the snapshot does not say where it is.`
    const next = `Say it: \`toolgen check --live ${shellWord(toolset)} -- COMMAND\` or \`--url URL\`; an import from the server itself writes it down.`
    const severity = selection === 'all' ? 'warning' : 'error'
    return result('skipped', [{ code: 'TG0015', severity, message, location: startOf(snapshot), next }])
  }
  const [response, drift] = await Promise.all([
    readLive(origin, root),
    loadInstalled('@toolgen/runtime', 'mcpDrift', root),
  ])
  if (response.value === undefined) return result('unreachable', response.diagnostics)
  if (drift.value === undefined) return result('unreachable', drift.diagnostics)
  const live = readCapture(response.value, `The answer of ${shownOrigin(origin)}`)
  if (live.value === undefined) return result('unreachable', live.diagnostics)
  const changes = toolChanges(drift.value, capture.tools, live.value.tools)
  const locationOf = changeLocations(imported)
  const next = `Look at what changed, then run \`${importCommand(imported)}\` and \`toolgen generate\`.`
  const drifted = changes.map((change) => errorAt(locationOf(change), 'TG6010', change.message, next))
  const diagnostics = [...response.diagnostics, ...live.diagnostics, ...drifted]
  return result(changes.length === 0 ? 'same' : 'drifted', diagnostics, changes)
}

/** Returns a function that finds the innermost part of a snapshot to which a change leads. */
export function changeLocations({
  snapshot,
  text,
  capture,
}: Pick<ImportedToolset, 'snapshot' | 'text' | 'capture'>): (change: ToolChange) => SourceLocation {
  const locations = jsonLocations(text)
  return (change) => {
    const index = capture.tools.findIndex(({ name }) => name === change.tool)
    const tool = `/tools/${index}`
    let pointer = index === -1 ? '/tools' : `${tool}${pointerInTool(change, capture.tools[index]?.raw)}`
    while (!locations.has(pointer) && pointer !== '') pointer = pointer.slice(0, pointer.lastIndexOf('/'))
    // The name is a better location for a tool than its brace.
    const location = locations.get(pointer === tool ? `${tool}/name` : pointer)
    return { file: snapshot, line: 1, column: 1, ...location }
  }
}

function pointerInTool({ side, path = '' }: ToolChange, tool: Json | undefined): string {
  if (side === undefined || !isObject(tool)) return path
  const key = side === 'result' ? 'outputSchema' : 'inputSchema'
  return `/${key}${withReferences(own(tool, key), path)}`
}

/** Follows the references on the way of a path, as far as the schema has it. */
function withReferences(schema: Json | undefined, path: string): string {
  let [part, at] = [schema, '']
  for (const key of parsePointer(path) ?? []) {
    // Limited because a server may list circular references.
    for (let hop = 0; hop < 20 && partOf(part, key) === undefined && isObject(part); hop += 1) {
      const reference = own(part, '$ref')
      const target = typeof reference === 'string' && reference.startsWith('#') ? decodeFragment(reference) : undefined
      if (target === undefined) break
      at = target
      part = (parsePointer(target) ?? []).reduce(partOf, schema)
    }
    part = partOf(part, key)
    if (part === undefined) break
    at += pointerOf([key])
  }
  return at
}

function partOf(value: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(key)]
  return isObject(value) ? own(value, key) : undefined
}

/** A toolset that was imported from an MCP server. */
interface ImportedToolset {
  readonly toolset: string
  /** The snapshot, relative to the project's root, with `/`. */
  readonly snapshot: string
  readonly text: string
  readonly capture: McpCapture
}

function readImported(toolset: string, snapshot: string, root: string): Checked<ImportedToolset> {
  const file = readJsonFile(join(root, snapshot))
  if ('why' in file) {
    const next = `Restore it from version control, or import again: \`${importCommand({ toolset, snapshot })} -- COMMAND\`.`
    const message = `The snapshot of \`${toolset}\` cannot be read: ${file.why}.`
    return { diagnostics: [errorAt(startOf(snapshot), 'TG6011', message, next)] }
  }
  const { value: capture, diagnostics } = readCapture(file.json, `\`${snapshot}\``)
  return capture === undefined
    ? { diagnostics }
    : { value: { toolset, snapshot, text: file.text, capture }, diagnostics }
}

function importCommand({ toolset, snapshot }: Pick<ImportedToolset, 'toolset' | 'snapshot'>): string {
  const folder = dirname(snapshot)
  return `toolgen import mcp ${shellWord(toolset)}${folder === 'design' ? '' : ` --dir ${shellWord(folder)}`}`
}

/** A difference between a captured tool and the tool that a server lists. */
export interface ToolChange {
  /** The server's name of the tool. */
  readonly tool: string
  readonly kind: string
  /** The changed schema; absent for the tool as a whole. */
  readonly side?: string
  /** JSON Pointer into the schema of the side, or into the tool as the server lists it. */
  readonly path?: string
  readonly message: string
}

/**
 * Compares the tools that a server lists with those that were captured.
 *
 * @param drift `mcpDrift` of the installed runtime, which compares the rules of schemas
 */
function toolChanges(
  drift: Installed,
  captured: readonly CapturedTool[],
  live: readonly CapturedTool[],
): readonly ToolChange[] {
  const [before, after] = [captured, live].map((tools) =>
    tools.map(({ name, description, inputSchema, outputSchema }) =>
      defined({ name, inputSchema, description, outputSchema }),
    ),
  )
  const { changes } = Reflect.apply(drift, undefined, [before, after]) as { readonly changes: readonly ToolChange[] }
  const described = captured.flatMap((tool) => {
    const now = live.find(({ name }) => name === tool.name)
    return now === undefined ? [] : describedChanges(tool, now)
  })
  const isDetailed = ({ kind, tool }: ToolChange): boolean =>
    kind === 'described' && described.some((change) => change.tool === tool)
  return [...changes.filter((change) => !isDetailed(change)), ...described]
}

/** Returns the changed notes of a tool: its description, title and annotations, and the notes in its schemas. */
export function describedChanges(before: CapturedTool, after: CapturedTool): readonly ToolChange[] {
  const tool = before.name
  const textOf = ({ keyword, before: was, after: is }: NoteChange): string => changedText(keyword, was, is)
  const annotations = new Set([...Object.keys(before.annotations), ...Object.keys(after.annotations)])
  // The title among the annotations counts as the tool's title.
  annotations.delete('title')
  const notes = [
    ...noteChanged('description', '', before.description, after.description),
    ...noteChanged('title', '', before.title, after.title),
    ...[...annotations].flatMap((key) =>
      noteChanged(key, '/annotations', own(before.annotations, key), own(after.annotations, key)),
    ),
  ]
  const sides = [
    ['arguments', `The arguments of '${tool}' are`, before.inputSchema, after.inputSchema],
    ['result', `The result of '${tool}' is`, before.outputSchema, after.outputSchema],
  ] as const
  return [
    ...notes.map((note) => {
      const message = `The tool '${tool}' is described otherwise: ${textOf(note)}.`
      return { tool, kind: 'described', path: note.path + pointerOf([note.keyword]), message }
    }),
    ...sides.flatMap(([side, subject, was, is]) =>
      notesChanged(was, is, '').map((note) => {
        const { path } = note
        const message = `${subject} described otherwise${path === '' ? '' : ` at ${path}`}: ${textOf(note)}.`
        return { tool, kind: 'described', side, path, message }
      }),
    ),
  ]
}
