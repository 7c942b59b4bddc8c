import { parsePointer, pointerOf } from '@toolgen/runtime/schema'
import type { SourceLocation } from '../diagnostics/diagnostic.js'
import { jsonLocations } from '../schema/json-locations.js'
import { isObject, type Json, objectOf, own } from '../schema/json-schema.js'
import { decodeFragment } from '../schema/references.js'
import type { McpCapture } from './mcp-capture.js'
import type { ToolChange } from './mcp-drift.js'
import { snapshotSources } from './toolset-module.js'

export function changeLocations({
  snapshot,
  text,
}: Pick<ImportedToolset, 'snapshot' | 'text'>): (change: ToolChange) => SourceLocation {
  const locations = jsonLocations(text)
  const content: unknown = JSON.parse(text)
  const sources = snapshotSources(content) ?? []
  const itemLocation = (list: 'prompts' | 'resourceTemplates', name: string) => {
    const items = isObject(content) ? own(content, list) : undefined
    const index = Array.isArray(items) ? items.findIndex((item) => own(objectOf(item), 'name') === name) : -1
    const found = locations.get(pointerOf(index === -1 ? [list] : [list, String(index), 'name']))
    return { file: snapshot, line: 1, column: 1, ...found }
  }
  return (change) => {
    if (change.prompt === true) return itemLocation('prompts', change.tool)
    if (change.resourceTemplate === true) return itemLocation('resourceTemplates', change.tool)
    if (change.resources === true) return { file: snapshot, line: 1, column: 1, ...locations.get('/resources') }
    const [tool, source] = sources.find(([, each]) => own(objectOf(each), 'name') === change.tool) ?? []
    const ofTool = tool === undefined ? '/tools' : pointerOf(['tools', tool, 'source'])
    let pointer = ofTool + pointerInTool(change, source)
    while (!locations.has(pointer) && pointer !== '') pointer = pointer.slice(0, pointer.lastIndexOf('/'))
    // For a whole tool, its name is a better location than its opening brace.
    const location = locations.get(pointer === ofTool && tool !== undefined ? `${pointer}/name` : pointer)
    return { file: snapshot, line: 1, column: 1, ...location }
  }
}

function pointerInTool({ side, path = '' }: ToolChange, tool: Json | undefined): string {
  if (side === undefined || !isObject(tool)) return path
  const key = side === 'result' ? 'outputSchema' : 'inputSchema'
  return `/${key}${withReferences(own(tool, key), path)}`
}

function withReferences(schema: Json | undefined, path: string): string {
  let [part, at] = [schema, '']
  for (const key of parsePointer(path) ?? []) {
    // The number of steps is limited, because references can be circular.
    for (let hop = 0; hop < 20 && partOf(part, key) === undefined && isObject(part); hop += 1) {
      const reference = own(part, '$ref')
      const target = typeof reference === 'string' && reference.startsWith('#') ? decodeFragment(reference) : undefined
      if (target === undefined) break
      at = target
      part = (parsePointer(target) ?? []).reduce(partOf, schema)
    }
    part = partOf(part, key)
    if (part === undefined) break
    at += pointerOf([key])
  }
  return at
}

function partOf(value: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(key)]
  return isObject(value) ? own(value, key) : undefined
}

export interface ImportedToolset {
  readonly toolset: string
  /** Relative to the project folder, with `/` as separator. */
  readonly snapshot: string
  readonly text: string
  readonly capture: McpCapture
}
