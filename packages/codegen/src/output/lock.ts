import type { AgentIr, DesignIr, Json, ToolIr, ToolsetIr } from '../ir/types.js'
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
    ['toolsets', new Map(ir.toolsets.map((toolset): Entry => [toolset.name, printed(toolset)]))],
    ['agents', new Map(ir.agents.map((agent): Entry => [agent.name, agentLines(agent)]))],
  ])
  return `${print(lock, '')}\n`
}

/** An object whose entries stand on lines of their own, in this order (a plain object would move keys like `1`). */
type Block = ReadonlyMap<string, BlockEntry>

type BlockEntry = Block | Printed | Json

/** Text that is part of the lock as it is. */
class Printed {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Entry = readonly [key: string, value: BlockEntry]

const printedToolsets = new WeakMap<ToolsetIr, Printed>()

/** Returns a toolset's lines, made once. */
function printed(toolset: ToolsetIr): Printed {
  const known = printedToolsets.get(toolset) ?? new Printed(print(toolsetLines(toolset), '    '))
  printedToolsets.set(toolset, known)
  return known
}

function toolsetLines(toolset: ToolsetIr): Block {
  return new Map<string, BlockEntry>([
    ['namespace', toolset.namespace],
    ['description', toolset.description],
    ['defs', new Map(Object.entries(toolset.defs))],
    ['tools', new Map(toolset.tools.map((tool): Entry => [tool.name, toolLines(tool, remoteName(toolset, tool))]))],
  ])
}

/** Returns the name that an MCP server has for a tool; a call under another one reaches nothing. */
function remoteName({ mcp }: ToolsetIr, { name }: ToolIr): string | undefined {
  return mcp?.tools.find(({ tool }) => tool === name)?.name
}

function toolLines(tool: ToolIr, remote: string | undefined): Block {
  const lines: Entry[] = [
    ['hash', tool.hash],
    ...(remote === undefined ? [] : [['remote', remote] as const]),
    ['about', about(tool)],
    ['arguments', tool.arguments],
  ]
  if (tool.serverOwned.length > 0) {
    lines.push(['serverOwned', tool.serverOwned.map(({ field, from, schema }) => ({ field, from, schema }))])
  }
  lines.push(['result', tool.result])
  if (tool.updates !== undefined) lines.push(['updates', tool.updates])
  return new Map(lines)
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
  return new Map<string, BlockEntry>([
    [
      'about',
      { description, ...(instructions !== undefined && { instructions }), ...(policy !== undefined && { policy }) },
    ],
    ['uses', new Map(uses)],
    ['exports', agent.exports.map((offered) => offered.toolset)],
  ])
}

function print(value: BlockEntry, indent: string): string {
  if (value instanceof Printed) return value.text
  if (!(value instanceof Map)) return JSON.stringify(value)
  if (value.size === 0) return '{}'
  const inner = `${indent}  `
  const lines = [...value].map(([key, entry]) => `${inner}${JSON.stringify(key)}: ${print(entry, inner)}`)
  return `{\n${lines.join(',\n')}\n${indent}}`
}

/** The files that toolgen wrote, with the hash of each. */
export interface Lock {
  /** Path below the output folder → content hash. */
  readonly files: ReadonlyMap<string, string>
}

/** A lock's text as it was read. */
export type LockReading =
  | { readonly kind: 'read'; readonly lock: Lock }
  /** Written by a later toolgen. */
  | { readonly kind: 'newer'; readonly contract: number }
  /** Not a lock; `reason` ends the sentence "it ...". */
  | { readonly kind: 'corrupt'; readonly reason: string }

/** The lock that this process wrote last: a large one takes longer to read than all else of a run while watching. */
let written: { readonly text: string; readonly lock: Lock } | undefined

/** Remembers a lock that was written, which lists these files. */
export function rememberLock(text: string, files: readonly EmittedFile[]): void {
  written = { text, lock: { files: new Map(files.map((file) => [file.path, hashOf(file)])) } }
}

/** Reads `toolgen.lock.json`; a path that leaves the output folder makes the whole lock corrupt. */
export function readLock(text: string): LockReading {
  if (written?.text === text) return { kind: 'read', lock: written.lock }
  const parsed = parseJson(text)
  if (parsed === undefined) {
    return corrupt(/^(<<<<<<<|=======|>>>>>>>)/m.test(text) ? 'holds the marks of a merge conflict' : 'is not JSON')
  }
  const { contract, files: listed } = isRecord(parsed) ? parsed : {}
  if (typeof contract !== 'number' || !Number.isInteger(contract) || contract < 1) {
    return corrupt('has no contract version')
  }
  if (contract > lockContract) return { kind: 'newer', contract }
  if (!isRecord(listed)) return corrupt('has no list of files')
  const files = new Map<string, string>()
  for (const [path, hash] of Object.entries(listed)) {
    if (!isOutputPath(path))
      return corrupt(`lists the path ${JSON.stringify(path)}, which lies outside the output folder`)
    if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) {
      return corrupt(`gives ${JSON.stringify(path)} no SHA-256 hash`)
    }
    files.set(path, hash)
  }
  return { kind: 'read', lock: { files } }
}

function corrupt(reason: string): LockReading {
  return { kind: 'corrupt', reason }
}

/** Returns the value of a JSON text; `undefined` where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
