import type { Diagnostic } from '../../diagnostics/diagnostic.js'
import { importNames, importNote } from '../import-names.js'
import { toolListChanges } from '../tool-list-changes.js'
import { noImport, type ToolsetImport } from '../toolset-import.js'
import { toolsetModule } from '../toolset-module.js'
import { type McpCapture, readCapture } from './capture.js'
import { importTools } from './imported-tools.js'
import type { McpOrigin } from './origin.js'
import { secretIn } from './origin-secret.js'
import { serverToolset } from './server-toolset.js'
import { noTools } from './tool-diagnostics.js'

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
export function importMcp(toolset: string, { captured, source, ...said }: McpImportSource): ToolsetImport {
  const { value: capture, diagnostics } = readCapture(captured, source)
  if (capture === undefined) return noImport(diagnostics)
  const { origin = capture.origin, progress = capture.progress ?? [], earlier } = said
  const secret = origin === undefined ? undefined : secretIn(origin)
  const imported = importTools(capture, toolset, progress)
  const found = [...diagnostics, ...imported.diagnostics]
  if (imported.value.tools.length === 0) return noImport([...found, noTools(source)])
  const names = importNames('mcp', toolset)
  const snapshot = {
    about: importNote('mcp', toolset),
    ...(origin !== undefined && secret === undefined && { origin }),
    ...(progress.length > 0 && { progress }),
    ...(capture.server !== undefined && { server: capture.server }),
    tools: capture.tools.map(({ raw }) => raw),
  }
  return {
    files: [
      { path: names.snapshot, text: `${JSON.stringify(snapshot, null, 2)}\n` },
      { path: names.module, text: toolsetModule(serverToolset(toolset, capture, imported.value)) },
    ],
    tools: imported.value.tools.length,
    described: imported.value.tools.filter(({ result }) => result !== true).length,
    changes: earlier === undefined ? [] : toolListChanges(earlier.tools, capture.tools),
    diagnostics: [...found, ...(secret === undefined ? [] : [originKeptBack(toolset, secret)])],
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
