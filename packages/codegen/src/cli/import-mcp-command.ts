import { join, resolve } from 'node:path'
import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import { oneSource, unreadable, wouldOverwrite } from '../import/import-diagnostics.js'
import { type McpCapture, readCapture } from '../import/mcp/capture.js'
import { importMcp } from '../import/mcp/import-mcp.js'
import { type McpOrigin, shownOrigin } from '../import/mcp/origin.js'
import { readLive } from '../import/mcp/read-live.js'
import { importNames, isImported } from '../import/mcp/toolset-module.js'
import { readJsonFile } from '../import/read-json-file.js'
import { refusedName } from '../import/toolset-name.js'
import { inTheWay, writeImport } from '../import/write-import.js'
import { nodeDisk } from '../write/disk.js'
import { thisRun } from '../write/run-identity.js'
import type { CommandContext } from './command-context.js'
import { type CommonOptions, reporterOf } from './common-options.js'
import type { ExitCode } from './exit-code.js'
import { grouped } from './finding-groups.js'
import { importSummary } from './import-summary.js'
import { namesIn } from './names-in.js'
import { report } from './report.js'
import { shownPath } from './shown-path.js'

/** What `toolgen import mcp` can be told beside the toolset's name: one of the first two at most. */
export interface ImportMcpOptions {
  readonly from?: string
  readonly url?: string
  /** The server's names of tools, with commas between. */
  readonly progress?: string
  readonly dir: string
}

/** All that the command line says. */
interface McpImportRequest extends ImportMcpOptions {
  /** The name of the toolset. */
  readonly name: string
  /** The words that start the server; empty where there is none to start. */
  readonly server: readonly string[]
}

/** Writes a snapshot of what an MCP server declares and a module with a toolset of it, both or none; leaves alone what stays. */
export async function runImportMcp(
  request: CommonOptions & McpImportRequest,
  context: CommandContext,
): Promise<ExitCode> {
  const root = resolve(context.cwd, request.dir)
  const kind = reporterOf(request)
  const finish = (diagnostics: readonly Diagnostic[], facts: object, summary?: string): ExitCode =>
    report(kind, context.terminal, {
      command: 'import mcp',
      root,
      diagnostics: kind === 'pretty' ? grouped(diagnostics) : diagnostics,
      facts: { ...facts },
      ...(summary !== undefined && { summary }),
    })

  const nothing = { written: [], unchanged: [] }
  const wrong = refusedName(request.name)
  if (wrong !== undefined) return finish([wrong], nothing)
  const target = { folder: root.replaceAll('\\', '/'), shown: shownPath(root, '') }
  const earlier = earlierCapture(root, request.name)
  const captured = await capture(request, { cwd: context.cwd, root, earlier })
  if (captured.value === undefined) return finish(captured.diagnostics, nothing)
  const { json, source, origin } = captured.value
  const imported = importMcp(request.name, {
    captured: json,
    source,
    ...(origin !== undefined && { origin }),
    ...(request.progress !== undefined && { progress: namesIn(request.progress) }),
    ...(earlier !== undefined && { earlier }),
  })
  const foreign = inTheWay(nodeDisk, target, imported.files)
  const found = [...imported.diagnostics, ...foreign.map((path) => wouldOverwrite(shownPath(root, path)))]
  if (found.some(({ severity }) => severity === 'error')) return finish(found, nothing)
  const { diagnostics, ...outcome } = await writeImport({ disk: nodeDisk, run: thisRun() }, target, imported.files)
  const all = [...found, ...diagnostics]
  if (diagnostics.some(({ severity }) => severity === 'error')) return finish(all, outcome)
  const { tools, described, changes } = imported
  const { written } = outcome
  const made = { toolset: request.name, root, imported, written, isFirst: earlier === undefined }
  return finish(all, { ...outcome, tools, described, changes }, importSummary(made, context.terminal.noteStyle))
}

/** What was captured, what it came from, and where the server can be asked again. */
interface Captured {
  readonly json: unknown
  readonly source: string
  readonly origin?: McpOrigin
}

/** What an earlier import has written of a toolset. */
function earlierCapture(root: string, toolset: string): McpCapture | undefined {
  const snapshot = snapshotOf(toolset)
  const file = readJsonFile(join(root, snapshot))
  return 'json' in file && isImported(file.text) ? readCapture(file.json, snapshot).value : undefined
}

function snapshotOf(toolset: string): string {
  return `${importNames(toolset).file}.mcp.json`
}

/** Where an import works, and what the one before it has captured. */
interface CaptureContext {
  readonly cwd: string
  readonly root: string
  readonly earlier: McpCapture | undefined
}

/** Without a source, the server is asked that the snapshot of an earlier import names. */
async function capture(
  { name, from, url, server }: McpImportRequest,
  { cwd, root, earlier }: CaptureContext,
): Promise<Checked<Captured>> {
  const given = [from, url, server[0]].filter((source) => source !== undefined)
  const snapshot = snapshotOf(name)
  if (given.length > 1) return { diagnostics: [oneSource(given.length, shownPath(root, snapshot))] }
  if (from !== undefined) {
    const file = readJsonFile(resolve(cwd, from))
    if ('why' in file) return { diagnostics: [unreadable(from, file.why)] }
    return { value: { json: file.json, source: `\`${from}\`` }, diagnostics: [] }
  }
  // Another server has other tools whose progress could be wanted.
  const recorded = given.length === 0 ? earlier : undefined
  const origin = url !== undefined ? { url } : server.length > 0 ? { command: server } : recorded?.origin
  if (origin === undefined) return { diagnostics: [oneSource(0, shownPath(root, snapshot))] }
  const { value, diagnostics } = await readLive(origin, cwd)
  if (value === undefined) return { diagnostics }
  const json = recorded?.progress === undefined ? value : { ...value, progress: recorded.progress }
  return { value: { json, source: shownOrigin(origin), origin }, diagnostics }
}
