import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { readCapture } from '../import/mcp/capture.js'
import { type McpOrigin, shownOrigin } from '../import/mcp/origin.js'
import { readLive } from '../import/mcp/read-live.js'
import { loadInstalled } from '../installed/load-installed.js'
import type { DesignIr } from '../ir/types.js'
import { changePlaces } from './change-place.js'
import { type ImportedToolset, importedToolsets } from './imported-toolsets.js'
import { drifted, notAsked, notImported } from './live-diagnostics.js'
import { type ToolChange, toolChanges } from './tool-changes.js'

/** Which servers are asked: all that snapshots name, or that of one toolset, which may be another than its snapshot names. */
export type LiveChoice = 'all' | { readonly toolset: string; readonly origin?: McpOrigin }

/** How the server of an imported toolset stands to its snapshot. */
export interface LiveToolset {
  readonly toolset: string
  /** The snapshot, relative to the project's root, with `/`. */
  readonly snapshot: string
  /** `unasked`: nothing says where the server is; `silent`: it did not tell its tools. */
  readonly state: 'same' | 'drifted' | 'silent' | 'unasked'
  readonly changes: readonly ToolChange[]
}

/** What was found of servers. */
export interface LiveCheck {
  readonly toolsets: readonly LiveToolset[]
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Asks the servers of imported toolsets for their tools and compares them with the snapshots.
 *
 * @param root the project's folder, in which servers are started: absolute
 */
export async function checkLive(ir: DesignIr, root: string, choice: LiveChoice): Promise<LiveCheck> {
  const { value: imported, diagnostics } = importedToolsets(ir, root)
  const chosen = choice === 'all' ? imported : imported.filter(({ toolset }) => toolset === choice.toolset)
  if (choice !== 'all' && chosen.length === 0 && diagnostics.length === 0) {
    const names = imported.map(({ toolset }) => toolset)
    return { toolsets: [], diagnostics: [notImported(choice.toolset, names)] }
  }
  const checks = await Promise.all(chosen.map((each) => checkOne(each, choice, root)))
  return {
    toolsets: checks.flatMap(({ toolsets }) => toolsets),
    diagnostics: [...diagnostics, ...checks.flatMap((check) => check.diagnostics)],
  }
}

async function checkOne(imported: ImportedToolset, choice: LiveChoice, root: string): Promise<LiveCheck> {
  const { toolset, snapshot, capture } = imported
  const stands = (
    state: LiveToolset['state'],
    diagnostics: readonly Diagnostic[],
    changes: readonly ToolChange[] = [],
  ): LiveCheck => ({ toolsets: [{ toolset, snapshot, state, changes }], diagnostics })

  const origin = (choice === 'all' ? undefined : choice.origin) ?? capture.origin
  if (origin === undefined) return stands('unasked', [notAsked(imported, choice === 'all' ? 'warning' : 'error')])
  const [answer, drift] = await Promise.all([
    readLive(origin, root),
    loadInstalled('@toolgen/runtime', 'mcpDrift', root),
  ])
  if (answer.value === undefined || drift.value === undefined) {
    return stands('silent', answer.value === undefined ? answer.diagnostics : drift.diagnostics)
  }
  const live = readCapture(answer.value, `The answer of ${shownOrigin(origin)}`)
  if (live.value === undefined) return stands('silent', live.diagnostics)
  const changes = toolChanges(drift.value, capture.tools, live.value.tools)
  const placeOf = changePlaces(imported)
  const found = changes.map((change) => drifted(imported, change, placeOf(change)))
  const warnings = [...answer.diagnostics, ...live.diagnostics]
  return stands(changes.length === 0 ? 'same' : 'drifted', [...warnings, ...found], changes)
}
