import { deepEqual } from '@toolgen/runtime/schema'
import type { Json } from '../schema/json-schema.js'

/** A difference to the tools of an earlier import. */
export interface ListChange {
  /** The source's name of the tool. */
  readonly tool: string
  readonly kind: 'added' | 'removed' | 'changed'
}

/** A tool of a source, with everything that the source says about it. */
export interface ListedTool {
  readonly name: string
  readonly raw: Json
}

/**
 * Compares the tools of a source with those of an earlier import, if there is one. The order of tools and keys does not
 * matter. Of several tools of one name, the first counts.
 */
export function toolListChanges(
  before: readonly ListedTool[] | undefined,
  after: readonly ListedTool[],
): readonly ListChange[] {
  if (before === undefined) return []
  const byName = (tools: readonly ListedTool[]): ReadonlyMap<string, Json> => {
    const found = new Map<string, Json>()
    for (const { name, raw } of tools) if (!found.has(name)) found.set(name, raw)
    return found
  }
  const [earlier, present] = [byName(before), byName(after)]
  return [
    ...[...present].flatMap(([tool, raw]): readonly ListChange[] => {
      const known = earlier.get(tool)
      if (known === undefined) return [{ tool, kind: 'added' }]
      return deepEqual(known, raw) ? [] : [{ tool, kind: 'changed' }]
    }),
    ...[...earlier.keys()].filter((tool) => !present.has(tool)).map((tool): ListChange => ({ tool, kind: 'removed' })),
  ]
}
