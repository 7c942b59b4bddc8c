import type { Json } from '../ir/types.js'
import { isObject } from '../schema/json/json.js'
import { keyText, literalText } from '../text/literal.js'
import { isInheritedName } from './inherited-name.js'

/**
 * An entry of an object literal whose type has choices, as code. Below a name that every object inherits the literal is
 * typed by itself: for the checker its choices would be any text otherwise.
 */
export function typedEntry(key: string, value: Json, indent: number): string {
  const start = `${keyText(key)}: `
  const end = hasInheritedName({ [key]: value }) ? ' as const' : ''
  return `${start}${literalText(value, { indent, used: indent + start.length + end.length + 1 })}${end}`
}

function hasInheritedName(value: Json): boolean {
  if (Array.isArray(value)) return value.some(hasInheritedName)
  return isObject(value) && Object.entries(value).some(([key, part]) => isInheritedName(key) || hasInheritedName(part))
}
