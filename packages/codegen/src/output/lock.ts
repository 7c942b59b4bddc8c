import type { AgentIr, DesignIr, Json, ToolIr, ToolsetIr } from '../ir/types.js'
import { isObject } from '../schema/json-schema.js'
import { byCodePoint } from '../text.js'
import { type EmittedFile, hashOf, isOutputPath } from './files.js'

/** The file's name, below the output folder. */
export const lockPath = 'toolgen.lock.json'

/** The version of the lock's form; a lock with a higher one is refused. */
export const lockContract = 1

/**
 * Returns the text of `toolgen.lock.json`: every emitted file with its hash, one a line; every tool with what callers and
 * models see of it, a few compact lines each; and what each agent calls and offers. The same design and files give the
 * same bytes.
 */
export function lockText(ir: DesignIr, files: readonly EmittedFile[]): string {
  const hashes = [...files].sort((a, b) => byCodePoint(a.path, b.path)).map((file): Entry => [file.path, hashOf(file)])
  const lock: Block = new Map<string, BlockEntry>([
    ['contract', lockContract],
    ['files', new Map(hashes)],
    ['toolsets', new Map(ir.toolsets.map((toolset): Entry => [toolset.name, () => toolsetText(toolset)]))],
    ['agents', new Map(ir.agents.map((agent): Entry => [agent.name, agentLines(agent)]))],
  ])
  return `${print(lock, '')}\n`
}

/** An object with one line per entry, in this order (a plain object would move keys like `1`). */
type Block = ReadonlyMap<string, BlockEntry>

/** A function returns text that is printed as it is. */
type BlockEntry = Block | Json | (() => string)

type Entry = readonly [key: string, value: BlockEntry]

const toolsetTexts = new WeakMap<ToolsetIr, string>()

function toolsetText(toolset: ToolsetIr): string {
  const text = toolsetTexts.get(toolset) ?? print(toolsetLines(toolset), '    ')
  toolsetTexts.set(toolset, text)
  return text
}

function toolsetLines(toolset: ToolsetIr): Block {
  // The name that an MCP server has for a tool; a call under another one reaches nothing.
  const remoteName = ({ name }: ToolIr): string | undefined =>
    toolset.mcp?.tools.find(({ tool }) => tool === name)?.name
  return new Map<string, BlockEntry>([
    ['namespace', toolset.namespace],
    ['description', toolset.description],
    ['defs', new Map(Object.entries(toolset.defs))],
    ['tools', new Map(toolset.tools.map((tool): Entry => [tool.name, toolLines(tool, remoteName(tool))]))],
  ])
}

function toolLines(tool: ToolIr, remote: string | undefined): Block {
  const serverOwned = tool.serverOwned.map(({ field, from, schema }) => ({ field, from, schema }))
  const lines: readonly (readonly [string, BlockEntry | undefined])[] = [
    ['hash', tool.hash],
    ['remote', remote],
    ['about', about(tool)],
    ['arguments', tool.arguments],
    ['serverOwned', serverOwned.length > 0 ? serverOwned : undefined],
    ['result', tool.result],
    ['updates', tool.updates],
  ]
  return new Map(lines.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])))
}

function about(tool: ToolIr): Json {
  return {
    toolName: tool.toolName,
    title: tool.title,
    description: tool.description,
    ...(tool.tags.length > 0 && { tags: tool.tags }),
    ...(tool.examples.length > 0 && { examples: tool.examples }),
    ...(tool.callHint !== undefined && { callHint: tool.callHint }),
    ...(tool.resultHint !== undefined && { resultHint: tool.resultHint }),
    ...(Object.keys(tool.annotations).length > 0 && { annotations: { ...tool.annotations } }),
    ...(tool.confirmation !== undefined && { confirmation: { ...tool.confirmation } }),
    ...(tool.defaultLayers !== undefined && { defaultLayers: { ...tool.defaultLayers } }),
    ...(tool.needsCheck && { needsCheck: true }),
  }
}

function agentLines(agent: AgentIr): Block {
  const uses = agent.uses.map((use): Entry => {
    const { toolset, provider } = use
    const tools =
      use.provider === 'mcp'
        ? use.tools.map(({ tool, toolName, remote }) => ({ tool, toolName, remote }))
        : use.tools.map(({ tool, toolName }) => ({ tool, toolName }))
    return [use.as, { toolset, provider, ...(use.provider === 'agent' && { agent: use.agent }), tools }]
  })
  const { description, instructions, policy } = agent
  const more = { ...(instructions !== undefined && { instructions }), ...(policy !== undefined && { policy }) }
  return new Map<string, BlockEntry>([
    ['about', { description, ...more }],
    ['uses', new Map(uses)],
    ['exports', agent.exports.map((offered) => offered.toolset)],
  ])
}

function print(value: BlockEntry, indent: string): string {
  if (typeof value === 'function') return value()
  if (!(value instanceof Map)) return JSON.stringify(value)
  if (value.size === 0) return '{}'
  const inner = `${indent}  `
  const lines = [...value].map(([key, entry]) => `${inner}${JSON.stringify(key)}: ${print(entry, inner)}`)
  return `{\n${lines.join(',\n')}\n${indent}}`
}

interface Lock {
  /** Path below the output folder → content hash. */
  readonly files: ReadonlyMap<string, string>
}

/** Result of reading a lock. */
export type LockReading =
  | { readonly kind: 'read'; readonly lock: Lock }
  /** Written by a later toolgen. */
  | { readonly kind: 'newer'; readonly contract: number }
  /** Not a lock; `reason` ends the sentence "it ...". */
  | { readonly kind: 'corrupt'; readonly reason: string }

/** The lock that this process wrote last: while watching, reading a large one takes longer than the rest of a run. */
let written: { readonly text: string; readonly lock: Lock } | undefined

/** Remembers a lock that was written, which lists these files. */
export function rememberLock(text: string, files: readonly EmittedFile[]): void {
  written = { text, lock: { files: new Map(files.map((file) => [file.path, hashOf(file)])) } }
}

/** Reads `toolgen.lock.json`; a path that leaves the output folder makes the whole lock corrupt. */
export function readLock(text: string): LockReading {
  if (written?.text === text) return { kind: 'read', lock: written.lock }
  const corrupt = (reason: string): LockReading => ({ kind: 'corrupt', reason })
  const parsed = parseJson(text)
  if (parsed === undefined) {
    return corrupt(/^(<<<<<<<|=======|>>>>>>>)/m.test(text) ? 'holds the marks of a merge conflict' : 'is not JSON')
  }
  const { contract, files: listed } = isObject(parsed) ? parsed : {}
  if (typeof contract !== 'number' || !Number.isInteger(contract) || contract < 1) {
    return corrupt('has no contract version')
  }
  if (contract > lockContract) return { kind: 'newer', contract }
  if (!isObject(listed)) return corrupt('has no list of files')
  const files = new Map<string, string>()
  for (const [path, hash] of Object.entries(listed)) {
    const name = JSON.stringify(path)
    if (!isOutputPath(path)) return corrupt(`lists the path ${name}, which lies outside the output folder`)
    if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) return corrupt(`gives ${name} no SHA-256 hash`)
    files.set(path, hash)
  }
  return { kind: 'read', lock: { files } }
}

/** Returns the value of a JSON text; `undefined` where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
