import { isObject, own } from '../schema/json/json.js'
import type { SchemaObject } from '../schema/json/json-schema.js'
import type { Defs } from './conjuncts.js'
import { hasKeyword, visits } from './declared-parts.js'

/** The JavaScript type that schemas which all apply name for a text; `undefined` where none does. */
export function typeNamed(conjuncts: readonly SchemaObject[]): string | undefined {
  const name = conjuncts.map((conjunct) => own(conjunct, 'x-js')).find((type) => type !== undefined)
  return typeof name === 'string' ? name : undefined
}

/** Whether schemas which all apply name more than one type, of which no text is both. */
export function namesSeveral(conjuncts: readonly SchemaObject[]): boolean {
  return new Set(conjuncts.map((conjunct) => own(conjunct, 'x-js')).filter((type) => type !== undefined)).size > 1
}

/** Whether schemas say nothing of a typed text but what its type says. */
export function saysOnlyType(conjuncts: readonly SchemaObject[]): boolean {
  return conjuncts.every((conjunct) => {
    const isTyped = own(conjunct, 'x-js') !== undefined
    const rules = ['minLength', 'const', 'enum', ...(isTyped ? [] : ['pattern', 'format', 'maxLength'])]
    return !rules.some((keyword) => Object.hasOwn(conjunct, keyword))
  })
}

/** Whether what is typed depends on conditions. */
export function conditionsNameType(conjuncts: readonly SchemaObject[], defs: Defs): boolean {
  return conjuncts.some((conjunct) =>
    ['if', 'then', 'else', 'dependentSchemas'].some((keyword) => {
      const part = own(conjunct, keyword)
      return isObject(part) && visits({ properties: part, allOf: [part] }, defs, (inner) => hasKeyword(inner, 'x-js'))
    }),
  )
}
