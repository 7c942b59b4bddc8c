import type { Diagnostic } from '../../diagnostics/diagnostic.js'
import type { EmittedFile } from '../../write/file.js'
import { readCapture } from './capture.js'
import { importTools } from './imported-tools.js'
import { importNames, importNote, toolsetModule } from './toolset-module.js'

/** What an import of the tools of an MCP server gives. */
export interface McpImport {
  /** The snapshot and the toolset's module, by their paths below the folder of the design; none with errors. */
  readonly files: readonly EmittedFile[]
  readonly tools: number
  /** How many tools describe their result. */
  readonly described: number
  readonly diagnostics: readonly Diagnostic[]
}

/** What is captured, and what is made of it. */
export interface McpImportSource {
  /** Parsed JSON. */
  readonly captured: unknown
  /** What it was read from, for messages. */
  readonly source: string
  /** The server's names of tools whose progress becomes updates. Default: none. */
  readonly progress?: readonly string[]
}

/**
 * Makes a toolset of what was captured of a server. The same capture gives the same bytes, also when it is the snapshot of
 * an earlier import.
 */
export function importMcp(toolset: string, { captured, source, progress = [] }: McpImportSource): McpImport {
  const { value: capture, diagnostics } = readCapture(captured, source)
  if (capture === undefined) return { files: [], tools: 0, described: 0, diagnostics }
  const imported = importTools(capture, toolset, progress)
  const { file } = importNames(toolset)
  const snapshot = {
    about: importNote(toolset),
    ...(capture.server !== undefined && { server: capture.server }),
    tools: capture.tools.map(({ raw }) => raw),
  }
  return {
    files: [
      { path: `${file}.mcp.json`, text: `${JSON.stringify(snapshot, null, 2)}\n` },
      { path: `${file}.mcp.ts`, text: toolsetModule(toolset, capture, imported.value) },
    ],
    tools: imported.value.tools.length,
    described: imported.value.tools.filter(({ result }) => result !== true).length,
    diagnostics: [...diagnostics, ...imported.diagnostics],
  }
}
