import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataFolder, hasData } from '../data.js'

/** A tool as an MCP server lists it. */
export interface CapturedTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema: unknown
  readonly outputSchema?: unknown
}

/** Captured data of one MCP server. */
export interface Capture {
  /** File name of the capture, for example `memory.json`. */
  readonly file: string
  readonly tools: readonly CapturedTool[]
}

/** Captures of all servers, sorted by file; empty without the data folder. */
export const captures: readonly Capture[] = hasData
  ? readdirSync(join(dataFolder() ?? '', 'mcp'))
      .sort()
      .map((file): Capture => ({ file, tools: JSON.parse(textOf(file)).tools }))
  : []

function textOf(file: string): string {
  return readFileSync(join(dataFolder() ?? '', 'mcp', file), 'utf8')
}
