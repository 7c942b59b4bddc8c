import type { SourcePlace } from '../diagnostics/diagnostic.js'
import { isObject, own } from '../schema/json/json.js'
import { jsonPlaces } from '../schema/json/json-places.js'
import type { Json } from '../schema/json/json-schema.js'
import { decodeFragment, keysOf, pointerStep } from '../schema/json/pointer.js'
import type { ImportedToolset } from './imported-toolsets.js'
import type { ToolChange } from './tool-changes.js'

/** Finds where in a snapshot that stands which has changed: the innermost part that is written there. */
export function changePlaces({
  snapshot,
  text,
  capture,
}: Pick<ImportedToolset, 'snapshot' | 'text' | 'capture'>): (change: ToolChange) => SourcePlace {
  const places = jsonPlaces(text)
  return (change) => {
    const index = capture.tools.findIndex(({ name }) => name === change.tool)
    const tool = `/tools/${index}`
    let pointer = index === -1 ? '/tools' : `${tool}${pointerInTool(change, capture.tools[index]?.raw)}`
    while (!places.has(pointer) && pointer !== '') pointer = pointer.slice(0, pointer.lastIndexOf('/'))
    // A brace tells nobody which tool it begins.
    const place = places.get(pointer === tool ? `${tool}/name` : pointer)
    return { file: snapshot, line: 1, column: 1, ...place }
  }
}

function pointerInTool({ side, path = '' }: ToolChange, tool: Json | undefined): string {
  if (side === undefined || !isObject(tool)) return path
  const key = side === 'result' ? 'outputSchema' : 'inputSchema'
  return `/${key}${behindReferences(own(tool, key), path)}`
}

/** A path of a schema with the references on its way followed, as far as the schema has it. */
function behindReferences(schema: Json | undefined, path: string): string {
  let [part, at] = [schema, '']
  for (const key of keysOf(path) ?? []) {
    // A reference to a reference is rare, a circle of them is a fault of the server.
    for (let hop = 0; hop < 20 && partOf(part, key) === undefined && isObject(part); hop += 1) {
      const reference = own(part, '$ref')
      const target = typeof reference === 'string' && reference.startsWith('#') ? decodeFragment(reference) : undefined
      if (target === undefined) break
      at = target
      part = (keysOf(target) ?? []).reduce(partOf, schema)
    }
    part = partOf(part, key)
    if (part === undefined) break
    at += pointerStep(key)
  }
  return at
}

function partOf(value: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(key)]
  return isObject(value) ? own(value, key) : undefined
}
