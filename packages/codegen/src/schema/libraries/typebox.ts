import { type Converted, hasErrors, isObject, type SchemaDiagnostic } from '../json-schema.js'
import { type Direction, type LibrarySchema, noJson, notJson, transforms, untyped } from './library.js'
import { readPlainSchema } from './plain.js'

export function isTypeBox(value: unknown): value is object {
  return isObject(value) && typeof Reflect.get(value, '~kind') === 'string'
}

export function fromTypeBox(schema: object, direction: Direction): Converted<LibrarySchema> {
  const diagnostics: SchemaDiagnostic[] = []
  const refinements: (readonly string[])[] = []
  const seen = new Set<object>()
  const visit = (part: unknown, keys: readonly string[]): void => {
    if (typeof part !== 'object' || part === null || seen.has(part)) return
    seen.add(part)
    const trail = keys.filter((_, index) => keys[index - 1] === 'properties')
    const kind: unknown = Reflect.get(part, '~kind')
    const unlike = kind === 'BigInt' ? 'a bigint' : noJson.get(typeof kind === 'string' ? kind.toLowerCase() : '')
    if (unlike !== undefined) diagnostics.push(notJson(unlike, trail))
    if (Object.hasOwn(part, '~codec'))
      diagnostics.push(direction === 'input' ? transforms('a codec', trail) : untyped('a transform', trail))
    if (Object.hasOwn(part, '~refine')) refinements.push(trail)
    for (const [key, inner] of Object.entries(part)) visit(inner, [...keys, key])
    seen.delete(part)
  }
  visit(schema, [])
  if (hasErrors(diagnostics)) return { diagnostics }
  const read = readPlainSchema(schema)
  const all = [...diagnostics, ...read.diagnostics]
  return read.value === undefined
    ? { diagnostics: all }
    : { value: { schema: read.value, refinements }, diagnostics: all }
}
