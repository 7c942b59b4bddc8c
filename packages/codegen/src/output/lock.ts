import { cachedBy } from '../defined.js'
import type { AgentIr, DesignIr, Json, McpServedToolIr, ToolIr, ToolsetIr } from '../ir/types.js'
import { isObject, objectFrom, type SchemaObject } from '../schema/json-schema.js'
import { byCodePoint } from '../text.js'
import { type EmittedFile, hashOf, isOutputPath } from './files.js'

export const lockPath = 'toolgen.lock.json'

/** toolgen rejects a lock file with a higher version. */
export const lockContract = 1

/** The same design and files always result in the same bytes. */
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

/** A map, because a plain object would move keys such as `1` to the start. */
type Block = ReadonlyMap<string, BlockEntry>

type BlockEntry = Block | Json | (() => string)

type Entry = readonly [key: string, value: BlockEntry]

const toolsetText = cachedBy((toolset: ToolsetIr) => print(toolsetLines(toolset), '    '))

function toolsetLines(toolset: ToolsetIr): Block {
  const servedTool = ({ name }: ToolIr): McpServedToolIr | undefined =>
    toolset.mcp?.tools.find(({ tool }) => tool === name)
  return new Map<string, BlockEntry>([
    ['namespace', toolset.namespace],
    ['description', toolset.description],
    ['defs', new Map(Object.entries(toolset.defs))],
    ['tools', new Map(toolset.tools.map((tool): Entry => [tool.name, toolLines(tool, toolset, servedTool(tool))]))],
    ...offeredLines(toolset),
  ])
}

function offeredLines({ mcp }: ToolsetIr): readonly Entry[] {
  const { prompts = [], resourceTemplates = [] } = mcp ?? {}
  const textSchema = { type: 'string' }
  const described = (description: string | undefined): SchemaObject =>
    description === undefined ? {} : { description }
  const objectOf = (
    fields: readonly { readonly name: string; readonly isRequired: boolean; readonly schema: SchemaObject }[],
  ): SchemaObject => {
    const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)
    const properties = objectFrom(fields.map(({ name, schema }) => [name, schema] as const))
    return { type: 'object', properties, ...(required.length > 0 && { required }) }
  }
  const ofPrompts = prompts.map(({ name, description, arguments: args }): Entry => {
    const fields = args.map(({ name: field, description: about, required }) => {
      return { name: field, isRequired: required, schema: { ...textSchema, ...described(about) } }
    })
    return [name, { ...described(description), arguments: objectOf(fields) }]
  })
  const ofTemplates = resourceTemplates.map(({ name, uriTemplate, description, variables }): Entry => {
    const fields = variables.map(({ name: field, isList, isOptional }) => {
      const schema = isList ? { type: ['string', 'array'], items: textSchema } : textSchema
      return { name: field, isRequired: !isOptional, schema }
    })
    return [name, { uriTemplate, ...described(description), variables: objectOf(fields) }]
  })
  return [
    ...(ofPrompts.length > 0 ? [['prompts', new Map(ofPrompts)] as const] : []),
    ...(ofTemplates.length > 0 ? [['resourceTemplates', new Map(ofTemplates)] as const] : []),
  ]
}

function toolLines(tool: ToolIr, { openapi }: ToolsetIr, served: McpServedToolIr | undefined): Block {
  const serverOwned = tool.serverOwned.map(({ field, from, schema }) => ({ field, from, schema }))
  const lines: readonly (readonly [string, BlockEntry | undefined])[] = [
    ['hash', tool.hash],
    // Name of the tool on its MCP server; calls with another name fail.
    ['remote', served?.name],
    ['serverHash', served?.hash],
    ['about', about(tool)],
    ['arguments', tool.arguments],
    ['serverOwned', serverOwned.length > 0 ? serverOwned : undefined],
    ['result', tool.result],
    ['updates', tool.updates],
    // An empty object, because a tool without this entry is not compared: its errors are unknown.
    ['errors', tool.errors ?? (openapi === undefined ? undefined : {})],
    ['failures', tool.failures && new Map(tool.failures.map(({ name, ...failure }): Entry => [name, { ...failure }]))],
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
    ...(tool.reads !== undefined && { reads: tool.reads }),
    ...(tool.writes !== undefined && { writes: tool.writes }),
    ...(tool.confirmation !== undefined && { confirmation: { ...tool.confirmation } }),
    ...(tool.defaultLayers !== undefined && { defaultLayers: { ...tool.defaultLayers } }),
    ...(tool.maxResult !== undefined && { maxResult: { ...tool.maxResult } }),
    ...(tool.sensitive !== undefined && { sensitive: { ...tool.sensitive } }),
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
  const { description, instructions, policy, maxResult } = agent
  const maxResults = usedMaxResults(agent)
  const more = {
    ...(instructions !== undefined && { instructions }),
    ...(policy !== undefined && { policy }),
    ...(maxResult !== undefined && { maxResult: { ...maxResult } }),
    ...(Object.keys(maxResults).length > 0 && { maxResults }),
  }
  return new Map<string, BlockEntry>([
    ['about', { description, ...more }],
    ['uses', new Map(uses)],
    ['exports', agent.exports.map((offered) => offered.toolset)],
  ])
}

function usedMaxResults({ uses }: AgentIr): { readonly [name: string]: Json } {
  const ofUses = uses.flatMap(({ as, maxResult, tools }) => [
    ...(maxResult === undefined ? [] : [[as, { ...maxResult }] as const]),
    ...tools.flatMap((tool) =>
      tool.maxResult === undefined ? [] : [[`${as}.${tool.tool}`, { ...tool.maxResult }] as const],
    ),
  ])
  return Object.fromEntries(ofUses)
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
  readonly files: ReadonlyMap<string, string>
}

export type LockReading =
  | { readonly kind: 'read'; readonly lock: Lock }
  | { readonly kind: 'newer'; readonly contract: number }
  /** `reason` is the predicate of a sentence about the lock file, such as `has no contract version`. */
  | { readonly kind: 'corrupt'; readonly reason: string }

/** In watch mode, parsing a large lock file would take longer than all other steps of the generator. */
let written: { readonly text: string; readonly lock: Lock } | undefined

export function rememberLock(text: string, files: readonly EmittedFile[]): void {
  written = { text, lock: { files: new Map(files.map((file) => [file.path, hashOf(file)])) } }
}

/** A path outside of the output folder makes the lock file invalid. */
export function readLock(text: string): LockReading {
  if (written?.text === text) return { kind: 'read', lock: written.lock }
  const corrupt = (reason: string): LockReading => ({ kind: 'corrupt', reason })
  const parsed = parseJson(text)
  if (parsed === undefined) {
    return corrupt(
      /^(<<<<<<<|=======|>>>>>>>)/m.test(text) ? 'contains the markers of a merge conflict' : 'is not JSON',
    )
  }
  const { contract, files: listed } = isObject(parsed) ? parsed : {}
  if (typeof contract !== 'number' || !Number.isInteger(contract) || contract < 1) {
    return corrupt('has no contract version')
  }
  if (contract > lockContract) return { kind: 'newer', contract }
  if (!isObject(listed)) return corrupt('has no property `files`')
  const files = new Map<string, string>()
  for (const [path, hash] of Object.entries(listed)) {
    const name = JSON.stringify(path)
    if (!isOutputPath(path)) return corrupt(`lists the path ${name}, which is outside the output folder`)
    if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) return corrupt(`has no SHA-256 hash for ${name}`)
    files.set(path, hash)
  }
  return { kind: 'read', lock: { files } }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
