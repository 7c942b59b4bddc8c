import { deepEqual, pointerOf } from '@toolgen/runtime/schema'
import { isObject, type Json, own } from './json-schema.js'
import { keywords } from './keywords.js'

const noteKeywords: readonly string[] = [
  ...['$schema', '$id', '$comment', 'title', 'description', 'default', 'examples', 'example', 'deprecated'],
  ...['readOnly', 'writeOnly'],
]

export interface NoteChange {
  readonly keyword: string
  readonly path: string
  readonly before: Json | undefined
  readonly after: Json | undefined
}

export function notesChanged(before: Json | undefined, after: Json | undefined, path: string): readonly NoteChange[] {
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.flatMap((part: Json, index) => notesChanged(part, after[index], `${path}/${index}`))
  }
  if (!isObject(before) || !isObject(after)) return []
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key): readonly NoteChange[] => {
    const [was, is] = [own(before, key), own(after, key)]
    if (noteKeywords.includes(key)) return noteChanged(key, path, was, is)
    const inner = `${path}${pointerOf([key])}`
    // Older drafts have other keywords for the same content.
    const kind = key === 'definitions' ? 'schema map' : keywords.get(key)
    if (kind === 'schema' || kind === 'schemas') return notesChanged(was, is, inner)
    if (kind !== 'schema map' || !isObject(was) || !isObject(is)) return []
    return Object.keys(was).flatMap((name) =>
      notesChanged(own(was, name), own(is, name), `${inner}${pointerOf([name])}`),
    )
  })
}

export function noteChanged(
  keyword: string,
  path: string,
  before: Json | undefined,
  after: Json | undefined,
): readonly NoteChange[] {
  const isSame = before === undefined || after === undefined ? before === after : deepEqual(before, after)
  return isSame ? [] : [{ keyword, path, before, after }]
}

const maxShown = 80
const maxCommon = 20

export function changedText(name: string, before: Json | undefined, after: Json | undefined): string {
  const textOf = (value: Json = ''): string => (typeof value === 'string' ? value : JSON.stringify(value))
  const [was, is] = [textOf(before), textOf(after)]
  let same = 0
  while (same < was.length && was[same] === is[same]) same += 1
  const shown = (value: Json): string => {
    const text = textOf(value)
    const start = Math.max(0, Math.min(same - maxCommon, text.length - maxShown))
    const part = text.slice(start, start + maxShown)
    const cut = `${start > 0 ? '…' : ''}${part}${start + maxShown < text.length ? '…' : ''}`
    return typeof value === 'string' ? JSON.stringify(cut) : cut
  }
  if (before === undefined) return `${name} was added: ${shown(after ?? null)}`
  if (after === undefined) return `${name} was removed: ${shown(before)}`
  return `${name} changed from ${shown(before)} to ${shown(after)}`
}
