import { MAX_DEPTH, setOwn } from './json-values.js'
import { isTyped, jsTypeOf, type TypedValue } from './typed-values.js'
import { type Owned, TypedPart, Unwritable } from './unwritable.js'

interface Copied {
  readonly copy: unknown
  /** Number of containers within each other here; 0 for anything else. */
  readonly height: number
}

/**
 * Copies a value of any origin into plain JSON: own `undefined` fields are absent, symbol keys are left out, and what
 * JSON cannot carry becomes an {@link Unwritable}: functions, symbols, infinite numbers, cycles, too deep nesting, and
 * instances of classes (`toJSON` is not called). A `Date`, a bigint and bytes become a {@link TypedPart}.
 */
export function copyJson(input: unknown): Owned {
  let hasUnwritable = false
  const done = new Map<object, Copied | 'under way'>()

  function refuse(received: string): Copied {
    hasUnwritable = true
    return { copy: new Unwritable({ constraint: 'not_json', received }), height: 0 }
  }

  /** A typed value is judged where it is known what the schema wants. */
  function stand(value: TypedValue, received: string): Copied {
    hasUnwritable = true
    return { copy: new TypedPart(jsTypeOf(value), value, received), height: 0 }
  }

  function refuseDepth(): Copied {
    hasUnwritable = true
    return { copy: new Unwritable({ constraint: 'too_deep', maximum: MAX_DEPTH }), height: 0 }
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
        return stand(value, 'a bigint')
      default:
        return refuse(`a ${typeof value}`)
    }
  }

  function copyContainer(value: object, depth: number): Copied {
    const known = done.get(value)
    if (known === 'under way') return refuse('a value that contains itself')
    if (known !== undefined) return depth - 1 + known.height > MAX_DEPTH ? refuseDepth() : known
    if (depth > MAX_DEPTH) return refuseDepth()
    done.set(value, 'under way')
    const copied = copyParts(value, depth)
    done.set(value, copied)
    return copied
  }

  function copyParts(value: object, depth: number): Copied {
    try {
      return Array.isArray(value) ? copyItems(value, depth) : copyFields(value, depth)
    } catch {
      // A getter or a proxy of the caller threw: decoding never throws, and the value cannot be written.
      return refuse('a value that cannot be read')
    }
  }

  function copyItems(items: readonly unknown[], depth: number): Copied {
    const copies: unknown[] = []
    let height = 0
    // A proxy may claim any length.
    if (Object.getOwnPropertyDescriptor(items, 'length')?.value !== items.length) return refuse('an array with holes')
    for (let index = 0; index < items.length; index++) {
      // A few items may claim a length of billions.
      if (!(index in items)) return refuse('an array with holes')
      const item = copy(items[index], depth + 1)
      copies.push(item.copy)
      height = Math.max(height, item.height)
    }
    return { copy: copies, height: height + 1 }
  }

  function copyFields(value: object, depth: number): Copied {
    const instance = classOf(value)
    if (instance !== undefined) return isTyped(value) ? stand(value, instance) : refuse(instance)
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

/**
 * Names the class of an instance that does not show what it holds, such as a `Map`; `undefined` for plain objects, also
 * of another realm, and for instances of classes that are read by their own fields.
 */
function classOf(value: object): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === null || prototype === Object.prototype) return undefined
  const tag = Object.prototype.toString.call(value)
  const isOtherRealms = Object.getPrototypeOf(prototype) === null
  if (tag === '[object Object]' && (isOtherRealms || Object.keys(value).length > 0)) return undefined
  const name: unknown = value.constructor?.name
  return typeof name === 'string' && name !== '' ? `an instance of ${name}` : 'an instance of a class'
}
