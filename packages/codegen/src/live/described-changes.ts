import type { CapturedTool } from '../import/mcp/capture.js'
import { isObject, own, sameJson } from '../schema/json/json.js'
import type { Json, SchemaObject } from '../schema/json/json-schema.js'
import { type KeywordValue, keywords } from '../schema/json/keywords.js'
import { pointerStep } from '../schema/json/pointer.js'
import { changedText } from './changed-text.js'
import type { ToolChange } from './tool-changes.js'

/** The keywords of a schema that say nothing about which values are valid. */
const notes: readonly string[] = [
  ...['$schema', '$id', '$comment', 'title', 'description', 'default', 'examples', 'example', 'deprecated'],
  ...['readOnly', 'writeOnly'],
]

/** Something that is said, before and now; absent where nothing is. */
export interface Said {
  readonly what: string
  /** JSON Pointer to the tool's, or schema's, part of which it is said. */
  readonly path: string
  readonly was: Json | undefined
  readonly is: Json | undefined
}

/** What is said otherwise of a tool: its description and title, its annotations, and the notes in its schemas. */
export function describedChanges(was: CapturedTool, is: CapturedTool): readonly ToolChange[] {
  const tool = was.name
  const ofTool = [
    { what: 'description', path: '/description', was: was.description, is: is.description },
    { what: 'title', path: '/title', was: was.title, is: is.title },
    // A title among them counts as the tool's.
    ...keysOf(was.annotations, is.annotations)
      .filter((key) => key !== 'title')
      .map((key) => saidBy(key, `/annotations${pointerStep(key)}`, was.annotations, is.annotations)),
  ].filter(isNews)
  const changes = ofTool.map(
    ({ path, ...said }): ToolChange => ({
      tool,
      kind: 'described',
      path,
      message: `The tool '${tool}' is described otherwise: ${changedText(said)}.`,
    }),
  )
  const sides = [
    { side: 'arguments', verb: 'are', found: notesIn(was.inputSchema, is.inputSchema, '') },
    { side: 'result', verb: 'is', found: notesIn(was.outputSchema, is.outputSchema, '') },
  ]
  const ofSides = sides.flatMap(({ side, verb, found }) =>
    found.map(({ path, ...said }): ToolChange => {
      const at = path === '' ? '' : ` at ${path}`
      const message = `The ${side} of '${tool}' ${verb} described otherwise${at}: ${changedText(said)}.`
      return { tool, kind: 'described', side, path, message }
    }),
  )
  return [...changes, ...ofSides]
}

/** The notes that changed, wherever both schemas have a part of the same name. */
export function notesIn(was: Json | undefined, is: Json | undefined, path: string): readonly Said[] {
  if (!isObject(was) || !isObject(is)) return []
  return keysOf(was, is).flatMap((key): readonly Said[] => {
    if (notes.includes(key)) return [saidBy(key, path, was, is)].filter(isNews)
    const [before, now] = [own(was, key), own(is, key)]
    const at = `${path}${pointerStep(key)}`
    switch (kindOf(key, before)) {
      case 'schema':
        return notesIn(before, now, at)
      case 'schemas':
        return Array.isArray(before) && Array.isArray(now)
          ? before.flatMap((part, index) => notesIn(part, now[index], `${at}/${index}`))
          : []
      case 'schema map':
        return isObject(before) && isObject(now)
          ? keysOf(before, now).flatMap((name) =>
              notesIn(own(before, name), own(now, name), `${at}${pointerStep(name)}`),
            )
          : []
      default:
        return []
    }
  })
}

/** What the value of a keyword is; older drafts have other words for two of them. */
function kindOf(keyword: string, value: Json | undefined): KeywordValue | undefined {
  if (keyword === 'definitions') return 'schema map'
  return keyword === 'items' && Array.isArray(value) ? 'schemas' : keywords.get(keyword)
}

function saidBy(key: string, path: string, was: SchemaObject, is: SchemaObject): Said {
  return { what: key, path, was: own(was, key), is: own(is, key) }
}

function keysOf(was: SchemaObject, is: SchemaObject): readonly string[] {
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
}

function isNews({ was, is }: Said): boolean {
  return was === undefined || is === undefined ? was !== is : !sameJson(was, is)
}
