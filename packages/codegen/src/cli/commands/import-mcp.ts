import { defined } from '../../defined.js'
import { type Checked, errorAt } from '../../diagnostics/diagnostic.js'
import { jsonOf } from '../../imports/json-source.js'
import { importMcp } from '../../imports/mcp.js'
import { type McpCapture, readCapture } from '../../imports/mcp-capture.js'
import { readLive } from '../../imports/mcp-server.js'
import { type McpOrigin, shownOrigin } from '../../imports/origin.js'
import { readSource } from '../../imports/sources.js'
import type { CommandContext } from '../context.js'
import { type ExitCode, namesIn } from '../format.js'
import { type ImportRequest, startImport } from './import.js'

/** Options of `toolgen import mcp`: one of the first two at most. */
export interface ImportMcpOptions {
  readonly from?: string
  readonly url?: string
  /** The server's names of tools, with commas between. */
  readonly progress?: string
  readonly dir: string
}

interface McpImportRequest extends ImportMcpOptions, ImportRequest {
  /** The words of the command that starts the server; empty without one. */
  readonly server: readonly string[]
}

/** Writes a snapshot of the tools of an MCP server and a module with a toolset of them, both or none. */
export async function run(request: McpImportRequest, context: CommandContext): Promise<ExitCode> {
  const started = startImport('mcp', request, context)
  if (typeof started === 'number') return started
  const earlier = started.earlier && readCapture(started.earlier.json, started.snapshot).value
  const captured = await capture(request, context.cwd, started.snapshot, earlier)
  if (captured.value === undefined) return started.refuse(captured.diagnostics)
  const { json, ...source } = captured.value
  const progress = request.progress === undefined ? undefined : namesIn(request.progress)
  const imported = importMcp(request.name, { captured: json, ...source, ...defined({ progress, earlier }) })
  return started.publish({ ...imported, diagnostics: [...captured.diagnostics, ...imported.diagnostics] })
}

/** Reads the tools. Default source: the server that the snapshot of an earlier import names. */
async function capture(
  { from, url, server }: McpImportRequest,
  cwd: string,
  snapshot: string,
  earlier: McpCapture | undefined,
): Promise<Checked<{ readonly json: unknown; readonly source: string; readonly origin?: McpOrigin }>> {
  const sources = [from, url, server[0]].filter((source) => source !== undefined)
  if (sources.length > 1) return oneSource('The tools can come from one place alone.')
  if (from !== undefined) {
    const { value: source, diagnostics } = await readSource(from, cwd)
    if (source === undefined) return { diagnostics }
    const read = jsonOf(source)
    if (read.value === undefined) return { diagnostics: read.diagnostics }
    return { value: { json: read.value.json, source: source.shown }, diagnostics: [] }
  }
  // The progress of an earlier import is only valid for the same server.
  const recorded = sources.length === 0 ? earlier : undefined
  const command = server.length > 0 ? { command: server } : recorded?.origin
  const origin = url === undefined ? command : { url }
  if (origin === undefined) {
    return oneSource(`Nothing says where the tools come from, nor does \`${snapshot}\` say where they came from.`)
  }
  const { value, diagnostics } = await readLive(origin, cwd)
  if (value === undefined) return { diagnostics }
  const json = recorded?.progress === undefined ? value : { ...value, progress: recorded.progress }
  return { value: { json, source: shownOrigin(origin), origin }, diagnostics }
}

function oneSource(message: string): Checked<never> {
  const next =
    'Give one of `--from FILE`, `--url URL` and `-- COMMAND`, e.g. `toolgen import mcp files -- npx -y server .`.'
  return { diagnostics: [errorAt(undefined, 'TG0001', message, next)] }
}
