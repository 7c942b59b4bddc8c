import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parsePointer, pointerOf } from '@toolgen/runtime/schema'
import { loadInstalled } from '../dev/installed-runtime.js'
import { type Checked, type Diagnostic, nearest, type SourceLocation } from '../diagnostics/diagnostic.js'
import type { DesignIr } from '../ir/types.js'
import { jsonLocations } from '../schema/json-losses.js'
import { isObject, type Json, own } from '../schema/json-schema.js'
import { decodeFragment } from '../schema/references.js'
import { shellWord } from '../text.js'
import { type McpCapture, readCapture, readLive } from './mcp-capture.js'
import { type McpOrigin, shownOrigin } from './mcp-origin.js'
import { isImported } from './names.js'
import { readJsonFile } from './read-source.js'
import { type ToolChange, toolChanges } from './tool-changes.js'

/** Which servers are asked: all that snapshots name, or that of one toolset, which may be another than its snapshot names. */
export type LiveSelection = 'all' | { readonly toolset: string; readonly origin?: McpOrigin }

/** How the server of an imported toolset stands to its snapshot. */
export interface LiveToolset {
  readonly toolset: string
  /** The snapshot, relative to the project's root, with `/`. */
  readonly snapshot: string
  /** `skipped`: nothing says where the server is; `unreachable`: it did not tell its tools. */
  readonly state: 'same' | 'drifted' | 'unreachable' | 'skipped'
  readonly changes: readonly ToolChange[]
}

/** What was found of servers. */
export interface LiveCheck {
  readonly toolsets: readonly LiveToolset[]
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Asks the servers of imported toolsets for their tools and compares them with the snapshots.
 *
 * @param root the project's folder, in which servers are started: absolute
 */
export async function checkLive(ir: DesignIr, root: string, choice: LiveSelection): Promise<LiveCheck> {
  const { value: imported, diagnostics } = importedToolsets(ir, root)
  const chosen = choice === 'all' ? imported : imported.filter(({ toolset }) => toolset === choice.toolset)
  if (choice !== 'all' && chosen.length === 0 && diagnostics.length === 0) {
    const names = imported.map(({ toolset }) => toolset)
    return { toolsets: [], diagnostics: [notImported(choice.toolset, names)] }
  }
  const checks = await Promise.all(chosen.map((each) => checkOne(each, choice, root)))
  return {
    toolsets: checks.flatMap(({ toolsets }) => toolsets),
    diagnostics: [...diagnostics, ...checks.flatMap((check) => check.diagnostics)],
  }
}

async function checkOne(imported: ImportedToolset, choice: LiveSelection, root: string): Promise<LiveCheck> {
  const { toolset, snapshot, capture } = imported
  const stands = (
    state: LiveToolset['state'],
    diagnostics: readonly Diagnostic[],
    changes: readonly ToolChange[] = [],
  ): LiveCheck => ({ toolsets: [{ toolset, snapshot, state, changes }], diagnostics })

  const origin = (choice === 'all' ? undefined : choice.origin) ?? capture.origin
  if (origin === undefined) return stands('skipped', [notAsked(imported, choice === 'all' ? 'warning' : 'error')])
  const [answer, drift] = await Promise.all([
    readLive(origin, root),
    loadInstalled('@toolgen/runtime', 'mcpDrift', root),
  ])
  if (answer.value === undefined || drift.value === undefined) {
    return stands('unreachable', answer.value === undefined ? answer.diagnostics : drift.diagnostics)
  }
  const live = readCapture(answer.value, `The answer of ${shownOrigin(origin)}`)
  if (live.value === undefined) return stands('unreachable', live.diagnostics)
  const changes = toolChanges(drift.value, capture.tools, live.value.tools)
  const locationOf = changeLocations(imported)
  const found = changes.map((change) => drifted(imported, change, locationOf(change)))
  const warnings = [...answer.diagnostics, ...live.diagnostics]
  return stands(changes.length === 0 ? 'same' : 'drifted', [...warnings, ...found], changes)
}

/** Finds where in a snapshot that stands which has changed: the innermost part that is written there. */
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
    // A brace tells nobody which tool it begins.
    const location = locations.get(pointer === tool ? `${tool}/name` : pointer)
    return { file: snapshot, line: 1, column: 1, ...location }
  }
}

function pointerInTool({ side, path = '' }: ToolChange, tool: Json | undefined): string {
  if (side === undefined || !isObject(tool)) return path
  const key = side === 'result' ? 'outputSchema' : 'inputSchema'
  return `/${key}${behindReferences(own(tool, key), path)}`
}

/** A path of a schema with the references on its way followed, as far as the schema has it. */
function behindReferences(schema: Json | undefined, path: string): string {
  let [part, at] = [schema, '']
  for (const key of parsePointer(path) ?? []) {
    // A reference to a reference is rare, a circle of them is a fault of the server.
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

/** A toolset that an import of the tools of an MCP server has written. */
interface ImportedToolset {
  readonly toolset: string
  /** The snapshot, relative to the project's root, with `/`. */
  readonly snapshot: string
  readonly text: string
  /** What the server listed when it was captured. */
  readonly capture: McpCapture
}

/** Finds the toolsets that imports have written, with the snapshots beside their modules. */
function importedToolsets({ toolsets }: DesignIr, root: string): Required<Checked<readonly ImportedToolset[]>> {
  const read = toolsets
    .filter(
      ({ location }) =>
        location.file.endsWith('.mcp.ts') && isImported(readFileSync(join(root, location.file), 'utf8')),
    )
    .map(({ name, location }) => readImported(name, location.file.replace(/\.ts$/, '.json'), root))
  return {
    value: read.flatMap(({ value }) => value ?? []),
    diagnostics: read.flatMap(({ diagnostics }) => diagnostics),
  }
}

function readImported(toolset: string, snapshot: string, root: string): Checked<ImportedToolset> {
  const file = readJsonFile(join(root, snapshot))
  if ('why' in file) return { diagnostics: [noSnapshot({ toolset, snapshot }, file.why)] }
  const { value: capture, diagnostics } = readCapture(file.json, `\`${snapshot}\``)
  return capture === undefined
    ? { diagnostics }
    : { value: { toolset, snapshot, text: file.text, capture }, diagnostics }
}

/** Which snapshot of which toolset. */
type Which = Pick<ImportedToolset, 'toolset' | 'snapshot'>

/** One difference between what was captured and what the server lists now, at its place in the snapshot. */
function drifted(which: Which, { message }: ToolChange, location: SourceLocation): Diagnostic {
  return {
    code: 'TG6010',
    severity: 'error',
    message,
    location,
    next: `Look at what changed, then run \`${importCommand(which)}\` and \`toolgen generate\`.`,
  }
}

/** The snapshot does not say where the server is: an error where this server was asked for. */
function notAsked({ toolset, snapshot }: Which, severity: 'error' | 'warning'): Diagnostic {
  return {
    code: 'TG0015',
    severity,
    message: `The server of \`${toolset}\` was not asked, because the snapshot does not say where it is.`,
    location: { file: snapshot, line: 1, column: 1 },
    next: `Say it: \`toolgen check --live ${shellWord(toolset)} -- COMMAND\` or \`--url URL\`; an import from the server itself writes it down.`,
  }
}

/** A module that an import has written has lost its snapshot. */
function noSnapshot(which: Which, why: string): Diagnostic {
  return {
    code: 'TG6011',
    severity: 'error',
    message: `The snapshot of \`${which.toolset}\` cannot be read: ${why}.`,
    location: { file: which.snapshot, line: 1, column: 1 },
    next: `Restore it from version control, or import again: \`${importCommand(which)} -- COMMAND\`.`,
  }
}

/** No toolset of that name was imported. */
function notImported(name: string, imported: readonly string[]): Diagnostic {
  const near = nearest(name, imported)
  const all = imported.length === 0 ? 'No toolset of this project is.' : `Those that are: ${imported.join(', ')}.`
  return {
    code: 'TG0001',
    severity: 'error',
    message: `--live names \`${name}\`, which is no toolset that was imported from an MCP server.`,
    next: near[0] === undefined ? all : `Did you mean \`${near[0]}\`?`,
    ...(near.length > 0 && { near }),
  }
}

function importCommand({ toolset, snapshot }: Which): string {
  const folder = dirname(snapshot)
  return `toolgen import mcp ${shellWord(toolset)}${folder === 'design' ? '' : ` --dir ${shellWord(folder)}`}`
}
