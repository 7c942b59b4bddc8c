import { fault, kindOf, quoted } from './fault.js'
import { checkedFields, type FieldCheck, type FieldChecks, plainCopy } from './fields.js'
import { nearestName } from './nearest.js'

/** Text, empty or not. */
export const isText: FieldCheck = (value, where) => {
  if (typeof value !== 'string') throw fault(where, `expected text, got ${kindOf(value)}`, 'Write a string')
}

/** Text that names something. */
export const isName: FieldCheck = (value, where) => {
  isText(value, where)
  if (value === '') throw fault(where, 'is empty', 'Give it a name')
}

/** Text that a model reads. */
export const isMessage: FieldCheck = (value, where) => {
  isText(value, where)
  if (String(value).trim() === '') throw fault(where, 'is empty', 'Write what the model is told, or leave it out')
}

/** True or false. */
export const isFlag: FieldCheck = (value, where) => {
  if (typeof value !== 'boolean') throw fault(where, `expected true or false, got ${kindOf(value)}`, 'Write a boolean')
}

/** A count or an amount: finite, zero or more. */
export const isAmount: FieldCheck = (value, where) => {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
    const got = typeof value === 'number' ? String(value) : kindOf(value)
    throw fault(where, `expected a number that is zero or more, got ${got}`, 'Leave it out for no limit')
  }
}

/** A whole number between two others, which are allowed too. */
export function isWholeNumber(least: number, greatest: number): FieldCheck {
  return (value, where) => {
    if (Number.isInteger(value) && Number(value) >= least && Number(value) <= greatest) return
    const got = typeof value === 'number' ? String(value) : kindOf(value)
    throw fault(where, `expected a whole number, got ${got}`, `Write a number from ${least} to ${greatest}`)
  }
}

/** A schema library's schema or a plain JSON Schema value; which of them it is, the generator finds out. */
export const isSchema: FieldCheck = (value, where) => {
  // Some libraries' schemas are functions.
  if ((typeof value === 'object' && value !== null && !Array.isArray(value)) || typeof value === 'function') return
  if (typeof value === 'boolean') return
  const next = 'Pass a schema, e.g. z.object({ ... }), or a JSON Schema value'
  throw fault(where, `expected a schema, got ${kindOf(value)}`, next)
}

/** One of a closed set of texts. */
export function isOneOf(allowed: readonly string[]): FieldCheck {
  return (value, where) => {
    if (typeof value === 'string' && allowed.includes(value)) return
    const got = typeof value === 'string' ? quoted(value) : kindOf(value)
    const near = typeof value === 'string' ? nearestName(value, allowed) : undefined
    const next = near === undefined ? `Write one of ${allowed.join(', ')}` : `Did you mean ${quoted(near)}?`
    throw fault(where, `got ${got}`, next)
  }
}

/** A list whose items pass a check. */
export function isListOf(item: FieldCheck): FieldCheck {
  return (value, where) => {
    if (!Array.isArray(value)) throw fault(where, `expected a list, got ${kindOf(value)}`, 'Write [ ... ]')
    // By index, because forEach skips holes.
    for (let index = 0; index < value.length; index += 1) item(value[index], `${where}[${index}]`)
  }
}

/** An object with known properties. */
export function hasFields(checks: FieldChecks): FieldCheck {
  return (value, where) => {
    if (typeof value !== 'object' || value === null) {
      throw fault(where, `expected an object, got ${kindOf(value)}`, 'Write { ... }')
    }
    checkedFields(value, checks, where)
  }
}

/** An object with names that users choose, whose values pass a check. */
export function isDictionaryOf(item: FieldCheck): FieldCheck {
  return (value, where) => {
    if (typeof value !== 'object' || value === null) {
      throw fault(where, `expected an object, got ${kindOf(value)}`, 'Write { name: ... }')
    }
    const entries = plainCopy(value, where)
    for (const name of Object.keys(entries)) item(Reflect.get(entries, name), `${where}[${quoted(name)}]`)
  }
}

/** A value made by one of this package's functions, e.g. a `tool` by `defineTool`. */
export function isMade(kind: 'tool' | 'toolset' | 'client' | 'use', next: string): FieldCheck {
  return (value, where) => {
    if (!isOfKind(value, kind)) throw fault(where, `expected a ${kind}, got ${kindOf(value)}`, next)
  }
}

/** Whether a value carries the mark of a kind. */
export function isOfKind(value: unknown, kind: string): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.hasOwn(value, '~toolgen') &&
    Reflect.get(value, '~toolgen') === kind
  )
}

/** Looked at elsewhere. */
export const isAnything: FieldCheck = () => {}
