import type {
  McpCaller,
  McpDriftReport,
  McpExecutorOptions,
  McpServedTool,
  McpToolInfo,
  ToolsetImport,
} from '../../contract/mcp.js'
import { ToolFailure } from '../failure/tool-failure.js'
import { isBreaking, mcpDrift } from './drift.js'

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
  async before(caller: McpCaller, tool: McpServedTool): Promise<void> {
    if (this.#onDrift === 'ignore') return
    const checked = this.check(caller)
    if (this.#onDrift !== 'fail') {
      // Who cannot list tools cannot be called either: the call itself says so.
      checked.catch(() => undefined)
      return
    }
    const breaking = (await checked).changes.find((change) => change.tool === tool.name && isBreaking(change))
    if (breaking === undefined) return
    const cause = new TypeError(`${breaking.message} Import the server's tools again.`)
    const message = 'The tool has changed on its server and cannot be called until it is imported again.'
    throw new ToolFailure(message, { reason: breaking.kind === 'removed' ? 'unknown_tool' : 'internal', cause })
  }

  /** Whether the server has a tool: as it says now, else as it was captured. */
  async has(caller: McpCaller, { name }: McpServedTool): Promise<boolean> {
    await this.check(caller).catch(() => undefined)
    return this.#live?.some((tool) => tool.name === name) ?? true
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
