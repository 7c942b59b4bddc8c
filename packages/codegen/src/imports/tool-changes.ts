import { deepEqual, pointerOf } from '@toolgen/runtime/schema'
import { defined } from '../defined.js'
import type { Installed } from '../dev/installed-runtime.js'
import { isObject, type Json, own, type SchemaObject } from '../schema/json-schema.js'
import { type KeywordValue, keywords } from '../schema/keywords.js'
import type { CapturedTool } from './mcp-capture.js'

/** A difference between a captured tool and the tool that a server lists. */
export interface ToolChange {
  /** The server's name of the tool. */
  readonly tool: string
  readonly kind: string
  /** The changed schema; absent for the tool as a whole. */
  readonly side?: string
  /** JSON Pointer into the schema of the side, or into the tool as the server lists it. */
  readonly path?: string
  readonly message: string
}

/**
 * Compares the tools that a server lists with those that were captured.
 *
 * @param drift `mcpDrift` of the installed runtime, which compares the rules of schemas
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
  const isDetailed = ({ kind, tool }: ToolChange): boolean =>
    kind === 'described' && described.some((change) => change.tool === tool)
  return [...report.changes.filter((change) => !isDetailed(change)), ...described]
}

function servedTool({ name, description, inputSchema, outputSchema }: CapturedTool): object {
  return defined({ name, inputSchema, description, outputSchema })
}

function isReport(value: unknown): value is { readonly changes: readonly ToolChange[] } {
  return typeof value === 'object' && value !== null && 'changes' in value && Array.isArray(value.changes)
}

/** Returns the changed notes of a tool: its description, title and annotations, and the notes in its schemas. */
export function describedChanges(before: CapturedTool, after: CapturedTool): readonly ToolChange[] {
  const tool = before.name
  const messageOf = (subject: string, at: string, note: NoteChange): string =>
    `${subject} described otherwise${at}: ${changedText(note.keyword, note.before, note.after)}.`
  const ofTool = [
    ...changedNote('description', '', before.description, after.description),
    ...changedNote('title', '', before.title, after.title),
    // The title among the annotations counts as the tool's title.
    ...keysOf(before.annotations, after.annotations)
      .filter((key) => key !== 'title')
      .flatMap((key) => changedNote(key, '/annotations', own(before.annotations, key), own(after.annotations, key))),
  ]
  const sides = [
    ['arguments', `The arguments of '${tool}' are`, before.inputSchema, after.inputSchema],
    ['result', `The result of '${tool}' is`, before.outputSchema, after.outputSchema],
  ] as const
  return [
    ...ofTool.map((note) => {
      const message = messageOf(`The tool '${tool}' is`, '', note)
      return { tool, kind: 'described', path: note.path + pointerOf([note.keyword]), message }
    }),
    ...sides.flatMap(([side, subject, from, to]) =>
      notesChanged(from, to, '').map((note) => {
        const { path } = note
        const message = messageOf(subject, path === '' ? '' : ` at ${path}`, note)
        return { tool, kind: 'described', side, path, message }
      }),
    ),
  ]
}

/** Keywords that do not affect which values are valid. */
const noteKeywords: readonly string[] = [
  ...['$schema', '$id', '$comment', 'title', 'description', 'default', 'examples', 'example', 'deprecated'],
  ...['readOnly', 'writeOnly'],
]

/** A changed note; `before` or `after` is `undefined` if there was or is none. */
export interface NoteChange {
  readonly keyword: string
  /** JSON Pointer to the part that has the note. */
  readonly path: string
  readonly before: Json | undefined
  readonly after: Json | undefined
}

/** Returns the changed notes of the parts that two schemas have in common. */
export function notesChanged(before: Json | undefined, after: Json | undefined, path: string): readonly NoteChange[] {
  if (!isObject(before) || !isObject(after)) return []
  return keysOf(before, after).flatMap((key): readonly NoteChange[] => {
    const [was, is] = [own(before, key), own(after, key)]
    if (noteKeywords.includes(key)) return changedNote(key, path, was, is)
    const inner = `${path}${pointerOf([key])}`
    switch (operandOf(key, was)) {
      case 'schema':
        return notesChanged(was, is, inner)
      case 'schemas':
        return Array.isArray(was) && Array.isArray(is)
          ? was.flatMap((part, index) => notesChanged(part, is[index], `${inner}/${index}`))
          : []
      case 'schema map':
        return isObject(was) && isObject(is)
          ? keysOf(was, is).flatMap((name) =>
              notesChanged(own(was, name), own(is, name), `${inner}${pointerOf([name])}`),
            )
          : []
      default:
        return []
    }
  })
}

/** Returns the kind of a keyword's operand. Older drafts have other keywords for two of them. */
function operandOf(keyword: string, value: Json | undefined): KeywordValue | undefined {
  if (keyword === 'definitions') return 'schema map'
  return keyword === 'items' && Array.isArray(value) ? 'schemas' : keywords.get(keyword)
}

function changedNote(
  keyword: string,
  path: string,
  before: Json | undefined,
  after: Json | undefined,
): readonly NoteChange[] {
  const isSame = before === undefined || after === undefined ? before === after : deepEqual(before, after)
  return isSame ? [] : [{ keyword, path, before, after }]
}

function keysOf(before: SchemaObject, after: SchemaObject): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
}

/** Limits for the characters of a text that are shown, in total and before its first difference. */
const maxShown = 80
const maxCommon = 20

/** Returns both values on one line; of long texts the part with the first difference. */
export function changedText(name: string, before: Json | undefined, after: Json | undefined): string {
  const [was, is] = [before, after].map((value = '') => (typeof value === 'string' ? value : JSON.stringify(value)))
  if (was === undefined || is === undefined) throw new RangeError('two values are compared')
  let same = 0
  while (same < was.length && was[same] === is[same]) same += 1
  const start = Math.max(same - maxCommon, 0)
  const shown = (value: Json | undefined, text: string): string => {
    const part = excerpt(text, start)
    return typeof value === 'string' ? JSON.stringify(part) : part
  }
  if (before === undefined) return `${name} is new, ${shown(after, is)}`
  if (after === undefined) return `${name} is gone, ${shown(before, was)}`
  return `${name} was ${shown(before, was)} and is ${shown(after, is)}`
}

function excerpt(text: string, from: number): string {
  if (text.length <= maxShown) return text
  const start = Math.min(from, text.length - maxShown)
  const end = start + maxShown
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
}
