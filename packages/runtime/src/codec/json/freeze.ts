import { isContainer } from './kind.js'

/** Freezes a plain JSON value with all its parts, and gives it back. */
export function freezeJson(value: unknown): unknown {
  if (isContainer(value)) {
    for (const part of Object.values(value)) freezeJson(part)
    Object.freeze(value)
  }
  return value
}
