import type { Diagnostic } from '../../diagnostics/diagnostic.js'
import type { EmittedFile } from '../../write/file.js'
import { type McpCapture, readCapture } from './capture.js'
import { importTools } from './imported-tools.js'
import type { McpOrigin } from './origin.js'
import { secretIn } from './origin-secret.js'
import { type ListChange, toolListChanges } from './tool-list-changes.js'
import { importNames, importNote, toolsetModule } from './toolset-module.js'

/** What an import of the tools of an MCP server gives. */
export interface McpImport {
  /** The snapshot and the toolset's module, by their paths below the folder of the design; none with errors. */
  readonly files: readonly EmittedFile[]
  readonly tools: number
  /** How many tools describe their result. */
  readonly described: number
  /** How the tools stand to the earlier capture; none where there is none. */
  readonly changes: readonly ListChange[]
  readonly diagnostics: readonly Diagnostic[]
}

/** What is captured, and what is made of it. */
export interface McpImportSource {
  /** Parsed JSON. */
  readonly captured: unknown
  /** What it was read from, for messages. */
  readonly source: string
  /** Where the server was asked. Default: what the capture says. Not written down where it seems to hold a secret. */
  readonly origin?: McpOrigin
  /** The server's names of tools whose progress becomes updates. Default: those that the capture names. */
  readonly progress?: readonly string[]
  /** What an earlier import has captured. */
  readonly earlier?: McpCapture
}

/**
 * Makes a toolset of what was captured of a server. The same capture gives the same bytes, also when it is the snapshot of
 * an earlier import.
 */
export function importMcp(toolset: string, { captured, source, ...said }: McpImportSource): McpImport {
  const { value: capture, diagnostics } = readCapture(captured, source)
  if (capture === undefined) return { files: [], tools: 0, described: 0, changes: [], diagnostics }
  const { origin = capture.origin, progress = capture.progress ?? [], earlier } = said
  const secret = origin === undefined ? undefined : secretIn(origin)
  const imported = importTools(capture, toolset, progress)
  const { file } = importNames(toolset)
  const snapshot = {
    about: importNote(toolset),
    ...(origin !== undefined && secret === undefined && { origin }),
    ...(progress.length > 0 && { progress }),
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
    changes: earlier === undefined ? [] : toolListChanges(earlier.tools, capture.tools),
    diagnostics: [
      ...diagnostics,
      ...imported.diagnostics,
      ...(secret === undefined ? [] : [originKeptBack(toolset, secret)]),
    ],
  }
}

function originKeptBack(toolset: string, secret: string): Diagnostic {
  return {
    code: 'TG6007',
    severity: 'warning',
    message: `The snapshot does not say how to ask the server of \`${toolset}\` again: \`${secret}\` seems to hold a secret.`,
    next: "Import again with a variable of the environment in its place, in single quotes: `'${SECRET}'`.",
  }
}
