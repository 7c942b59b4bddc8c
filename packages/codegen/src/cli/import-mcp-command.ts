import { resolve } from 'node:path'
import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import { importMcp, type McpImport } from '../import/mcp/import-mcp.js'
import { readLive } from '../import/mcp/read-live.js'
import { readJsonFile } from '../import/read-json-file.js'
import { inTheWay, writeImport } from '../import/write-import.js'
import { type DiskError, inWords, isDiskError } from '../write/disk.js'
import type { CommandContext } from './command-context.js'
import { type CommonOptions, reporterOf } from './common-options.js'
import { count } from './count.js'
import type { ExitCode } from './exit-code.js'
import { report } from './report.js'
import { shownPath } from './shown-path.js'

/** What `toolgen import mcp` can be told beside the toolset's name: exactly one of the first two, or a command. */
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

/** Writes a snapshot of what an MCP server declares, and a module with a toolset of it; touches no file that stays as it is. */
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
  const captured = await capture(request, context.cwd)
  if (captured.value === undefined) return finish(captured.diagnostics, nothing)
  const imported = importMcp(request.name, {
    captured: captured.value.json,
    source: captured.value.source,
    progress: request.progress?.split(',').map((tool) => tool.trim()) ?? [],
  })
  const foreign = inTheWay(root, imported.files)
  const found = [...imported.diagnostics, ...foreign.map((path) => wouldOverwrite(shownPath(root, path)))]
  if (found.some(({ severity }) => severity === 'error')) return finish(found, nothing)
  try {
    const outcome = writeImport(root, imported.files)
    const facts = { ...outcome, tools: imported.tools, described: imported.described }
    return finish(found, facts, summaryOf(imported, outcome.written, root, context))
  } catch (error) {
    if (!isDiskError(error)) throw error
    return finish([refused(error)], nothing)
  }
}

/** What was captured, and what it came from. */
interface Captured {
  readonly json: unknown
  readonly source: string
}

async function capture({ from, url, server }: McpImportRequest, cwd: string): Promise<Checked<Captured>> {
  const given = [from, url, server[0]].filter((source) => source !== undefined)
  if (given.length !== 1) return { diagnostics: [oneSource(given.length)] }
  if (from === undefined) return readLive(url === undefined ? { command: server } : { url }, cwd)
  const { value, diagnostics } = readJsonFile(resolve(cwd, from), from)
  return value === undefined ? { diagnostics } : { value: { json: value.json, source: `\`${from}\`` }, diagnostics }
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

function oneSource(given: number): Diagnostic {
  return {
    code: 'TG0001',
    severity: 'error',
    message: given === 0 ? 'Nothing says where the tools come from.' : 'The tools can come from one place alone.',
    next: 'Give one of `--from FILE`, `--url URL` and `-- COMMAND`, e.g. `toolgen import mcp files -- npx -y server .`.',
  }
}

function wouldOverwrite(path: string): Diagnostic {
  return {
    code: 'TG0010',
    severity: 'error',
    message: `\`${path}\` was not written by an import; nothing was written.`,
    next: 'Give the toolset another name, choose another --dir, or move the file.',
  }
}

function refused(error: DiskError): Diagnostic {
  return {
    code: 'TG0011',
    severity: 'error',
    message: `The files cannot be written: ${inWords(error)}.`,
    next: 'Make the folder writable, or choose another --dir.',
  }
}
