import { quoted } from '../codec/issues/words.js'
import { isFields } from '../codec/json/kind.js'

/** A place where what is asked for differs from what was recorded. */
export interface Difference {
  /** E.g. `messages[2].content`. */
  readonly path: string
  /** Absent where nothing was recorded there. */
  readonly recorded?: unknown
  /** Absent where nothing is there now. */
  readonly now?: unknown
}

/** How many characters of a value are shown, and how many of them stand before the first difference. */
const SHOWN = 80
const LEAD = 24

/** The places where two JSON values differ, in the order of the recorded one; what is new comes last. */
export function differences(recorded: unknown, now: unknown, path: string = ''): readonly Difference[] {
  if (recorded === now) return []
  if (Array.isArray(recorded) && Array.isArray(now)) {
    const length = Math.max(recorded.length, now.length)
    return Array.from({ length }, (_, index) => index).flatMap((index) =>
      parts(recorded, now, `${index}`, `${path}[${index}]`),
    )
  }
  if (isFields(recorded) && isFields(now)) {
    return [...new Set([...Object.keys(recorded), ...Object.keys(now)])].flatMap((key) =>
      parts(recorded, now, key, fieldPath(path, key)),
    )
  }
  return [{ path, recorded, now }]
}

/** A difference in one line: `messages[2].content: recorded "…" / now "…"`. */
export function differenceText({ path, ...sides }: Difference): string {
  const from = firstDifference(sides.recorded, sides.now)
  const recorded = 'recorded' in sides ? shown(sides.recorded, from) : 'nothing'
  const now = 'now' in sides ? shown(sides.now, from) : 'nothing'
  return `${path}: recorded ${recorded} / now ${now}`
}

function parts(recorded: object, now: object, key: string, path: string): readonly Difference[] {
  const before = Object.getOwnPropertyDescriptor(recorded, key)
  const after = Object.getOwnPropertyDescriptor(now, key)
  if (before === undefined) return [{ path, now: after?.value }]
  if (after === undefined) return [{ path, recorded: before.value }]
  return differences(before.value, after.value, path)
}

function fieldPath(path: string, key: string): string {
  if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `${path}[${JSON.stringify(key)}]`
  return path === '' ? key : `${path}.${key}`
}

/** Where two texts begin to differ. */
function firstDifference(a: unknown, b: unknown): number {
  if (typeof a !== 'string' || typeof b !== 'string') return 0
  let index = 0
  while (index < a.length && a[index] === b[index]) index += 1
  return index
}

/** A value as JSON, cut where it is long: of a text the part around the first difference. */
function shown(value: unknown, from: number): string {
  if (typeof value !== 'string' || value.length <= SHOWN) return quoted(value, SHOWN)
  const start = from + SHOWN - LEAD > value.length ? Math.max(0, value.length - SHOWN) : Math.max(0, from - LEAD)
  const end = start + SHOWN
  return JSON.stringify(`${start > 0 ? '…' : ''}${value.slice(start, end)}${end < value.length ? '…' : ''}`)
}
