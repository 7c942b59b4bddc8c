import { type Checked, errorAt } from '../../diagnostics/diagnostic.js'
import { importMcp, type McpCapture, readCapture, readLive } from '../../imports/mcp.js'
import { jsonOf, type McpOrigin, readSource, shownOrigin } from '../../imports/sources.js'
import type { CommandContext } from '../context.js'
import { type ExitCode, namesIn } from '../format.js'
import { beginImport, type ImportRequest } from './import.js'

/** Options of `toolgen import mcp`: one of the first two at most. */
export interface ImportMcpOptions {
  readonly from?: string
  readonly url?: string
  /** The server's names of tools, with commas between. */
  readonly progress?: string
  readonly dir: string
}

/** The arguments and options of the command. */
interface McpImportRequest extends ImportMcpOptions, ImportRequest {
  /** The words that start the server; empty where there is none to start. */
  readonly server: readonly string[]
  readonly dir: string
}

/** Writes a snapshot of what an MCP server declares and a module with a toolset of it, both or none; leaves alone what stays. */
export async function runImportMcp(request: McpImportRequest, context: CommandContext): Promise<ExitCode> {
  const run = beginImport({ kind: 'mcp', notes: 'full' }, request, context)
  if (typeof run === 'number') return run
  const earlier = run.earlier && readCapture(run.earlier.json, run.snapshot).value
  const captured = await capture(request, { cwd: context.cwd, snapshot: run.snapshot, earlier })
  if (captured.value === undefined) return run.refuse(captured.diagnostics)
  const { json, source, origin } = captured.value
  const imported = importMcp(request.name, {
    captured: json,
    source,
    ...(origin !== undefined && { origin }),
    ...(request.progress !== undefined && { progress: namesIn(request.progress) }),
    ...(earlier !== undefined && { earlier }),
  })
  return run.publish({ ...imported, diagnostics: [...captured.diagnostics, ...imported.diagnostics] })
}

/** A capture, its source, and the origin of the server for the next import. */
interface Captured {
  readonly json: unknown
  readonly source: string
  readonly origin?: McpOrigin
}

/** The context of an import, with the earlier capture. */
interface CaptureContext {
  readonly cwd: string
  /** The snapshot as people see it. */
  readonly snapshot: string
  readonly earlier: McpCapture | undefined
}

/** Without a source, the server is asked that the snapshot of an earlier import names. */
async function capture(
  { from, url, server }: McpImportRequest,
  { cwd, snapshot, earlier }: CaptureContext,
): Promise<Checked<Captured>> {
  const given = [from, url, server[0]].filter((source) => source !== undefined)
  if (given.length > 1) return oneSource('The tools can come from one place alone.')
  if (from !== undefined) {
    const { value: source, diagnostics } = await readSource(from, cwd)
    if (source === undefined) return { diagnostics }
    const read = jsonOf(source)
    if (read.value === undefined) return { diagnostics: read.diagnostics }
    return { value: { json: read.value.json, source: source.shown }, diagnostics: [] }
  }
  // Another server has other tools whose progress could be wanted.
  const recorded = given.length === 0 ? earlier : undefined
  const origin = url !== undefined ? { url } : server.length > 0 ? { command: server } : recorded?.origin
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
