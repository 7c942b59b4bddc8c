import { isTyped, typedText } from '../typed/js-type.js'
import { isContainer } from './kind.js'
import { TypedPart } from './unwritable.js'

/** A text that two JSON values share exactly when they are deeply equal. A typed value is the text that it travels as. */
export function equalityKey(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(equalityKey).join(',')}]`
  if (isTyped(value)) return JSON.stringify(typedText(value)) ?? 'undefined'
  if (!isContainer(value)) return JSON.stringify(value) ?? 'undefined'
  if (value instanceof TypedPart) return JSON.stringify(value.text)
  // A field that is `undefined` is none.
  const present = Object.entries(value).filter(([, part]) => part !== undefined)
  const entries = present.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, part]) => `${JSON.stringify(key)}:${equalityKey(part)}`).join(',')}}`
}
