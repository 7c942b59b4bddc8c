import { deepEqual, pointerOf } from '@toolgen/runtime/schema'
import type { Installed } from '../dev/installed-runtime.js'
import { isObject, type Json, own, type SchemaObject } from '../schema/json-schema.js'
import { type KeywordValue, keywords } from '../schema/keywords.js'
import type { CapturedTool } from './mcp-capture.js'

/** One difference between a captured tool and the one that a server lists. */
export interface ToolChange {
  /** The server's own name of the tool. */
  readonly tool: string
  readonly kind: string
  /** Which schema; absent where the tool as a whole is meant. */
  readonly side?: string
  /** JSON Pointer into the schema of the side, or into the tool as the server lists it. */
  readonly path?: string
  readonly message: string
}

/**
 * How the tools that a server lists differ from those that were captured.
 *
 * @param drift `mcpDrift` of the installed runtime, which compares schemas; what is said of them is compared here
 */
export function toolChanges(
  drift: Installed,
  captured: readonly CapturedTool[],
  live: readonly CapturedTool[],
): readonly ToolChange[] {
  const report: unknown = Reflect.apply(drift, undefined, [captured.map(servedTool), live.map(servedTool)])
  if (!isReport(report)) throw new TypeError('`mcpDrift` of the installed runtime gives no report')
  const described = captured.flatMap((tool) => {
    const now = live.find(({ name }) => name === tool.name)
    return now === undefined ? [] : describedChanges(tool, now)
  })
  const isToldBetter = ({ kind, tool }: ToolChange): boolean =>
    kind === 'described' && described.some((change) => change.tool === tool)
  return [...report.changes.filter((change) => !isToldBetter(change)), ...described]
}

/** A tool as `mcpDrift` compares it. */
function servedTool({ name, description, inputSchema, outputSchema }: CapturedTool): object {
  return {
    name,
    inputSchema,
    ...(description !== undefined && { description }),
    ...(outputSchema !== undefined && { outputSchema }),
  }
}

function isReport(value: unknown): value is { readonly changes: readonly ToolChange[] } {
  return typeof value === 'object' && value !== null && 'changes' in value && Array.isArray(value.changes)
}

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
      .map((key) => saidBy(key, `/annotations${pointerOf([key])}`, was.annotations, is.annotations)),
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
    const at = `${path}${pointerOf([key])}`
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
              notesIn(own(before, name), own(now, name), `${at}${pointerOf([name])}`),
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
  return was === undefined || is === undefined ? was !== is : !deepEqual(was, is)
}

/** How many characters of a text are shown at most, and how many of them before its first difference. */
const shown = { most: 80, before: 20 }

/** Something that is said, before and now; absent where nothing is. */
interface Change {
  readonly what: string
  readonly was: Json | undefined
  readonly is: Json | undefined
}

/** What was said and what is, on one line; of long texts the part with the first difference. */
export function changedText({ what, was, is }: Change): string {
  const [before, now] = [textOf(was), textOf(is)]
  let same = 0
  while (same < before.length && before[same] === now[same]) same += 1
  const from = Math.max(same - shown.before, 0)
  const parts = { before: quoted(was, excerpt(before, from)), now: quoted(is, excerpt(now, from)) }
  if (was === undefined) return `${what} is new, ${parts.now}`
  return is === undefined ? `${what} is gone, ${parts.before}` : `${what} was ${parts.before} and is ${parts.now}`
}

function textOf(value: Json | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function excerpt(text: string, from: number): string {
  if (text.length <= shown.most) return text
  const start = Math.min(from, text.length - shown.most)
  const part = text.slice(start, start + shown.most)
  return `${start > 0 ? '…' : ''}${part}${start + shown.most < text.length ? '…' : ''}`
}

/** Texts as JSON has them: on one line. */
function quoted(value: Json | undefined, text: string): string {
  return typeof value === 'string' ? JSON.stringify(text) : text
}
