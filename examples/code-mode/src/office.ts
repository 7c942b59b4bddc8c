import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SdkCaller, stdioCaller } from '@toolgen/runtime/mcp'
import { INVOICES, invoiceText, SUPPLIERS } from './invoices.js'

/** The MCP servers of the office. */
export interface Office {
  readonly files: SdkCaller
  readonly memory: SdkCaller
}

const require = createRequire(import.meta.url)
const FILES = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js')
const MEMORY = require.resolve('@modelcontextprotocol/server-memory/dist/index.js')

/** Creates a folder with the invoices and starts both servers. Stops the servers and removes the folder after `work`. */
export async function inNewOffice<Result>(work: (office: Office) => Promise<Result>): Promise<Result> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'toolgen-code-mode-')))
  const started: SdkCaller[] = []
  const start = (args: readonly string[], env: Record<string, string> = {}): SdkCaller => {
    const caller = stdioCaller({ command: process.execPath, args, cwd: folder, env })
    started.push(caller)
    return caller
  }
  try {
    await mkdir(join(folder, 'invoices'))
    for (const invoice of INVOICES)
      await writeFile(join(folder, 'invoices', `${invoice.number}.txt`), invoiceText(invoice))
    const entities = SUPPLIERS.map(({ name, contact }) =>
      JSON.stringify({ type: 'entity', name, entityType: 'supplier', observations: [`Contact: ${contact}`] }),
    )
    const MEMORY_FILE_PATH = join(folder, 'memory.jsonl')
    await writeFile(MEMORY_FILE_PATH, entities.join('\n'))
    return await work({ files: start([FILES, '.']), memory: start([MEMORY], { MEMORY_FILE_PATH }) })
  } finally {
    await Promise.all(started.map((caller) => caller.close()))
    await rm(folder, { recursive: true })
  }
}
