import { sameJson } from '../schema/json/json.js'
import type { Json } from '../schema/json/json-schema.js'

/** How a tool stands to what an earlier import has read. */
export interface ListChange {
  /** The tool's name where it comes from. */
  readonly tool: string
  readonly kind: 'added' | 'removed' | 'changed'
}

/** A tool under its name where it comes from, with all that was said of it. */
export interface ListedTool {
  readonly name: string
  readonly raw: Json
}

/** What is new, gone and not as it was in a list of tools; the order of tools and of keys does not count. */
export function toolListChanges(before: readonly ListedTool[], now: readonly ListedTool[]): readonly ListChange[] {
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
function byName(tools: readonly ListedTool[]): ReadonlyMap<string, ListedTool> {
  const first = new Map<string, ListedTool>()
  for (const tool of tools) if (!first.has(tool.name)) first.set(tool.name, tool)
  return first
}
