import { posix } from 'node:path'
import { type ImportKind, importNames } from '../../import/import-names.js'
import type { ToolsetIr } from '../../ir/types.js'

/** From where a toolset was imported, whose module nobody edits; `undefined` for one that stands in the design itself. */
export function importOf({ name, place, mcp }: ToolsetIr): ImportKind | undefined {
  if (mcp !== undefined) return 'mcp'
  const module = posix.basename(place.file)
  return (['openapi', 'functions'] as const).find((kind) => module === importNames(kind, name).module)
}

const origins: Readonly<Record<ImportKind, string>> = {
  mcp: "an MCP server's: change it there",
  openapi: 'that of an OpenAPI document: change it there and import again',
  functions: 'imported: change its description where it is from and import again',
}

/** What to do about a finding of a rule about an imported tool, which is not the design's to change. */
export function nextOfImported(kind: ImportKind, rule: string): string {
  return `The tool is ${origins[kind]}, leave it out with \`only\`, or give a reason in \`lint: { '${rule}': '...' }\` of the agents that use it.`
}
