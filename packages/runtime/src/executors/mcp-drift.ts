import { MAX_NEAR } from '../call/execute.js'
import { ToolFailure } from '../call/tool-failure.js'
import { nearestNames } from '../schema/nearest.js'
import type {
  McpCaller,
  McpDrift,
  McpDriftReport,
  McpExecutorOptions,
  McpServedTool,
  McpToolInfo,
  ToolsetImport,
} from '../types/mcp.js'
import type { AgentToolSpec, ToolId } from '../types/tool.js'
import { sameJson, schemaDrift } from './schema-drift.js'

/**
 * How the tools that a server lists differ from those that were captured.
 *
 * @param unused names of captured tools that nobody uses: they are not reported as added
 *
 * @example
 * for (const { message } of mcpDrift(captured, await caller.listTools()).changes) console.log(message)
 */
export function mcpDrift(
  captured: readonly McpServedTool[],
  live: readonly McpToolInfo[],
  unused: readonly string[] = [],
): McpDriftReport {
  const known = new Set([...captured.map(({ name }) => name), ...unused])
  const changes = captured.flatMap((tool) => toolDrift(tool, live))
  const added = live
    .filter(({ name }) => !known.has(name))
    .map(({ name }): McpDrift => ({ tool: name, kind: 'added', message: `The server has a new tool '${name}'.` }))
  return { changes: [...changes, ...added] }
}

/** What breaks calls: a server that takes less, or that answers more. */
const breakingKind = { arguments: 'narrowed', result: 'widened' } as const

/** Whether a difference may make calls fail that were right when the tools were captured. */
export function isBreaking({ kind, side }: McpDrift): boolean {
  return kind === 'removed' || (side !== undefined && kind === breakingKind[side])
}

function toolDrift(captured: McpServedTool, live: readonly McpToolInfo[]): readonly McpDrift[] {
  const { name } = captured
  const now = live.find((tool) => tool.name === name)
  if (now === undefined) {
    return [{ tool: name, kind: 'removed', message: `The server has no tool '${name}' any more.` }]
  }
  // Declared by hand: there is nothing to compare.
  if (captured.inputSchema === undefined) return []
  const schemas = [
    ...sideDrift(name, 'arguments', captured.inputSchema, now.inputSchema),
    ...sideDrift(name, 'result', captured.outputSchema ?? true, now.outputSchema ?? true),
  ]
  const isSaid = captured.description === now.description && sameText(captured, now)
  const described: McpDrift = { tool: name, kind: 'described', message: `The tool '${name}' is described otherwise.` }
  return isSaid || (schemas.length > 0 && captured.description === now.description) ? schemas : [...schemas, described]
}

function sideDrift(
  tool: string,
  side: 'arguments' | 'result',
  captured: NonNullable<McpServedTool['inputSchema']>,
  live: McpToolInfo['inputSchema'],
): readonly McpDrift[] {
  return schemaDrift(captured, live, breakingKind[side]).map(({ kind, path, message }) => {
    const place = path === '' ? '' : ` at ${path}`
    return {
      tool,
      kind,
      side,
      path,
      message: `The ${side} of '${tool}' ${side === 'result' ? 'is' : 'are'} ${kind}${place}: ${message}.`,
    }
  })
}

/** Whether the schemas read the same, notes and all. */
function sameText(captured: McpServedTool, now: McpToolInfo): boolean {
  return sameJson(captured.inputSchema, now.inputSchema) && sameJson(captured.outputSchema, now.outputSchema)
}

/** A tool that is called, as its agent and as its server know it. */
interface BeforeToolContext {
  readonly tool: AgentToolSpec
  readonly served: McpServedTool
}

/** A server's refusal of a call as wrong. */
export interface ServerRefusal {
  /** The server's own words, for models; may be empty. */
  readonly text: string
  /** What was thrown, where something was. */
  readonly cause: unknown
}

/** Knows what a server lists now and how that differs from what was captured. */
export class DriftWatch {
  readonly #imported: ToolsetImport
  readonly #onDrift: NonNullable<McpExecutorOptions['onDrift']>
  #live: readonly McpToolInfo[] | undefined
  #checked: Promise<McpDriftReport> | undefined
  readonly #heard = new WeakSet<McpCaller>()

  constructor(imported: ToolsetImport, onDrift: McpExecutorOptions['onDrift'] = 'warn') {
    this.#imported = imported
    this.#onDrift = onDrift
  }

  /** Lists and compares, unless that is done; a list that could not be had is asked for again the next time. */
  check(caller: McpCaller): Promise<McpDriftReport> {
    this.#listen(caller)
    if (this.#checked !== undefined) return this.#checked
    const checked = this.#compare(caller)
    this.#checked = checked
    checked.catch(() => {
      if (this.#checked === checked) this.#checked = undefined
    })
    return checked
  }

  /**
   * Before a call: waits for the comparison only where its outcome may forbid the call.
   *
   * @throws {ToolFailure} with `onDrift: 'fail'`, where the tool has changed so that its calls may be wrong.
   */
  async before(caller: McpCaller, { tool, served }: BeforeToolContext): Promise<void> {
    if (this.#onDrift === 'ignore') return
    const checked = this.check(caller)
    if (this.#onDrift !== 'fail') {
      // Who cannot list tools cannot be called either: the call itself says so.
      checked.catch(() => undefined)
      return
    }
    const breaking = (await checked).changes.find((change) => change.tool === served.name && isBreaking(change))
    if (breaking === undefined) return
    const cause = new TypeError(importAgain(breaking))
    if (breaking.kind === 'removed') throw missingTool(tool, this.#listed(), cause)
    const message = 'The tool has changed on its server and cannot be called until it is imported again.'
    throw new ToolFailure(message, { reason: 'internal', cause })
  }

  /**
   * What it means that a server refused a call as wrong, where that comes of drift: the tool is gone, or takes less than what
   * the model was told that it takes. `undefined` where the tool is as it was, or nothing is known.
   */
  async refused(
    caller: McpCaller,
    { tool, served }: BeforeToolContext,
    { text, cause }: ServerRefusal,
  ): Promise<ToolFailure | undefined> {
    const report = await this.check(caller).catch(() => undefined)
    const isThere = this.#live?.some(({ name }) => name === served.name) ?? true
    if (!isThere) return missingTool(tool, this.#listed(), cause)
    const narrowed = report?.changes.find(
      ({ tool: changed, side, kind }) => changed === served.name && side === 'arguments' && kind === 'narrowed',
    )
    if (narrowed === undefined) return undefined
    const message = `The tool has changed on its server, which refused the arguments${text === '' ? '' : `: ${text}`}`
    return new ToolFailure(message, {
      reason: 'domain_rejection',
      action: 'replan',
      cause: new TypeError(importAgain(narrowed), cause === undefined ? undefined : { cause }),
    })
  }

  #listed(): { readonly imported: ToolsetImport; readonly live: readonly McpToolInfo[] } {
    return { imported: this.#imported, live: this.#live ?? [] }
  }

  async #compare(caller: McpCaller): Promise<McpDriftReport> {
    const live = await caller.listTools()
    this.#live = live
    const report = mcpDrift(Object.values(this.#imported.tools), live, this.#imported.unused)
    if (report.changes.length > 0) this.#tell(report)
    return report
  }

  #tell(report: McpDriftReport): void {
    if (typeof this.#onDrift === 'function') this.#onDrift(report)
    else if (this.#onDrift === 'warn') {
      const lines = report.changes.map(({ message }) => `  - ${message}`)
      const { name } = this.#imported.toolset
      console.warn([`The MCP server of toolset '${name}' has changed since it was captured:`, ...lines].join('\n'))
    }
  }

  #listen(caller: McpCaller): void {
    if (this.#heard.has(caller)) return
    this.#heard.add(caller)
    caller.onToolsChanged?.(() => {
      this.#checked = undefined
      if (this.#onDrift !== 'ignore') this.check(caller).catch(() => undefined)
    })
  }
}

function importAgain({ message }: McpDrift): string {
  return `${message} Import the server's tools again.`
}

/** What the server lists now, of what was imported. */
interface ListedTools {
  readonly imported: ToolsetImport
  readonly live: readonly McpToolInfo[]
}

/**
 * The failure of a call for a tool that its server does not list any more, under the name by which models know it, with near
 * ones of the toolset that it does list, by the ids by which they are called.
 */
function missingTool(tool: AgentToolSpec, listed: ListedTools, cause: unknown): ToolFailure {
  const message = `The tool ${JSON.stringify(tool.toolName)} is not available any more.`
  const near = nearestNames(tool.name, listedNames(listed), MAX_NEAR).map((name) => siblingId(tool, name))
  return new ToolFailure(message, { reason: 'unknown_tool', near, cause })
}

/** The tools of the toolset that the server lists, by their names in it. */
function listedNames({ imported: { toolset, tools }, live }: ListedTools): readonly string[] {
  const remote = new Set(live.map(({ name }) => name))
  const listed = new Map(Object.entries(tools).map(([name, served]) => [name, remote.has(served.name)]))
  return toolset.tools.map(({ spec }) => spec.name).filter((name) => listed.get(name))
}

/** The id of a tool of the same use, which an agent may know by another name than the toolset's. */
function siblingId({ qualifiedId, provider, name }: AgentToolSpec, sibling: string): ToolId {
  const use = qualifiedId.slice(provider.length + 1, -(name.length + 1))
  return `${use}.${sibling}`
}
