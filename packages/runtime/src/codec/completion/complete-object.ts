import type { Fields } from '../json/kind.js'
import { isInherited, setOwn } from '../json/own.js'
import type { Complete } from './completion.js'

/** A declared field and what becomes of it. */
export interface FieldPlan {
  readonly name: string
  readonly complete: Complete | undefined
  /** A new value of its default; `undefined` where it has none. */
  readonly fallback: (() => { readonly value: unknown } | undefined) | undefined
}

/** What becomes of an object. */
export interface ObjectPlan {
  /** In declared order. */
  readonly fields: readonly FieldPlan[]
  /** Whether a field that is not declared stays, and what becomes of it. */
  readonly others: (name: string) => { readonly complete: Complete | undefined } | undefined
  /** Whether any undeclared field may stay. */
  readonly hasOthers: boolean
}

/** Makes the decoded object: declared fields in declared order with their defaults, then the others. */
export function completeObject({ fields, others, hasOthers }: ObjectPlan): Complete {
  const names = new Set(fields.map(({ name }) => name))
  const plain = fields.every(({ name }) => !isInherited(name))
  return (value) => {
    const given = value as Fields // a check has accepted it
    const completed: Record<string, unknown> = {}
    for (const { name, complete, fallback } of fields) {
      const part = plain || Object.hasOwn(given, name) ? given[name] : undefined
      if (part !== undefined) {
        const whole = complete === undefined ? part : complete(part)
        if (plain) completed[name] = whole
        else setOwn(completed, name, whole)
      } else if (fallback !== undefined) {
        const computed = fallback()
        if (computed !== undefined) setOwn(completed, name, computed.value)
      }
    }
    if (!hasOthers) return completed
    for (const name of Object.keys(given)) {
      const part = given[name]
      if (names.has(name) || part === undefined) continue
      const other = others(name)
      if (other !== undefined) setOwn(completed, name, other.complete === undefined ? part : other.complete(part))
    }
    return completed
  }
}
