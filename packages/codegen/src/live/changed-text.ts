import type { Json } from '../schema/json/json-schema.js'

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
