import type {
  McpCaller,
  McpDrift,
  McpDriftReport,
  McpExecutorOptions,
  McpServedTool,
  McpToolInfo,
  ToolsetImport,
} from '../../contract/mcp.js'
import type { AgentToolSpec } from '../../contract/spec.js'
import { ToolFailure } from '../failure/tool-failure.js'
import { isBreaking, mcpDrift } from './drift.js'
import { missingTool } from './missing-tool.js'

/** A tool that is called, as its agent and as its server know it. */
interface AskedTool {
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
  async before(caller: McpCaller, { tool, served }: AskedTool): Promise<void> {
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
    { tool, served }: AskedTool,
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
