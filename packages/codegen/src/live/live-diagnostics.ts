import { dirname } from 'node:path'
import type { Diagnostic, SourcePlace } from '../diagnostics/diagnostic.js'
import { nearest } from '../diagnostics/near.js'
import { shellWord } from '../text/shell-word.js'
import type { ImportedToolset } from './imported-toolsets.js'
import type { ToolChange } from './tool-changes.js'

/** Which snapshot of which toolset. */
type Which = Pick<ImportedToolset, 'toolset' | 'snapshot'>

/** One difference between what was captured and what the server lists now, at its place in the snapshot. */
export function drifted(which: Which, { message }: ToolChange, place: SourcePlace): Diagnostic {
  return {
    code: 'TG6010',
    severity: 'error',
    message,
    place,
    next: `Look at what changed, then run \`${importCommand(which)}\` and \`toolgen generate\`.`,
  }
}

/** The snapshot does not say where the server is: an error where this server was asked for. */
export function notAsked({ toolset, snapshot }: Which, severity: 'error' | 'warning'): Diagnostic {
  return {
    code: 'TG0015',
    severity,
    message: `The server of \`${toolset}\` was not asked, because the snapshot does not say where it is.`,
    place: { file: snapshot, line: 1, column: 1 },
    next: `Say it: \`toolgen check --live ${shellWord(toolset)} -- COMMAND\` or \`--url URL\`; an import from the server itself writes it down.`,
  }
}

/** A module that an import has written has lost its snapshot. */
export function noSnapshot(which: Which, why: string): Diagnostic {
  return {
    code: 'TG6011',
    severity: 'error',
    message: `The snapshot of \`${which.toolset}\` cannot be read: ${why}.`,
    place: { file: which.snapshot, line: 1, column: 1 },
    next: `Restore it from version control, or import again: \`${importCommand(which)} -- COMMAND\`.`,
  }
}

/** No toolset of that name was imported. */
export function notImported(name: string, imported: readonly string[]): Diagnostic {
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
