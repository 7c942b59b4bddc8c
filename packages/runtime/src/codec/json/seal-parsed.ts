import { MAX_DEPTH } from './depth.js'
import { isContainer, isFields } from './kind.js'
import { type Owned, Unwritable } from './unwritable.js'

/**
 * Marks what parsed JSON text can hold although it cannot be written again: numbers beyond the range of a double (they
 * parse as infinite) and nesting beyond {@link MAX_DEPTH}. Changes the value in place.
 */
export function sealParsed(parsed: unknown): Owned {
  let faulty = false

  function seal(part: unknown, depth: number): unknown {
    if (typeof part === 'number' && !Number.isFinite(part)) {
      faulty = true
      return new Unwritable({ constraint: 'not_json', received: 'a number too large for a double' })
    }
    if (!isContainer(part)) return part
    if (depth > MAX_DEPTH) {
      faulty = true
      return new Unwritable({ constraint: 'too_deep', maximum: MAX_DEPTH })
    }
    if (Array.isArray(part)) {
      for (let index = 0; index < part.length; index++) {
        const sealed = seal(part[index], depth + 1)
        if (sealed !== part[index]) part[index] = sealed
      }
      return part
    }
    if (!isFields(part)) return part
    for (const key of Object.keys(part)) {
      const field = part[key]
      const sealed = seal(field, depth + 1)
      if (sealed !== field) Object.defineProperty(part, key, { value: sealed })
    }
    return part
  }

  const value = seal(parsed, 1)
  return { value, faulty }
}
