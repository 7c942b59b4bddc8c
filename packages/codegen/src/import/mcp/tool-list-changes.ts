import { sameJson } from '../../schema/json/json.js'
import type { CapturedTool } from './capture.js'

/** How a tool stands to what an earlier import has captured of the server. */
export interface ListChange {
  /** The server's own name of the tool. */
  readonly tool: string
  readonly kind: 'added' | 'removed' | 'changed'
}

/** What is new, gone and not as it was in a server's list of tools; the order of tools and of keys does not count. */
export function toolListChanges(before: readonly CapturedTool[], now: readonly CapturedTool[]): readonly ListChange[] {
  const known = byName(before)
  const listed = byName(now)
  return [
    ...[...listed.values()].flatMap(({ name, raw }): readonly ListChange[] => {
      const earlier = known.get(name)
      if (earlier === undefined) return [{ tool: name, kind: 'added' }]
      return sameJson(earlier.raw, raw) ? [] : [{ tool: name, kind: 'changed' }]
    }),
    ...[...known.keys()]
      .filter((name) => !listed.has(name))
      .map((name): ListChange => ({ tool: name, kind: 'removed' })),
  ]
}

/** Of several tools of one name, the first one counts, as it does for what is imported. */
function byName(tools: readonly CapturedTool[]): ReadonlyMap<string, CapturedTool> {
  const first = new Map<string, CapturedTool>()
  for (const tool of tools) if (!first.has(tool.name)) first.set(tool.name, tool)
  return first
}
