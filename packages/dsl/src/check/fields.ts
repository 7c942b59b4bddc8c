import { fault, isPlain, kindOf, quoted } from './fault.js'
import { nearestName } from './nearest.js'

/** Looks at one property and throws a TypeError when it is evidently wrong. */
export type FieldCheck = (value: unknown, where: string) => void

/** The checks of a definition's properties, by name; `required` ones must be there. */
export interface FieldChecks {
  readonly required: Readonly<Record<string, FieldCheck>>
  readonly optional: Readonly<Record<string, FieldCheck>>
}

/**
 * A copy of a definition without the properties that are `undefined`, after making sure that it is a plain object with
 * known properties of the right kind. Throws a TypeError otherwise.
 */
export function checkedFields<Definition extends object>(
  definition: Definition,
  checks: FieldChecks,
  where: string,
): Definition {
  const fields = plainCopy(definition, where)
  const known = [...Object.keys(checks.required), ...Object.keys(checks.optional)]
  for (const name of Object.keys(fields)) {
    if (known.includes(name)) continue
    const near = nearestName(name, known)
    const next = near === undefined ? `Known properties are ${known.join(', ')}` : `Did you mean ${quoted(near)}?`
    throw fault(where, `unknown property ${quoted(name)}`, next)
  }
  for (const [name, check] of Object.entries(checks.required)) {
    if (!Object.hasOwn(fields, name)) throw fault(where, `${quoted(name)} is missing`, 'Add it to the definition')
    check(Reflect.get(fields, name), `${where}: ${name}`)
  }
  for (const [name, check] of Object.entries(checks.optional)) {
    if (Object.hasOwn(fields, name)) check(Reflect.get(fields, name), `${where}: ${name}`)
  }
  return fields
}

/** A copy of a plain object without the properties that are `undefined`. Throws a TypeError for anything else. */
export function plainCopy<Fields extends object>(fields: Fields, where: string): Fields {
  if (!isPlain(fields)) {
    const next = "Write a plain object; a name such as __proto__ needs brackets and quotes: ['__proto__']"
    throw fault(where, `expected a plain object, got ${kindOf(fields)}`, next)
  }
  const [symbol] = Object.getOwnPropertySymbols(fields)
  if (symbol !== undefined) throw fault(where, `has a symbol as a property name, ${String(symbol)}`, 'Names are text')
  const copy = { ...fields }
  for (const name of Object.keys(copy)) {
    if (Reflect.get(copy, name) === undefined) Reflect.deleteProperty(copy, name)
  }
  return copy
}

/**
 * A frozen copy without a prototype of an object whose names users choose, so that no name is special. Properties that
 * are `undefined` count as absent.
 */
export function frozenDictionary<Fields extends object>(fields: Fields, where: string): Readonly<Fields> {
  const copy = plainCopy(fields, where)
  Object.setPrototypeOf(copy, null)
  return Object.freeze(copy)
}

/** {@link frozenDictionary} of names, of which some may be `undefined`. */
export function frozenNames(
  names: Readonly<Record<string, string | undefined>>,
  where: string,
): Readonly<Record<string, string>> {
  const given = Object.entries(names).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return frozenDictionary(Object.fromEntries(given), where)
}
