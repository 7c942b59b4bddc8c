import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importedToolset, type Snapshot } from '@toolgen/dsl'
import { elementAt } from '../defined.js'
import { readImportedToolsets } from '../load/imported-toolsets.js'
import type { ToolsetImport } from './toolset-module.js'

export function toolsetOf({ files }: ToolsetImport, options: object = {}): any {
  const { path, text } = elementAt(files, 0)
  const [toolset = '', kind] = path.split('.')
  const root = mkdtempSync(join(tmpdir(), 'toolgen-import-'))
  try {
    writeFileSync(join(root, path), text)
    const snapshot = { '~toolgen': 'snapshot', kind: kind as Snapshot['kind'], toolset, file: `./${path}` } as const
    const definitions = { toolsets: [importedToolset(snapshot, options)], agents: [], exported: new Map() }
    const {
      imported: _,
      '~toolgen': __,
      tools,
      ...fields
    } = readImportedToolsets(definitions, root, () => 'x.ts').toolsets[0] ?? {}
    const named = Object.entries(tools ?? {}).map(([name, { '~toolgen': ___, ...tool }]) => [name, tool] as const)
    return { ...fields, tools: Object.fromEntries(named) }
  } finally {
    rmSync(root, { recursive: true })
  }
}
