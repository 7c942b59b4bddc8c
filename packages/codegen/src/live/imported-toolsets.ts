import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Checked } from '../diagnostics/diagnostic.js'
import { isImported } from '../import/import-names.js'
import { type McpCapture, readCapture } from '../import/mcp/capture.js'
import { readJsonFile } from '../import/read-json-file.js'
import type { DesignIr } from '../ir/types.js'
import { noSnapshot } from './live-diagnostics.js'

/** A toolset that an import of the tools of an MCP server has written. */
export interface ImportedToolset {
  readonly toolset: string
  /** The snapshot, relative to the project's root, with `/`. */
  readonly snapshot: string
  readonly text: string
  /** What the server listed when it was captured. */
  readonly capture: McpCapture
}

/** Finds the toolsets that imports have written, with the snapshots beside their modules. */
export function importedToolsets({ toolsets }: DesignIr, root: string): Required<Checked<readonly ImportedToolset[]>> {
  const read = toolsets
    .filter(({ place }) => place.file.endsWith('.mcp.ts') && isImported(readFileSync(join(root, place.file), 'utf8')))
    .map(({ name, place }) => readImported(name, place.file.replace(/\.ts$/, '.json'), root))
  return {
    value: read.flatMap(({ value }) => value ?? []),
    diagnostics: read.flatMap(({ diagnostics }) => diagnostics),
  }
}

function readImported(toolset: string, snapshot: string, root: string): Checked<ImportedToolset> {
  const file = readJsonFile(join(root, snapshot))
  if ('why' in file) return { diagnostics: [noSnapshot({ toolset, snapshot }, file.why)] }
  const { value: capture, diagnostics } = readCapture(file.json, `\`${snapshot}\``)
  return capture === undefined
    ? { diagnostics }
    : { value: { toolset, snapshot, text: file.text, capture }, diagnostics }
}
