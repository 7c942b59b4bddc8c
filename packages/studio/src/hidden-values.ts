import { deepEqual, isTyped, typedText } from '@toolgen/runtime/schema'
import { RequestError } from './errors.js'

export function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function plain(value: unknown): unknown {
  if (isTyped(value)) return typedText(value)
  if (Array.isArray(value)) return value.map(plain)
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)])) : value
}

/**
 * @param shown arguments before a person edited the arguments, with placeholders for hidden values
 * @throws {RequestError} if a placeholder was moved to another field or list item
 */
export function restoredArguments(edited: unknown, shown: unknown, original: unknown): unknown {
  const restored = withOriginals(edited, shown, original)
  if (restored === undefined) {
    const message = 'A list in the arguments has hidden values, so its items cannot be added, removed or moved.'
    throw new RequestError(400, message, 'Change only values of its items, or deny the call.')
  }
  const placeholders = placeholdersOf(shown, original)
  if (hasText(restored, placeholders) && !hasText(original, placeholders)) {
    const message = 'The arguments contain the placeholder of a hidden value in another field.'
    throw new RequestError(400, message, 'Leave hidden values in their fields, or deny the call.')
  }
  return restored
}

/**
 * Returns `undefined` if a person added, removed or moved items of a list with hidden values, because the original values of the items are then
 * unknown.
 */
function withOriginals(edited: unknown, shown: unknown, original: unknown): unknown {
  if (Array.isArray(edited) && Array.isArray(shown) && Array.isArray(original)) {
    if (deepEqual(shown, original)) return edited
    const isMoved = edited.some(
      (item, index) => !deepEqual(item, shown[index]) && shown.some((other) => deepEqual(other, item)),
    )
    if (edited.length !== shown.length || isMoved) return undefined
    const items = edited.map((item, index) => withOriginals(item, shown[index], original[index]))
    return items.includes(undefined) ? undefined : items
  }
  if (isRecord(edited) && isRecord(shown) && isRecord(original)) {
    const entries = Object.entries(edited).map(([name, value]) => {
      return [name, withOriginals(value, own(shown, name), own(original, name))] as const
    })
    return entries.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(entries)
  }
  const isHidden = typeof edited !== 'object' && edited === shown && original !== undefined && original !== shown
  return isHidden ? original : edited
}

function placeholdersOf(shown: unknown, original: unknown): ReadonlySet<unknown> {
  if (typeof shown !== 'object' || shown === null) return new Set(shown === original ? [] : [shown])
  const values = isObject(original) ? original : {}
  return new Set(Object.entries(shown).flatMap(([name, value]) => [...placeholdersOf(value, own(values, name))]))
}

function hasText(value: unknown, texts: ReadonlySet<unknown>): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' && texts.has(value)
  return Object.values(value).some((each) => hasText(each, texts))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function own(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

/** Skips texts with fewer than 4 characters, because other texts often contain them by chance. */
export function hiddenTexts(original: unknown, shown: unknown): readonly (readonly [text: string, shown: string])[] {
  if (typeof original === 'string' || typeof original === 'number') {
    const text = String(original)
    return original === shown || text.length < 4 ? [] : [[text, typeof shown === 'string' ? shown : '[redacted]']]
  }
  if (typeof original !== 'object' || original === null) return []
  return Object.entries(original).flatMap(([name, value]) =>
    hiddenTexts(value, typeof shown === 'object' && shown !== null ? Reflect.get(shown, name) : undefined),
  )
}

/** @param isSensitive `true` if the tool has sensitive fields. Values that `shown` does not contain, such as defaults, then count as hidden */
export function hasHidden(original: unknown, shown: unknown, isSensitive: boolean): boolean {
  if (shown === undefined) return isSensitive && original !== undefined
  if (Array.isArray(original)) {
    return !Array.isArray(shown) || original.some((item, index) => hasHidden(item, shown[index], isSensitive))
  }
  if (isRecord(original)) {
    if (!isRecord(shown)) return true
    return Object.entries(original).some(([name, value]) => hasHidden(value, own(shown, name), isSensitive))
  }
  return original !== shown
}
