import { join, resolve } from 'node:path'
import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import { oneSource, unreadable, wouldOverwrite } from '../import/import-diagnostics.js'
import { readCapture } from '../import/mcp/capture.js'
import { importMcp, type McpImport } from '../import/mcp/import-mcp.js'
import { type McpOrigin, shownOrigin } from '../import/mcp/origin.js'
import { readLive } from '../import/mcp/read-live.js'
import { importNames } from '../import/mcp/toolset-module.js'
import { readJsonFile } from '../import/read-json-file.js'
import { inTheWay, writeImport } from '../import/write-import.js'
import { nodeDisk } from '../write/disk.js'
import { thisRun } from '../write/run-identity.js'
import type { CommandContext } from './command-context.js'
import { type CommonOptions, reporterOf } from './common-options.js'
import { count } from './count.js'
import type { ExitCode } from './exit-code.js'
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
  const finish = (diagnostics: readonly Diagnostic[], facts: object, summary?: string): ExitCode =>
    report(reporterOf(request), context.terminal, {
      command: 'import mcp',
      root,
      diagnostics,
      facts: { ...facts },
      ...(summary !== undefined && { summary }),
    })

  const nothing = { written: [], unchanged: [] }
  const target = { folder: root.replaceAll('\\', '/'), shown: shownPath(root, '') }
  const captured = await capture(request, { cwd: context.cwd, root })
  if (captured.value === undefined) return finish(captured.diagnostics, nothing)
  const { json, source, origin } = captured.value
  const imported = importMcp(request.name, {
    captured: json,
    source,
    ...(origin !== undefined && { origin }),
    ...(request.progress !== undefined && { progress: namesIn(request.progress) }),
  })
  const foreign = inTheWay(nodeDisk, target, imported.files)
  const found = [...imported.diagnostics, ...foreign.map((path) => wouldOverwrite(shownPath(root, path)))]
  if (found.some(({ severity }) => severity === 'error')) return finish(found, nothing)
  const { diagnostics, ...outcome } = await writeImport({ disk: nodeDisk, run: thisRun() }, target, imported.files)
  const all = [...found, ...diagnostics]
  if (diagnostics.some(({ severity }) => severity === 'error')) return finish(all, outcome)
  const facts = { ...outcome, tools: imported.tools, described: imported.described }
  return finish(all, facts, summaryOf(imported, outcome.written, root, context))
}

/** What was captured, what it came from, and where the server can be asked again. */
interface Captured {
  readonly json: unknown
  readonly source: string
  readonly origin?: McpOrigin
}

/** Without a source, the server is asked that the snapshot of an earlier import names. */
async function capture(
  { name, from, url, server }: McpImportRequest,
  { cwd, root }: { readonly cwd: string; readonly root: string },
): Promise<Checked<Captured>> {
  const given = [from, url, server[0]].filter((source) => source !== undefined)
  const snapshot = `${importNames(name).file}.mcp.json`
  if (given.length > 1) return { diagnostics: [oneSource(given.length, shownPath(root, snapshot))] }
  if (from !== undefined) {
    const file = readJsonFile(resolve(cwd, from))
    if ('why' in file) return { diagnostics: [unreadable(from, file.why)] }
    return { value: { json: file.json, source: `\`${from}\`` }, diagnostics: [] }
  }
  const earlier = given.length === 0 ? readJsonFile(join(root, snapshot)) : undefined
  const recorded = earlier !== undefined && 'json' in earlier ? readCapture(earlier.json, snapshot).value : undefined
  const origin = url !== undefined ? { url } : server.length > 0 ? { command: server } : recorded?.origin
  if (origin === undefined) return { diagnostics: [oneSource(0, shownPath(root, snapshot))] }
  const { value, diagnostics } = await readLive(origin, cwd)
  if (value === undefined) return { diagnostics }
  const json = recorded?.progress === undefined ? value : { ...value, progress: recorded.progress }
  return { value: { json, source: shownOrigin(origin), origin }, diagnostics }
}

function summaryOf(
  { files, tools, described }: McpImport,
  written: readonly string[],
  root: string,
  { terminal }: CommandContext,
): string {
  const outcome = written.length === 0 ? 'up to date' : 'imported'
  const paths = files.map(({ path }) => shownPath(root, path)).join(', ')
  const results = described === tools ? '' : `; ${described} of them with a schema for the result`
  return `${terminal.noteStyle('green', outcome)}: ${paths}, ${count(tools, 'tool')}${results}`
}
