import { dirname } from 'node:path'
import { defined } from '../defined.js'
import { loadInstalled } from '../dev/installed-runtime.js'
import { type Checked, type Diagnostic, errorAt, startOf } from '../diagnostics/diagnostic.js'
import { unknownNameAt } from '../diagnostics/near-names.js'
import type { LoadedDesign } from '../load/load-design.js'
import type { SnapshotText } from '../load/source-positions.js'
import { byCodePoint, shellWord } from '../text.js'
import { changeLocations, type ImportedToolset } from './change-locations.js'
import { readCapture } from './mcp-capture.js'
import { offeredChanges, type ToolChange, toolChanges } from './mcp-drift.js'
import { type RequestOptions, readLive } from './mcp-server.js'
import { type McpOrigin, type OriginHeaders, shownOrigin, withHeaders } from './origin.js'

/** Without `origin`, the check uses the command or URL in the snapshot. */
export type LiveSelection = 'all' | SelectedToolset

interface SelectedToolset {
  readonly toolset: string
  readonly origin?: McpOrigin
  /** Replaces the headers in the snapshot. */
  readonly headers?: OriginHeaders
}

export interface LiveToolset {
  readonly toolset: string
  /** Relative to the project folder, with `/` as separator. */
  readonly snapshot: string
  /** `unreachable`: the server did not list its tools. `skipped`: the snapshot contains no command or URL of the server. */
  readonly state: 'same' | 'drifted' | 'unreachable' | 'skipped'
  readonly changes: readonly ToolChange[]
}

export interface ServerCheck {
  readonly result: LiveToolset
  readonly origin?: McpOrigin
  readonly diagnostics: readonly Diagnostic[]
}

type LiveRequests = Pick<RequestOptions, 'timeLimit' | 'quoteServer'>

export interface LiveCheck {
  readonly servers: readonly ServerCheck[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Starts local servers in `root`. */
export async function checkLive(
  design: LoadedDesign,
  root: string,
  selection: LiveSelection,
  requests: LiveRequests = {},
): Promise<LiveCheck> {
  const read = [...design.snapshots]
    .filter(([{ imported }]) => imported?.snapshot.kind === 'mcp')
    .sort(([a], [b]) => byCodePoint(a.name, b.name))
    .map(([{ name }, snapshot]) => readImported(name, snapshot))
  const imported = read.flatMap(({ value }) => value ?? [])
  const diagnostics = read.flatMap((each) => each.diagnostics)
  const selected = selection === 'all' ? imported : imported.filter(({ toolset }) => toolset === selection.toolset)
  if (selection !== 'all' && selected.length === 0 && diagnostics.length === 0) {
    const names = imported.map(({ toolset }) => toolset)
    const message = `\`${selection.toolset}\` of --live is not a toolset that was imported from an MCP server.`
    const all = names.length === 0 ? 'This project has no such toolsets.' : `Imported toolsets: ${names.join(', ')}.`
    return { servers: [], diagnostics: [unknownNameAt(undefined, 'TG0001', message, selection.toolset, names, all)] }
  }
  const servers = await Promise.all(selected.map((each) => checkOne(each, selection, root, requests)))
  return { servers, diagnostics }
}

async function checkOne(
  imported: ImportedToolset,
  selection: LiveSelection,
  root: string,
  requests: LiveRequests,
): Promise<ServerCheck> {
  const { toolset, snapshot, capture } = imported
  const selected: Partial<SelectedToolset> = selection === 'all' ? {} : selection
  const { value: origin, diagnostics: wrong } = originOf(selected, capture.origin)
  const result = (
    state: LiveToolset['state'],
    diagnostics: readonly Diagnostic[],
    changes: readonly ToolChange[] = [],
  ): ServerCheck => defined({ result: { toolset, snapshot, state, changes }, origin, diagnostics })

  if (wrong.length > 0) return result('skipped', wrong)
  if (origin === undefined) {
    const message = `The server of \`${toolset}\` was not checked: the snapshot does not record its command or URL.`
    const next = `Run \`toolgen check --live ${shellWord(toolset)} -- COMMAND\` or \`--url URL\`. An import from the server records its command or URL.`
    const severity = selection === 'all' ? 'warning' : 'error'
    return result('skipped', [{ code: 'TG0015', severity, message, location: startOf(snapshot), next }])
  }
  const [response, drift] = await Promise.all([
    readLive(origin, root, { login: false, command: importCommand(imported), ...requests }),
    loadInstalled('@toolgen/runtime', 'mcpDrift', root),
  ])
  if (response.value === undefined) return result('unreachable', response.diagnostics)
  if (drift.value === undefined) return result('unreachable', drift.diagnostics)
  const live = readCapture(response.value, `The response of ${shownOrigin(origin)}`)
  if (live.value === undefined) return result('unreachable', live.diagnostics)
  const changes = [...toolChanges(drift.value, capture.tools, live.value.tools), ...offeredChanges(capture, live.value)]
  const locationOf = changeLocations(imported)
  const next = `Review the changes, then run \`${importCommand(imported)}\` and \`toolgen generate\`.`
  const drifted = changes.map((change) => errorAt(locationOf(change), 'TG6010', change.message, next))
  const unknown =
    capture.prompts === undefined && (live.value.prompts ?? []).length > 0 ? [unknownPrompts(imported)] : []
  const diagnostics = [...response.diagnostics, ...live.diagnostics, ...unknown, ...drifted]
  return result(changes.length === 0 ? 'same' : 'drifted', diagnostics, changes)
}

function originOf({ origin, headers }: Partial<SelectedToolset>, recorded: McpOrigin | undefined): Checked<McpOrigin> {
  const selected = origin ?? recorded
  return selected === undefined ? { diagnostics: [] } : withHeaders(selected, headers)
}

function readImported(toolset: string, { file: snapshot, text }: SnapshotText): Checked<ImportedToolset> {
  const { value: capture, diagnostics } = readCapture(JSON.parse(text), `\`${snapshot}\``)
  return capture === undefined ? { diagnostics } : { value: { toolset, snapshot, text, capture }, diagnostics }
}

function unknownPrompts(imported: ImportedToolset): Diagnostic {
  const { toolset, snapshot } = imported
  const message = `The prompts of the server of \`${toolset}\` were not compared: the snapshot does not record prompts.`
  const next = `Import again to record them: \`${importCommand(imported)}\`.`
  return { code: 'TG6011', severity: 'warning', message, location: startOf(snapshot), next }
}

function importCommand({ toolset, snapshot }: Pick<ImportedToolset, 'toolset' | 'snapshot'>): string {
  const folder = dirname(snapshot)
  return `toolgen import mcp ${shellWord(toolset)}${folder === 'design' ? '' : ` --dir ${shellWord(folder)}`}`
}
