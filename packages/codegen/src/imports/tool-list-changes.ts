import { deepEqual } from '@toolgen/runtime/schema'
import type { Json } from '../schema/json-schema.js'

export interface ListChange {
  readonly tool: string
  readonly kind: 'added' | 'removed' | 'changed'
}

export interface ListedTool {
  readonly name: string
  readonly raw: Json
}

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
