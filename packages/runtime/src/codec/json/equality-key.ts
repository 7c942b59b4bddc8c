import { isContainer } from './kind.js'

/** A text that two JSON values share exactly when they are deeply equal. */
export function equalityKey(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(equalityKey).join(',')}]`
  if (!isContainer(value)) return JSON.stringify(value) ?? 'undefined'
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, part]) => `${JSON.stringify(key)}:${equalityKey(part)}`).join(',')}}`
}
