import { MAX_DEPTH, setOwn } from './json-values.js'
import { isTyped, jsTypeOf } from './typed-values.js'
import { type Owned, TypedPart, Unwritable } from './unwritable.js'

interface Copied {
  readonly copy: unknown
  readonly height: number
}

/**
 * Omits fields with the value `undefined`, and symbol keys. Does not call `toJSON`. Cannot copy instances such as `Map`, whose content is not in own
 * fields.
 */
export function copyJson(input: unknown): Owned {
  let hasUnwritable = false
  const done = new Map<object, Copied | 'under way'>()

  function replace(part: Unwritable): Copied {
    hasUnwritable = true
    return { copy: part, height: 0 }
  }

  function refuse(received: string): Copied {
    return replace(new Unwritable({ constraint: 'not_json', received }))
  }

  function copy(value: unknown, depth: number): Copied {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return { copy: value, height: 0 }
      case 'number':
        return Number.isFinite(value) ? { copy: value, height: 0 } : refuse(String(value))
      case 'object':
        return value === null ? { copy: null, height: 0 } : copyContainer(value, depth)
      case 'undefined':
        return refuse('undefined')
      case 'bigint':
        // A typed value is checked later, when its schema is known.
        return replace(new TypedPart('bigint', value, 'a bigint'))
      default:
        return refuse(`a ${typeof value}`)
    }
  }

  function copyContainer(value: object, depth: number): Copied {
    const known = done.get(value)
    if (known === 'under way') return refuse('a value that contains itself')
    const levels = known === undefined ? depth : depth - 1 + known.height
    if (levels > MAX_DEPTH) return replace(new Unwritable({ constraint: 'too_deep', maximum: MAX_DEPTH }))
    if (known !== undefined) return known
    done.set(value, 'under way')
    const copied = copyParts(value, depth)
    done.set(value, copied)
    return copied
  }

  function copyParts(value: object, depth: number): Copied {
    try {
      return Array.isArray(value) ? copyItems(value, depth) : copyFields(value, depth)
    } catch {
      // A getter or a proxy threw an error. Decoding must not throw.
      return refuse('a value that cannot be read')
    }
  }

  function copyItems(items: readonly unknown[], depth: number): Copied {
    const copies: unknown[] = []
    let height = 0
    // A proxy can report any length.
    if (Object.getOwnPropertyDescriptor(items, 'length')?.value !== items.length) return refuse('an array with holes')
    for (let index = 0; index < items.length; index++) {
      // A sparse array can have a length of billions.
      if (!(index in items)) return refuse('an array with holes')
      const item = copy(items[index], depth + 1)
      copies.push(item.copy)
      height = Math.max(height, item.height)
    }
    return { copy: copies, height: height + 1 }
  }

  function copyFields(value: object, depth: number): Copied {
    const instance = classOf(value)
    if (instance !== undefined) {
      return isTyped(value) ? replace(new TypedPart(jsTypeOf(value), value, instance)) : refuse(instance)
    }
    const copies: Record<string, unknown> = {}
    let height = 0
    for (const [key, part] of Object.entries(value)) {
      if (part === undefined) continue
      const field = copy(part, depth + 1)
      setOwn(copies, key, field.copy)
      height = Math.max(height, field.height)
    }
    return { copy: copies, height: height + 1 }
  }

  const { copy: value } = copy(input, 1)
  return { value, hasUnwritable }
}

function classOf(value: object): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === null || prototype === Object.prototype) return undefined
  const tag = Object.prototype.toString.call(value)
  const isOtherRealms = Object.getPrototypeOf(prototype) === null
  if (tag === '[object Object]' && (isOtherRealms || Object.keys(value).length > 0)) return undefined
  const name: unknown = value.constructor?.name
  return typeof name === 'string' && name !== '' ? `an instance of ${name}` : 'an instance of a class'
}
